package execenvtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

func TestTreeResolvesLikeAKernel(t *testing.T) {
	ctx := context.Background()
	tree := New().File("/r/a").Dir("/r/d/e").Link("/r/l", "d/e").Link("/r/dang", "none").
		Link("/r/loop", "loop").Link("/r/abs", "/r/d/").Dir("/r/shut/x").NoSearch("/r/shut").NoRead("/r/shut").
		Chain("/c", "l", 40, "/r/a").Chain("/c", "m", 41, "/r/a")
	for path, want := range map[string]any{
		"/": "/", "/r//./a": "/r/a", "/r/l/..": "/r/d", "/..": "/", "/r/abs/e": "/r/d/e",
		"/r/a/": execenv.NotDir, "/r/a/..": execenv.NotDir, "/r/no": execenv.NotExist,
		"/r/dang": execenv.NotExist, "/r/loop": execenv.Loop, "/r/shut/x": execenv.Denied,
		"/c/l00": "/r/a", "/c/m00": execenv.Loop, "r": execenv.NoAnswer,
	} {
		got, err := tree.CanonicalPath(ctx, path)
		if p, ok := want.(execenv.Problem); ok {
			assert.ErrorIs(t, err, &execenv.Error{Problem: p}, path)
			continue
		}
		assert.NoError(t, err, path)
		assert.Equal(t, want, got, path)
	}
	_, err := tree.ListDir(ctx, "/r/shut", 10)
	assert.ErrorIs(t, err, &execenv.Error{Problem: execenv.Denied})
	_, err = tree.ListDir(ctx, "/r/l", 10)
	assert.ErrorIs(t, err, &execenv.Error{Problem: execenv.Loop}, "a link is not followed")
	k, err := tree.Lstat(ctx, "/r/l")
	assert.NoError(t, err)
	assert.Equal(t, execenv.Link, k)
	list, err := tree.ListDir(ctx, "/r", 2)
	assert.NoError(t, err)
	assert.Len(t, list, 3, "one more than asked for")
}

func TestFailuresAreOneAtATime(t *testing.T) {
	ctx := context.Background()
	tree := New().File("/a").Fail("lstat", "/a", 2, execenv.Denied)
	_, err := tree.Lstat(ctx, "/a")
	assert.NoError(t, err)
	_, err = tree.Lstat(ctx, "/a")
	assert.ErrorIs(t, err, &execenv.Error{Problem: execenv.Denied})
	_, err = tree.Lstat(ctx, "/a")
	assert.NoError(t, err)
	assert.Equal(t, map[string]int{"lstat": 3}, tree.Count())
	tree.Reset()
	assert.Empty(t, tree.Calls())
}
