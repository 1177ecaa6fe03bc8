package search_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// Rule: an answer of nothing at all is ripgrep's, or none. Whoever named the
// program is told to name another.
func TestSidecarThatIsNotRipgrep(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	for name, tc := range map[string]struct {
		fake coretest.Fake
		said string
	}{
		"does nothing":           {coretest.Fake{}, `""`},
		"fails":                  {coretest.Fake{Exit: 1}, `""`},
		"knows no such flag":     {coretest.Fake{Exit: 1, Stderr: "cat: unrecognized option '--null'\n"}, `""`},
		"is another":             {coretest.Fake{Exit: 1, Version: "grep (GNU grep) 3.8\nCopyright"}, `"grep (GNU grep) 3.8"`},
		"has no version":         {coretest.Fake{Exit: 1, Version: "ripgrep"}, `"ripgrep"`},
		"is named after it":      {coretest.Fake{Exit: 1, Version: "ripgrep-all 0.10"}, `"ripgrep-all 0.10"`},
		"is ripgrep, an old one": {coretest.Fake{Exit: 1, Version: "ripgrep 13.0.0"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "program")
			require.NoError(t, tc.fake.Install(path))
			s := with(t, ripgrep.At(path))
			if tc.said == "" {
				assert.Empty(t, glob(t, s, root, "*", "").Paths)
				assert.Empty(t, grep(t, s, root, search.GrepRequest{Pattern: "x"}).Matches)
				return
			}
			for _, e := range both(t, s, root) {
				assert.Equal(t, search.Failed, e.Code)
				assert.Equal(t, "the ripgrep sidecar "+path+" is not ripgrep (asked for its version, it says "+tc.said+"): correct the path that names it (--ripgrep)", e.Message)
				assert.Equal(t, search.Details{Reason: "not-ripgrep", Sidecar: path}, e.Details)
			}
		})
	}
}

// Rule: it is asked for its version once, and only when it found nothing and did
// not come with a package.
func TestSidecarIsAskedOnce(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	nothing := func(t *testing.T, s *search.Searcher) { assert.Empty(t, glob(t, s, root, "*.none", "").Paths) }
	lines := func(pattern string) func(*testing.T, *search.Searcher) {
		return func(t *testing.T, s *search.Searcher) { grep(t, s, root, search.GrepRequest{Pattern: pattern}) }
	}
	for name, tc := range map[string]struct {
		name  string
		calls []func(*testing.T, *search.Searcher)
		asked int
	}{
		"another":                      {"rg", []func(*testing.T, *search.Searcher){nothing, nothing}, 1},
		"another, a summary proves it": {"rg", []func(*testing.T, *search.Searcher){lines("none"), lines("x"), nothing}, 0},
		"packaged":                     {"runtime-rg", []func(*testing.T, *search.Searcher){nothing, nothing}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tc.name)
			require.NoError(t, os.Symlink(coretest.Ripgrep(t), path))
			asked := 0
			counting := runnerFunc(func(ctx context.Context, spec subprocess.Spec) (subprocess.Outcome, error) {
				if slices.Contains(spec.Args, "--version") {
					asked++
				}
				return runner().Run(ctx, spec)
			})
			s := search.New(ripgrep.At(path), counting, search.DefaultConfig(), environment(t))
			for _, call := range tc.calls {
				call(t, s)
			}
			assert.Equal(t, tc.asked, asked)
		})
	}
}

// A sidecar that is asked for its version may end in the dark, or the call may.
func TestSidecarThatDoesNotTellItsVersion(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	rg := filepath.Join(t.TempDir(), "rg")
	require.NoError(t, os.Symlink(coretest.Ripgrep(t), rg))
	for name, tc := range map[string]struct {
		outcome subprocess.Outcome
		err     error
		message string
	}{
		"not started": {subprocess.Outcome{}, unix.EAGAIN, "the system has no room for another process"},
		"killed":      {subprocess.Outcome{Signal: unix.SIGKILL}, nil, `is not ripgrep (asked for its version, it says "ripgrep 15.0.0")`},
		"failed":      {subprocess.Outcome{ExitCode: 1}, nil, "is not ripgrep"},
		"lost":        {subprocess.Outcome{ExitCode: -1, Lost: errEnough}, nil, "is not ripgrep"},
		"timed out":   {subprocess.Outcome{Cause: context.DeadlineExceeded}, nil, "is not ripgrep"},
	} {
		t.Run(name, func(t *testing.T) {
			s := search.New(ripgrep.At(rg), runnerFunc(func(_ context.Context, spec subprocess.Spec) (subprocess.Outcome, error) {
				if !slices.Contains(spec.Args, "--version") {
					return subprocess.Outcome{ExitCode: 1}, nil
				}
				if tc.err != nil {
					return tc.outcome, &subprocess.StartError{Path: spec.Path, Err: tc.err}
				}
				_, err := spec.Stdout.Write([]byte("ripgrep 15.0.0\n"))
				return tc.outcome, err
			}), search.DefaultConfig(), nil)
			for _, e := range both(t, s, root) {
				assert.Equal(t, search.Failed, e.Code)
				assert.Contains(t, e.Message, tc.message)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := search.New(ripgrep.At(rg), runnerFunc(func(_ context.Context, spec subprocess.Spec) (subprocess.Outcome, error) {
			if slices.Contains(spec.Args, "--version") {
				cancel()
				return subprocess.Outcome{Cause: context.Canceled}, nil
			}
			return subprocess.Outcome{ExitCode: 1}, nil
		}), search.DefaultConfig(), nil)
		_, err := s.Glob(ctx, root, search.GlobRequest{Pattern: "*"})
		assert.Equal(t, search.Aborted, failure(t, err).Code)
	})
}
