package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// stderrText is the end of what the sidecar said, marked when it is not all.
func (e *ending) stderrText() string {
	text, truncated := e.stderr.Tail()
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\ufffd")
	if truncated {
		text = "[stderr truncated]\n" + text
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
	details := Details{Sidecar: s.sidecar.Path()}
	if accessErr := readable(dir); accessErr != nil {
		return inaccessible("the directory", dir, accessErr)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		details.Reason = "loader"
		return fail(Failed, details, err, "the ripgrep sidecar %s exists but its loader does not: install the package for this platform", s.sidecar.Path())
	case errors.Is(err, fs.ErrPermission):
		details.Reason = "denied"
		return fail(Failed, details, err, "the system refuses to run the ripgrep sidecar %s (%v): look for a noexec mount or an execution policy (fapolicyd, SELinux, AppArmor)", s.sidecar.Path(), errors.Unwrap(err))
	}
	return fail(Failed, details, err, "the ripgrep sidecar %s could not be started: %v", s.sidecar.Path(), errors.Unwrap(err))
}

func (s *Searcher) killed(out subprocess.Outcome, end *ending, q query) *Error {
	details := Details{Sidecar: s.sidecar.Path(), Signal: out.Signal.String(), Stderr: end.stderrText(), Found: q.found()}
	hint := ""
	if runtime.GOOS == "darwin" {
		hint = fmt.Sprintf("; if macOS has quarantined it, run xattr -d com.apple.quarantine %s", s.sidecar.Path())
	}
	return fail(Failed, details, nil, "ripgrep was ended by a signal (%s) before it had finished%s%s", out.Signal, said(details.Stderr), hint)
}

func (s *Searcher) malformed(cause error, end *ending, q query) *Error {
	details := Details{Sidecar: s.sidecar.Path(), ExitCode: max(0, end.exit), Stderr: end.stderrText(), Found: q.found()}
	return fail(Failed, details, cause, "ripgrep's output could not be read: %v%s", cause, said(details.Stderr))
}

// said puts the sidecar's words behind a message.
func said(stderr string) string {
	if stderr == "" {
		return ""
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
	reason, said := ReasonCancelled, "the search was cancelled"
	switch {
	case errors.Is(cause, ErrShutdown):
		reason, said = ReasonShutdown, "the runtime is shutting down"
	case errors.Is(cause, errTimeout), errors.Is(cause, context.DeadlineExceeded):
		reason = ReasonTimeout
		said = "the search did not finish within its time limit"
		if s.config.CutShort == CutShortPage {
			end.incomplete = &Incomplete{Reason: reason, Message: said + "; these are the results until then"}
			return nil
		}
	}
	advice := ""
	if reason == ReasonTimeout {
		advice = "; narrow path, include or pattern"
	}
	return fail(Aborted, Details{Reason: reason, Found: q.found()}, cause, "%s (%s)%s", said, foundSoFar(q.found()), advice)
}

func (s *Searcher) overflowed(end *ending, q query) error {
	said := fmt.Sprintf("ripgrep's output exceeded %d bytes (rawOutputMaxBytes)", s.config.RawOutputMaxBytes)
	if s.config.CutShort == CutShortPage {
		end.incomplete = &Incomplete{Reason: ReasonRawOutput, Message: said + "; these are the results until then"}
		return nil
	}
	return fail(RawOutputOverflow, Details{Reason: ReasonRawOutput, Found: q.found()}, errOverflow,
		"%s (%s); narrow path, include or pattern", said, foundSoFar(q.found()))
}

func foundSoFar(n int) string { return plural(n, "result") + " found until then" }

// plural counts things: "1 file", "2 files".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// unreadable turns counted complaints into a warning, or into an error when the
// configuration wants that.
func (s *Searcher) unreadable(end *ending, d display, q query, report *Report) error {
	diag := end.diagnostics
	if diag.Unreadable == 0 {
		return nil
	}
	w := Warning{Code: WarnUnreadable, Count: diag.Unreadable}
	var a arena
	for _, entry := range diag.Entries {
		path, _ := escapeName(d.path(&a, entryName(entry)))
		if !contains(w.Paths, path) {
			w.Paths = append(w.Paths, path)
		}
	}
	w.Message = plural(w.Count, "path") + " could not be read: " + listSome(w.Paths, w.Count)
	if s.config.Unreadable == UnreadableFail {
		details := Details{Stderr: end.stderrText(), ExitCode: end.exit, Found: q.found()}
		return fail(Failed, details, nil, "%s%s", w.Message, said(details.Stderr))
	}
	report.Warnings = append(report.Warnings, w)
	return nil
}

// entryName takes the path out of "./locked: Permission denied (os error 13)".
func entryName(complaint string) string {
	name := complaint
	if i := strings.LastIndex(complaint, ": "); i > 0 {
		name = complaint[:i]
	}
	return strings.TrimPrefix(name, "./")
}

// maxShown is how many names a message lists.
const maxShown = 3

// listSome joins the first names and counts the rest of total.
func listSome(names []string, total int) string {
	shown := names[:min(len(names), maxShown)]
	text := strings.Join(shown, ", ")
	if rest := total - len(shown); rest > 0 && len(names) > maxShown {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}
