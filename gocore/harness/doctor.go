package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
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
		r.checkManifest(),
		r.checkSidecar(ctx),
		r.checkSearch(ctx),
		r.checkSpill(),
		r.checkProcesses(),
	}
	for _, root := range r.options.Config.Roots {
		checks = append(checks, checkRoot(root))
	}
	return checks
}

func (r *Runtime) checkManifest() Check {
	path := filepath.Join(filepath.Dir(r.options.RuntimePath), "manifest.json")
	if _, err := os.Stat(path); err != nil {
		return Check{"manifest", true, "none beside the runtime: a build outside a wheel, so that sizes and digests are not checked"}
	}
	return Check{"manifest", true, path}
}

func (r *Runtime) checkSidecar(ctx context.Context) Check {
	version, err := r.ripgrepVersion(ctx)
	if err != nil {
		return Check{"ripgrep", false, err.Error()}
	}
	digest, _ := ripgrep.SHA256(r.sidecar.Path())
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

func (r *Runtime) checkSpill() Check {
	root := r.options.Config.spillRoot(r.options.Environ)
	if r.storeErr != nil {
		return Check{"spill", false, fmt.Sprintf("results that do not fit cannot be saved: %v", r.storeErr)}
	}
	return Check{"spill", true, root}
}

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
	return Check{"processes", true, strings.TrimSpace(fmt.Sprintf("%s allowed", showLimit(limit.Cur)))}
}

func showLimit(n uint64) string {
	if n == unix.RLIM_INFINITY {
		return "any number"
	}
	return fmt.Sprint(n)
}

func checkRoot(root string) Check {
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return Check{"root", false, fmt.Sprintf("%s: %v", root, err)}
	case !info.IsDir():
		return Check{"root", false, root + " is not a directory"}
	}
	return Check{"root", true, root}
}
