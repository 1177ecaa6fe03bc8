package search_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: a giant line is one match and costs bounded memory.
func TestGiantLine(t *testing.T) {
	root := coretest.Tree(t)
	line := strings.Repeat("x", 10_000_000) + "needle"
	write(t, root, map[string]string{"giant": line + "\n", "small": "needle\n"})
	g := grep(t, pinned(t), root, search.GrepRequest{Pattern: "needle"})
	require.Len(t, g.Matches, 2)
	assert.Equal(t, line, g.Matches[0].Line)
	assert.Equal(t, 10_000_000, g.Matches[0].Hit)
	assert.Equal(t, "small", g.Matches[1].Path)
	// Many hits in a long line make one event longer than the budget.
	write(t, root, map[string]string{"giant": strings.Repeat("needle ", 400_000)})
	e := grepError(t, pinned(t), root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, search.RawOutputOverflow, e.Code)
	g = grep(t, pinned(t, rawMax(100_000_000)), root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, 0, g.Matches[0].Hit)
	assert.Len(t, g.Matches[0].Line, 2_800_000)
}

// Rule: 100,000 matches are all there, and without the room for them the failure
// comes promptly and counts what was found.
func TestHundredThousandMatches(t *testing.T) {
	root := coretest.Tree(t)
	for i := range 10 {
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/f%d", root, i), []byte(strings.Repeat("a needle in a line\n", 10_000)), 0o600))
	}
	s := pinned(t, rawMax(100_000_000))
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle"})
	require.Len(t, g.Matches, 100_000)
	assert.Equal(t, search.Match{Path: "f9", LineNumber: 10_000, Line: "a needle in a line", Hit: 2}, g.Matches[99_999])
	assert.Equal(t, int64(10), g.Stats.Files)
	assert.Equal(t, int64(1_900_000), g.Stats.Bytes)
	start := time.Now()
	e := grepError(t, pinned(t, rawMax(1_000_000)), root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, search.RawOutputOverflow, e.Code)
	assert.Greater(t, e.Details.Found, 1000)
	assert.Less(t, e.Details.Found, 100_000)
	assert.Less(t, time.Since(start), 10*time.Second)
	page := grep(t, pinned(t, rawMax(1_000_000), cutShort(search.CutShortPage)), root, search.GrepRequest{Pattern: "needle"})
	assert.Greater(t, len(page.Matches), 1000)
	assert.Equal(t, "rawOutputMaxBytes", page.Incomplete.Reason)
	assert.Equal(t, "ripgrep's output exceeded 1000000 bytes (rawOutputMaxBytes); these are the results until then", page.Incomplete.Message)
}

// Rule: what is retained is the result, not a Go object for each event, and
// nothing of a search that failed.
func TestRetainedMemory(t *testing.T) {
	root := coretest.Tree(t)
	const text = "a line of some sixty bytes with one needle in the middle of it"
	require.NoError(t, os.WriteFile(root+"/f", []byte(strings.Repeat(text+"\n", 100_000)), 0o600))
	s := pinned(t, rawMax(100_000_000))
	debug.SetGCPercent(20)
	defer debug.SetGCPercent(100)
	live := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle"})
	held := live() - before
	require.Len(t, g.Matches, 100_000)
	assert.Less(t, held, int64(40<<20), "bytes held for %d bytes of text", 100_000*len(text))
	runtime.KeepAlive(g)
}

// A tree that changes while it is searched never breaks a search.
func TestTreeThatChanges(t *testing.T) {
	root := coretest.Tree(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			dir := fmt.Sprintf("%s/d%d", root, i%50)
			_ = os.MkdirAll(dir, 0o755)
			_ = os.WriteFile(dir+"/f", []byte("needle\n"), 0o600)
			_ = os.WriteFile(dir+"/.ignore", []byte("g\n"), 0o600)
			_ = os.Rename(dir+"/f", dir+"/g")
			_ = os.RemoveAll(fmt.Sprintf("%s/d%d", root, (i+25)%50))
		}
	}()
	s := pinned(t)
	for range 40 {
		for _, p := range glob(t, s, root, "*", "").Paths {
			assert.Regexp(t, `^d\d+/(f|g|\.ignore)$`, p)
		}
		for _, m := range grep(t, s, root, search.GrepRequest{Pattern: "needle", Include: "*"}).Matches {
			assert.Equal(t, "needle", m.Line)
		}
	}
	close(stop)
	<-done
}

// A searcher is used by many at once.
func TestConcurrentSearches(t *testing.T) {
	root := coretest.Tree(t, "a: needle", "b: needle", "c/d: needle")
	s := pinned(t)
	for i := range 16 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for range 10 {
				assert.Len(t, glob(t, s, root, "*", "").Paths, 3)
				assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: "needle", Include: "*"}).Matches, 3)
			}
		})
	}
}
