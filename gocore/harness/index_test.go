package harness

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: an index is kept where the configuration says so, is told of by everything
// that describes a runtime, and is gone when the runtime is closed.
func TestIndexOfARuntime(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("an index needs Linux")
	}
	config := DefaultConfig(true)
	off, err := Open(Options{RuntimePath: coretest.Runtime(t), Config: config})
	require.NoError(t, err)
	config.Index = IndexOn
	on, err := Open(Options{RuntimePath: coretest.Runtime(t), Config: config})
	require.NoError(t, err)
	dir := coretest.Tree(t, "a.go: needle", "b.go: hay", "c.go: hay", "d/e.go: hay")
	use := func(r *Runtime) *search.IndexUse {
		result, err := r.Grep(context.Background(), dir, search.GrepRequest{Pattern: "needle"})
		require.NoError(t, err)
		require.Len(t, result.Matches, 1)
		return result.Stats.Index
	}
	assert.Nil(t, use(off))
	assert.Nil(t, off.Info(context.Background()).Index)
	assert.Equal(t, &search.IndexUse{Used: search.UsedNot, Reason: "off"}, use(on), "the first search pays nothing")
	assert.Equal(t, &IndexInfo{Roots: on.Indexes().Roots, LastPlain: "off"}, on.Info(context.Background()).Index)
	for now := use(on); now.Used == search.UsedNot; now = use(on) {
		require.Contains(t, []string{"building", "ignore-changed"}, now.Reason)
	}
	assert.Equal(t, &search.IndexUse{Used: search.UsedBarrier, Files: 4, Candidates: 1}, use(on))
	require.NoError(t, os.WriteFile(dir+"/d/e.go", []byte("pin"), 0o644))
	result, err := on.Grep(context.Background(), dir, search.GrepRequest{Pattern: "pin"})
	require.NoError(t, err)
	assert.Len(t, result.Matches, 1, "what was written before the call is in the answer")

	info := on.Info(context.Background()).Index
	require.Len(t, info.Roots, 1)
	assert.Equal(t, dir, info.Roots[0].Root)
	assert.Equal(t, 4, info.Roots[0].Walked)
	assert.Equal(t, 2, info.Roots[0].Watches)
	checks := on.checkIndex()
	require.Len(t, checks, 1)
	assert.Regexp(t, "^"+dir+": ready, 4 files .4 searched, [01] changed., 2 directories watched, [0-9]+ bytes of texts", checks[0].Detail)
	assert.Empty(t, off.checkIndex())

	on.Close()
	assert.Equal(t, "off", use(on).Reason, "calls go on, as without an index")
	on.Close()
	off.Close()
}
