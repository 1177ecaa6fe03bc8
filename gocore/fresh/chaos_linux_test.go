package fresh_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
)

// scribe is the writer's process.
type scribe struct {
	t   *testing.T
	in  *bufio.Writer
	out *bufio.Scanner
}

func startWriter(t *testing.T, seed uint64, root, aside, alias string) *scribe {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d:%s:%s:%s", writerVariable, seed, root, aside, alias))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		assert.NoError(t, cmd.Wait())
	})
	return &scribe{t, bufio.NewWriter(in), bufio.NewScanner(out)}
}

// do writes in one way, and returns when it is done.
func (s *scribe) do(kind string) string {
	s.in.WriteString(kind + "\n")
	s.in.Flush()
	require.True(s.t, s.out.Scan(), "the writer lives")
	return s.out.Text()
}

// Rule: whatever another process did before a barrier is known behind it.
func TestNothingIsMissed(t *testing.T) {
	chaos(t, 1, false)
}

// Rule: it is known, too, when it was done through another mount of the tree.
func TestNothingIsMissedThroughAnotherMount(t *testing.T) {
	chaos(t, 2, true)
}

func chaos(t *testing.T, seed uint64, bind bool) {
	base := scratch(t)
	root, aside, alias := base+"/tree", base+"/aside", ""
	require.NoError(t, os.Mkdir(root, 0o755))
	require.NoError(t, os.Mkdir(aside, 0o755))
	if bind {
		alias = base + "/alias"
		require.NoError(t, os.Mkdir(alias, 0o755))
		if err := unix.Mount(root, alias, "", unix.MS_BIND, ""); err != nil {
			t.Skip("a bind mount cannot be made here:", err)
		}
		t.Cleanup(func() { assert.NoError(t, unix.Unmount(alias, unix.MNT_DETACH)) })
	}
	writer := startWriter(t, seed, root, aside, alias)
	tree := watch(t, root)
	random := rand.New(rand.NewPCG(seed, 3))
	done := map[string]int{}
	for i := range often(800) {
		kind := writer.do("")
		done[kind]++
		require.Empty(t, tree.Barrier())
		wrong := misses(tree, root)
		require.Empty(t, wrong, "operation %d, %s", i, kind)
		if random.IntN(3) == 0 {
			absorb(tree, root)
		}
	}
	assert.Len(t, done, len(kinds), "every kind was tried: %v", done)
	t.Logf("%v", done)
}

// Rule: an event for every change is enough, however the tree moves meanwhile: in
// the end, when nobody writes any more, nothing is missed.
func TestBarriersUnderContinuousWriters(t *testing.T) {
	base := scratch(t)
	root, aside := base+"/tree", base+"/aside"
	require.NoError(t, os.Mkdir(root, 0o755))
	require.NoError(t, os.Mkdir(aside, 0o755))
	tree := watch(t, root)
	for round := range often(40) {
		stop := make(chan struct{})
		stopped := make(chan struct{})
		writer := startWriter(t, uint64(round), root, aside, "")
		go func() {
			defer close(stopped)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				writer.in.WriteString([]string{"mkdir-p", "mvdir", "exchange", "out-and-in", "write", "replace", "cp-r", "rm-r"}[i%8] + "\n")
				writer.in.Flush()
				if !writer.out.Scan() {
					return
				}
			}
		}()
		for range 50 {
			if lost := tree.Barrier(); lost != "" {
				require.Equal(t, fresh.Mounts, lost, "too much moved at once")
				tree.Close()
				tree = watch(t, root)
			}
			absorb(tree, root)
		}
		close(stop)
		<-stopped
		if lost := tree.Barrier(); lost != "" {
			tree.Close()
			tree = watch(t, root)
		}
		require.Empty(t, misses(tree, root), "round %d", round)
	}
}

// Rule: events are read when nobody asks, so that the queue stays short.
func TestTheReaderKeepsTheQueueShort(t *testing.T) {
	root := scratch(t)
	tree := watch(t, root)
	require.NoError(t, os.WriteFile(root+"/f", nil, 0o644))
	for n := 0; n == 0; runtime.Gosched() {
		tree.Lock()
		n = tree.Len()
		tree.Unlock()
	}
}

// Rule: a queue that overflowed is no barrier.
func TestOverflow(t *testing.T) {
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	require.NoError(t, err)
	most, err := strconv.Atoi(strings.TrimSpace(string(limit)))
	require.NoError(t, err)
	root := scratch(t)
	tree := watch(t, root)
	tree.Lock()                 // so that the reader has to wait
	for i := range most/3 + 1 { // each sends three events
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/%d", root, i), []byte("x"), 0o644))
	}
	tree.Unlock()
	assert.Equal(t, fresh.Overflow, tree.Barrier())
	assert.Equal(t, fresh.Overflow, tree.Barrier(), "it stays so")
}
