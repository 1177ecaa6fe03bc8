package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// truncatedMark stands before diagnostics that are not all.
const truncatedMark = "[stderr truncated]\n"

// stderrText is the end of what the sidecar said, marked when it is not all.
func (e *ending) stderrText() string {
	text, truncated := e.stderr.Tail()
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\ufffd")
	if truncated {
		text = truncatedMark + text
	}
	return text
}

func sidecarFailed(err error) *Error {
	details := Details{}
	var problem *ripgrep.Problem
	if errors.As(err, &problem) {
		details = Details{Reason: problem.Code, Sidecar: problem.Path}
	}
	return fail(Failed, details, err, "%v", err)
}

// startFailed explains why the system did not run an executable that passed all
// checks.
func (s *Searcher) startFailed(dir string, err error) *Error {
	path := s.sidecar.Path()
	if accessErr := readable(dir); accessErr != nil {
		return inaccessible("the directory", dir, accessErr)
	}
	failed := func(reason, format string, args ...any) *Error {
		return fail(Failed, Details{Reason: reason, Sidecar: path}, err, format, args...)
	}
	cause := err
	var start *subprocess.StartError
	if errors.As(err, &start) {
		cause = start.Err
	}
	var null *fs.PathError
	switch {
	case errors.As(err, &null) && null.Path == os.DevNull && !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.ENFILE):
		return failed("no-null-device", "%s cannot be opened (%v), and every program is started with it: have it in this root (chroot, container)", os.DevNull, null.Err)
	case errors.Is(err, fs.ErrNotExist):
		return failed("loader", "the ripgrep sidecar %s exists but its loader does not: install the package for this platform", path)
	case errors.Is(err, unix.ENOEXEC):
		return failed("format", "the ripgrep sidecar %s is not an executable for this system: %s", path, s.sidecar.Advice())
	case errors.Is(err, fs.ErrPermission):
		return failed("denied", "the system refuses to run the ripgrep sidecar %s (%v): look for a noexec mount or an execution policy (fapolicyd, SELinux, AppArmor)", path, cause)
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOMEM):
		return failed("resources", "the system has no room for another process, so ripgrep did not start (%v): search again later, or raise its limits (ulimit -u)", cause)
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return failed("resources", "the runtime has too many files open, so ripgrep did not start (%v): raise its limit (ulimit -n)", cause)
	}
	return failed("", "the ripgrep sidecar %s could not be started: %v", path, cause)
}

// allocationFailed is what a Rust program says before it aborts for want of memory.
const allocationFailed = "memory allocation of "

func (s *Searcher) killed(out subprocess.Outcome, end *ending, q query) *Error {
	details := Details{Sidecar: s.sidecar.Path(), Signal: out.Signal.String(), Stderr: end.stderrText(), Found: q.found()}
	hint := ""
	if strings.Contains(details.Stderr, allocationFailed) {
		return fail(Failed, details, nil, "ripgrep needed more than the %d MiB of memory that it may use%s", SidecarMemory>>20, said(details.Stderr))
	}
	if ripgrep.WrongPages(details.Stderr) {
		details.Reason = "page-size"
		hint = "; " + ripgrep.PagesAdvice()
	}
	if runtime.GOOS == "darwin" {
		hint = fmt.Sprintf("; if macOS has quarantined it, run xattr -d com.apple.quarantine %s", s.sidecar.Path())
	}
	return fail(Failed, details, nil, "ripgrep was ended by a signal (%s) before it had finished%s%s", out.Signal, said(details.Stderr), hint)
}

func (s *Searcher) malformed(cause error, end *ending, q query) *Error {
	details := Details{Sidecar: s.sidecar.Path(), ExitCode: max(0, end.exit), Stderr: end.stderrText(), Found: q.found()}
	return fail(Failed, details, cause, "ripgrep's output could not be read: %v%s", cause, said(details.Stderr))
}

// maxSaid bounds how much of the sidecar's words a message repeats; the details
// have all that was kept. The cause of a death stands at the end.
const maxSaid = 1000

// said puts the sidecar's words behind a message.
func said(stderr string) string {
	if stderr == "" {
		return ""
	}
	if cut := len(stderr) - maxSaid; cut > 0 {
		stderr = truncatedMark + strings.ToValidUTF8(strings.TrimPrefix(stderr, truncatedMark)[max(0, cut-len(truncatedMark)):], "")
	}
	return ": " + stderr
}

// failedExit is for exit statuses that no answer explains.
func (s *Searcher) failedExit(end *ending, q query) *Error {
	details := Details{Sidecar: s.sidecar.Path(), ExitCode: end.exit, Stderr: end.stderrText(), Found: q.found()}
	return fail(Failed, details, nil, "ripgrep failed (exit status %d)%s", end.exit, said(details.Stderr))
}

// aborted is a search whose context is done: at its own deadline the answer so
// far may be asked for, a caller who left gets an error.
func (s *Searcher) aborted(ctx context.Context, end *ending, q query) error {
	cause := context.Cause(ctx)
	reason, said := reasonOf(cause)
	if reason == ReasonTimeout && s.config.CutShort == CutShortPage {
		end.incomplete = &Incomplete{Reason: reason, Message: said}
		return nil
	}
	where, advice := "", ""
	if reason == ReasonTimeout {
		where, advice = q.where(), "; narrow "+q.narrow()
	}
	return fail(Aborted, Details{Reason: reason, Found: q.found()}, cause, "%s (%s%s)%s", said, foundSoFar(q.found()), where, advice)
}

// reasonOf says why a search was given up, for programs and for people.
func reasonOf(cause error) (reason, said string) {
	switch {
	case errors.Is(cause, ErrShutdown):
		return ReasonShutdown, "the runtime is shutting down"
	case errors.Is(cause, errTimeout), errors.Is(cause, context.DeadlineExceeded):
		return ReasonTimeout, "the search did not finish within its time limit"
	}
	return ReasonCancelled, "the search was cancelled"
}

func (s *Searcher) overflowed(end *ending, q query) error {
	said := fmt.Sprintf("ripgrep's output exceeded %d bytes (rawOutputMaxBytes)", s.config.RawOutputMaxBytes)
	if s.config.CutShort == CutShortPage {
		end.incomplete = &Incomplete{Reason: ReasonRawOutput, Message: said}
		return nil
	}
	return fail(RawOutputOverflow, Details{Reason: ReasonRawOutput, Found: q.found()}, errOverflow,
		"%s (%s%s); narrow %s", said, foundSoFar(q.found()), q.where(), q.narrow())
}

// cutShort is what a result of n items says that was cut short, or nil. Nothing found
// until then is not the same as nothing there.
func (e *ending) cutShort(n int) *Incomplete {
	if e.incomplete == nil {
		return nil
	}
	until := "; these are the results until then"
	if n == 0 {
		until = "; nothing had been found until then"
	}
	return &Incomplete{Reason: e.incomplete.Reason, Message: e.incomplete.Message + until}
}

func foundSoFar(n int) string { return plural(n, "result") + " found until then" }

// rootUnreadable is ripgrep's complaint about the very directory that it was
// started in.
func rootUnreadable(shown string, c *ripgrep.Diagnostic, end *ending) *Error {
	return fail(Failed, Details{Path: shown, Stderr: end.stderrText()}, nil,
		"the directory %s could not be searched: %s", quote(shown), strings.ToLower(c.Reason))
}
