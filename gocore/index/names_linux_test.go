package index_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: names come in the order of their paths, which is not the order of their
// parts ("a.go" lies between "a" and what lies in it), and are those of now: after
// every kind of coming and going, and with the times of now where only those changed.
func TestNames(t *testing.T) {
	root, p := coretest.Tree(t, "a/x.go: 1", "a.go: 2", "a/b/y.go: 3", "a-b/z.go: 4", "a0: 5", ".git/HEAD: x", "c/d/e: 6"), newPair(t)
	require.Empty(t, made(t, p.set, root))
	at := map[string]int64{}
	names := func(dir string) (all []string) {
		t.Helper()
		every := func(path, base string) bool {
			assert.Regexp(t, "(^|/)"+base+"$", path)
			return true
		}
		_, reason := p.set.Names(root, dir, every, func(n search.IndexedName) bool {
			assert.True(t, n.Dated)
			all, at[n.Path] = append(all, n.Path), n.Sec
			return true
		})
		require.Empty(t, reason)
		return all
	}
	assert.Equal(t, []string{"a-b/z.go", "a.go", "a/b/y.go", "a/x.go", "a0", "c/d/e"}, names(root))
	assert.Equal(t, []string{"b/y.go", "x.go"}, names(root+"/a"))
	assert.Equal(t, []string{"y.go"}, names(root+"/a/b"))
	assert.Equal(t, []string{"d/e"}, names(root+"/c"))

	require.NoError(t, os.WriteFile(root+"/a/b/new", nil, 0o600))
	assert.Equal(t, []string{"b/new", "b/y.go", "x.go"}, names(root+"/a"))
	require.NoError(t, os.Remove(root+"/a/x.go"))
	assert.Equal(t, []string{"b/new", "b/y.go"}, names(root+"/a"))
	require.NoError(t, os.Rename(root+"/a/b", root+"/c/b"))
	assert.Equal(t, []string{"a-b/z.go", "a.go", "a0", "c/b/new", "c/b/y.go", "c/d/e"}, names(root))
	require.NoError(t, os.Mkdir(root+"/a/f", 0o700))
	assert.Empty(t, names(root+"/a/f"))
	require.NoError(t, os.RemoveAll(root+"/c"))
	assert.Equal(t, []string{"a-b/z.go", "a.go", "a0"}, names(root))

	long := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(t, os.Chtimes(root+"/a0", long, long))
	names(root)
	assert.Equal(t, long.Unix(), at["a0"])
}
