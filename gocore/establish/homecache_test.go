package establish

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// What homeCache answers is what a walk from the root answers.
func TestPathsBelowAHomeLeadWhereAWalkFromTheRootDoes(t *testing.T) {
	root := coretest.Tree(t, "h/.ssh/id: k", "h/.config/gh/hosts: x", "other/aws/c: x", "file: f",
		"h/.aws -> ../other/aws", "h/.kube -> ../none/kube", "h/.loop -> .loop", "h/.far -> "+"/nowhere/at/all",
		"view -> h", "h/.file: f")
	b := Boundary{Home: root + "/h", HomeViews: []string{root + "/view", root + "/gone", root + "/file", root + "/h/"}}
	run := newRun(context.Background(), execenv.Host{}, &b, defaultBounds)
	below, err := newHomeCache(run)
	require.NoError(t, err)
	for _, home := range append(b.homes(), root, "/", root+"/other") {
		for _, rest := range []string{
			"", "/", "/.ssh", "/.ssh/id", "/.ssh/no", "/.config/gh", "/.config/no/a", "/.config/no/b", "/.config/no", "/.aws", "/.aws/c",
			"/.aws/no/x", "/.aws/no/y/z", "/.kube", "/.kube/config", "/.kube/cache/x", "/.loop", "/.loop/x", "/.far", "/.far/x", "/.far/x/y",
			"/none", "/none/a/b", "/none/a/c", "/none/../.ssh/id", "/none/./x", "/none//x", "/.file", "/.file/x", "/../other", "/none/a/",
		} {
			got, err := below.resolve(home + rest)
			require.NoError(t, err)
			want, err := run.resolve(&resolve.RootDir, home+rest, resolve.Options{Follow: true, Reads: true})
			require.NoError(t, err)
			assert.Equal(t, []any{want.State, want.Reason, want.Path, want.Tail}, []any{got.State, got.Reason, got.Path, got.Tail}, home+rest)
		}
	}
}

func TestWhatDoesNotExistBelowAHomeIsAskedForOnce(t *testing.T) {
	w := execenvtest.New().Dir("/home/kim")
	b := Boundary{Home: "/home/kim", DenyPaths: []string{"/home/kim/.config/a", "/home/kim/.config/b", "/home/kim/.config/c/d"}}
	below, err := newHomeCache(newRun(context.Background(), w, &b, defaultBounds))
	require.NoError(t, err)
	for _, path := range b.DenyPaths {
		p, err := below.resolve(path)
		require.NoError(t, err)
		assert.Equal(t, []any{AbsentTail, path}, []any{p.State, p.Path})
	}
	assert.Equal(t, map[string]int{"canonical": 1, "lstat": 1}, w.Count(), "the home, and the first below what does not exist")
}
