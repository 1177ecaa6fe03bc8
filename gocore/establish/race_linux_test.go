package establish

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Links are re-pointed while words are established: each answer is one that
// was true at some moment, never a mixture that never was.
func TestRacer(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, d := range []string{"/r/in", "/out", "/r/swap"} {
		require.NoError(t, os.MkdirAll(base+d, 0o755))
	}
	for _, f := range []string{"/r/in/f", "/out/f", "/r/swap/f"} {
		require.NoError(t, os.WriteFile(base+f, nil, 0o644))
	}
	require.NoError(t, os.Symlink("in", base+"/r/flip"))
	require.NoError(t, os.Symlink("../out", base+"/r/flop"))
	require.NoError(t, os.Symlink("../out", base+"/r/swaplink"))

	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Add(1)
	flips := 0
	go func() {
		defer done.Done()
		for {
			select {
			case <-stop:
				return
			default:
			}
			// Two names change places in one step, so there is never a
			// moment without either.
			for _, pair := range [][2]string{{"/r/flip", "/r/flop"}, {"/r/swap", "/r/swaplink"}} {
				if unix.Renameat2(unix.AT_FDCWD, base+pair[0], unix.AT_FDCWD, base+pair[1], unix.RENAME_EXCHANGE) != nil {
					return
				}
			}
			flips++
		}
	}()
	b := Boundary{ReadRoots: []string{base + "/r"}, Cwd: base + "/r"}
	in, out := base+"/r/in/f", base+"/out/f"
	allowed := map[int][]string{
		0: {in, out},
		1: {base + "/r/in/new", base + "/out/new"},
		2: {base + "/r/swap/f", base + "/r/swaplink/f", out},
	}
	rounds := oracleCount(t, "ESTABLISH_RACE_ROUNDS", 3000)
	p := simple(read("flip/f"), write("flip/new"), read("swap/f"), read("fl*/f"), read(".", grepR))
	e := hostEstablisher(t, b)
	for range rounds {
		got, err := e.Establish(context.Background(), p)
		require.NoError(t, err)
		for i, r := range got.Segments[0].Resolutions {
			for _, l := range r.Landings {
				switch {
				case i < 3:
					assert.Contains(t, allowed[i], l.Path)
				case i == 3 && !l.Listed:
					assert.Contains(t, []string{in, out, base + "/r/fl*/f"}, l.Path)
				case i == 4:
					assert.True(t, resolve.Under(l.Path, base+"/r"), "a walk that follows no links left its root: %s", l.Path)
				}
			}
			if r.State == Unestablishable {
				assert.Contains(t, []Reason{UnreadableDir, LinkUnreadable, SearchDenied}, r.Reason)
			}
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	done.Wait()
	if flips == 0 {
		t.Skip("this file system cannot exchange two names in one step: nothing was raced")
	}
	t.Logf("%d establishments against %d flips", rounds, flips)

	// Once it is quiet, a flip between the two looks is reported.
	before, err := e.Establish(context.Background(), p)
	require.NoError(t, err)
	require.NoError(t, unix.Renameat2(unix.AT_FDCWD, base+"/r/flip", unix.AT_FDCWD, base+"/r/flop", unix.RENAME_EXCHANGE))
	c, err := e.Reestablish(context.Background(), before)
	require.NoError(t, err)
	changed := map[int]bool{}
	for _, m := range c.Changed {
		changed[m.Now.Candidate] = true
	}
	assert.Equal(t, map[int]bool{0: true, 1: true}, changed)
}
