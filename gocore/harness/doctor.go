package harness

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/bundle"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/supervise"
)

// Check is one finding of Doctor.
type Check struct {
	// Name says what was looked at.
	Name string `json:"name"`
	// OK is false when something would fail.
	OK bool `json:"ok"`
	// Detail says what was found, or what would fail and what to do.
	Detail string `json:"detail"`
}

// Doctor looks at everything that a search needs, and says what it found.
func (r *Runtime) Doctor(ctx context.Context) []Check {
	checks := []Check{
		{"runtime", true, fmt.Sprintf("%s, version %s, %s/%s", r.options.RuntimePath, r.options.Version, runtime.GOOS, runtime.GOARCH)},
		r.bounded(ctx, "manifest", r.checkManifest),
		checkOverride(os.Getenv(override), r.options.RuntimePath),
		r.bounded(ctx, "ripgrep", r.checkSidecar),
		r.bounded(ctx, "search", r.checkSearch),
		r.checkSpill(ctx),
		r.checkProcesses(),
	}
	for _, root := range r.options.Config.Roots {
		checks = append(checks, r.checkRoot(ctx, root))
	}
	return append(append(checks, r.checkIndex()...), r.checkLost())
}

// examineTime is how long one examination may take: it reads and starts ripgrep at
// most.
const examineTime = 10 * time.Second

// bounded is an examination that is left when a file system does not answer.
func (r *Runtime) bounded(ctx context.Context, name string, examine func(context.Context) Check) Check {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	check, err := supervise.Run(ctx, &r.pool, supervise.Within(0), func() (Check, error) { return examine(ctx), nil })
	if err != nil {
		return Check{name, false, fmt.Sprintf("the file system did not answer within %s: bring it back, or unmount it (umount -l)", examineTime)}
	}
	return check
}

// override is the variable by which Python's clients are given another runtime.
const override = "HYDRA_HARNESS_RUNTIME"

// checkOverride says what the variable does: who has forgotten it looks here.
func checkOverride(named, running string) Check {
	switch named {
	case "":
		return Check{"override", true, override + " is not set"}
	case running:
		return Check{"override", true, override + " chooses this runtime for the clients in Python; nothing is known of it beyond the manifest beside it, and the gate's console script never uses it"}
	}
	return Check{"override", true, fmt.Sprintf("%s is %q: the clients in Python use that one, not this; the gate's console script never does", override, named)}
}

// checkManifest holds the runtime itself against the manifest. The sidecar is
// held against it whenever it is used.
func (r *Runtime) checkManifest(context.Context) Check {
	bad := func(format string, args ...any) Check {
		return Check{"manifest", false, fmt.Sprintf(format, args...) + ": reinstall the package"}
	}
	m, err := bundle.Beside(r.options.RuntimePath)
	switch {
	case err != nil:
		return bad("%v", err)
	case m == nil:
		return Check{"manifest", true, "none beside the runtime: a build outside a wheel, so that sizes and digests are not checked"}
	case m.Version != r.options.Version:
		return bad("%s is of version %s, the runtime of version %s", m.Path, m.Version, r.options.Version)
	}
	file, err := m.File(r.options.RuntimePath)
	if err != nil {
		return bad("%v", err)
	}
	switch digest, err := bundle.SHA256(r.options.RuntimePath); {
	case err != nil:
		return bad("the runtime cannot be read (%v)", err)
	case digest != file.SHA256:
		return bad("%s is not the one this package was built with (sha256 %.12s..., expected %.12s...)", r.options.RuntimePath, digest, file.SHA256)
	}
	return Check{"manifest", true, m.Path + ": the runtime is as it was built"}
}

func (r *Runtime) checkSidecar(ctx context.Context) Check {
	version, err := r.ripgrepVersion(ctx)
	if err != nil {
		return Check{"ripgrep", false, err.Error()}
	}
	digest, _ := bundle.SHA256(r.sidecar.Path())
	return Check{"ripgrep", true, fmt.Sprintf("%s, version %s, sha256 %s", r.sidecar.Path(), version, digest)}
}

// checkSearch makes a tree of one file and finds it: the whole way that a call
// takes.
func (r *Runtime) checkSearch(ctx context.Context) Check {
	const name = "search"
	dir, err := os.MkdirTemp("", "hydra-doctor-")
	if err != nil {
		return Check{name, false, fmt.Sprintf("no temporary directory can be made (%v): set TMPDIR to one that can be written", err)}
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "probe.txt"), []byte("needle\n"), 0o600); err != nil {
		return Check{name, false, fmt.Sprintf("no temporary file can be written (%v): set TMPDIR to a directory with room", err)}
	}
	result, err := r.Grep(ctx, dir, search.GrepRequest{Pattern: "needle"})
	switch {
	case err != nil:
		return Check{name, false, err.Error()}
	case len(result.Matches) != 1:
		return Check{name, false, fmt.Sprintf("a search for one line found %d", len(result.Matches))}
	}
	return Check{name, true, fmt.Sprintf("a grep of one file took %.1f ms", result.Stats.Ms)}
}

func (r *Runtime) checkSpill(ctx context.Context) Check {
	if err := r.lookAtSpill(ctx, lookTime); err != nil {
		return Check{"spill", false, fmt.Sprintf("results that do not fit cannot be saved: %v", err)}
	}
	return Check{"spill", true, r.store.Root()}
}

// lookAtSpill looks at the folder of saved results, for a bounded time.
func (r *Runtime) lookAtSpill(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := supervise.Run(ctx, &r.pool, supervise.Within(0), func() (struct{}, error) { return struct{}{}, r.store.Check() })
	return err
}

// firstLook is how long the look at the start may take, which only warns.
const firstLook = 200 * time.Millisecond

// lookTime is how long one look at a file system may take before doctor says
// that it does not answer.
const lookTime = 2 * time.Second

// fewProcesses is a limit at which ripgrep's threads and a busy machine collide.
const fewProcesses = 64

func (r *Runtime) checkProcesses() Check {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &limit); err != nil {
		return Check{"processes", true, "the limit cannot be read: " + err.Error()}
	}
	if limit.Cur < fewProcesses && os.Geteuid() != 0 {
		return Check{"processes", false, fmt.Sprintf("only %d processes and threads are allowed: raise the limit (ulimit -u)", limit.Cur)}
	}
	return Check{"processes", true, "this user may have " + showLimit(limit.Cur) + " processes and threads (ulimit -u)"}
}

// checkLost tells of file systems that do not answer: what was looked at in
// this process, this examination included.
func (r *Runtime) checkLost() Check {
	lost := r.pool.Lost()
	return Check{"file systems", lost == 0, fmt.Sprintf("%d looks at file systems have not come back (at %d new calls are refused)", lost, supervise.MaxLost)}
}

func showLimit(n uint64) string {
	if n == unix.RLIM_INFINITY {
		return "any number"
	}
	return fmt.Sprint(n)
}

func (r *Runtime) checkRoot(ctx context.Context, root string) Check {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	info, err := supervise.Run(ctx, &r.pool, supervise.Within(0), func() (fs.FileInfo, error) { return os.Stat(root) })
	switch {
	case err != nil:
		return Check{"root", false, fmt.Sprintf("%v: make it, or take it out of roots", err)}
	case !info.IsDir():
		return Check{"root", false, root + " is not a directory: take it out of roots"}
	}
	return Check{"root", true, root}
}
