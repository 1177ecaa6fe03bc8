package search_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: a sidecar that cannot get threads is spotted and run once more with one.
func TestThreadExhaustion(t *testing.T) {
	root := coretest.Tree(t, "a: x", "b: x")
	panicked := "\nthread 'main' panicked at /rustc/x/library/std/src/thread/mod.rs:729:29:\nfailed to spawn thread: Os { code: 11, kind: WouldBlock, message: \"Resource temporarily unavailable\" }\n"
	for name, first := range map[string]coretest.Fake{
		"it hangs": {Stdout: hit("./a", 1, "x"), Stderr: panicked, Sleep: 600},
		"it dies":  {Stdout: hit("./a", 1, "x"), Stderr: panicked, Exit: 101},
		"deaf":     {Stderr: panicked, Sleep: 600, IgnoreTerm: true},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, time.Minute, func() {
				stand := first
				stand.Retry = &coretest.Fake{Stdout: hit("./a", 1, "x") + hit("./b", 1, "x") + summary}
				s, path := fake(t, stand, grace(50*time.Millisecond))
				g := grep(t, s, root, search.GrepRequest{Pattern: "x", Include: "*"})
				assert.Equal(t, []string{"a:1:x", "b:1:x"}, lines(g), "what the first run found is not counted twice")
				assert.Equal(t, 1, g.Stats.Threads)
				seen, err := coretest.ReadSeen(path)
				require.NoError(t, err)
				assert.Contains(t, seen.Args, "--threads=1")
				assert.Equal(t, "*\n!*/\n!*\n.*[!.]\n", seen.Extra, "the include is told again")

				stand = first
				stand.Retry = &coretest.Fake{Stdout: list("a", "b")}
				s, _ = fake(t, stand, grace(50*time.Millisecond))
				assert.Equal(t, []string{"a", "b"}, glob(t, s, root, "*", "").Paths)
			})
		})
	}
	t.Run("not even one", func(t *testing.T) {
		s, _ := fake(t, coretest.Fake{Stderr: panicked, Sleep: 600}, grace(50*time.Millisecond))
		for _, e := range both(t, s, root) {
			assert.Equal(t, search.Failed, e.Code)
			assert.Equal(t, "ripgrep could not start even one thread; raise the limit on processes (ulimit -u) and search again", e.Message)
		}
	})
}

// The real thing, with a limit on processes that lets it have no thread.
func TestThreadExhaustionOfRipgrep(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("on one processor ripgrep starts no thread")
	}
	if !coretest.AsNobody(t) {
		return
	}
	bash := "/bin/bash"
	if _, err := os.Stat(bash); err != nil {
		t.Skip("there is no bash, whose ulimit sets the limit")
	}
	root := coretest.Tree(t, "a: x", "b: x", "d/c: x")
	path := filepath.Join(t.TempDir(), "rt-rg")
	require.NoError(t, os.WriteFile(path, []byte("#!"+bash+"\nulimit -u 1\nexec "+coretest.Ripgrep(t)+` "$@"`+"\n"), 0o755))
	s := with(t, ripgrep.At(path))
	within(t, time.Minute, func() {
		g := grep(t, s, root, search.GrepRequest{Pattern: "x"})
		assert.Equal(t, []string{"a:1:x", "b:1:x", "d/c:1:x"}, lines(g))
		assert.Equal(t, 1, g.Stats.Threads)
		assert.Equal(t, []string{"a", "b", "d/c"}, glob(t, s, root, "*", "").Paths)
	})
}

// Rule: no zombies and no leaked descriptors after a thousand cancelled calls.
func TestCancelledCallsLeaveNothing(t *testing.T) {
	root := coretest.Tree(t, "a: x", "b: x")
	s := pinned(t)
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(entries)
	}
	grep(t, s, root, search.GrepRequest{Pattern: "x", Include: "*"})
	before := count()
	for i := range 1000 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%20)*200*time.Microsecond)
		_, err := s.Grep(ctx, root, search.GrepRequest{Pattern: "x", Include: "*"})
		if err != nil {
			require.Equal(t, search.Aborted, failure(t, err).Code)
		}
		cancel()
	}
	assert.LessOrEqual(t, count(), before+2)
	children, err := os.ReadFile("/proc/self/task/" + decimal(int64(os.Getpid())) + "/children")
	if err != nil {
		t.Skip("the kernel does not list children")
	}
	assert.Empty(t, strings.TrimSpace(string(children)))
}
