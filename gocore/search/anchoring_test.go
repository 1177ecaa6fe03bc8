package search_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: a pattern or include with a slash is relative to the search root,
// wherever the process runs.
func TestPatternIsAnchoredAtTheSearchRoot(t *testing.T) {
	root := coretest.Tree(t, "src/c.ts: x", "sub/b.ts: x", "sub/src/a.ts: x", "other/")
	s := pinned(t)
	for name, tc := range map[string]struct {
		pattern, path string
		want          []string
	}{
		"at the workdir":                {"src/*.ts", "", []string{"src/c.ts"}},
		"at a relative path":            {"src/*.ts", "sub", []string{"sub/src/a.ts"}},
		"at a spelled path":             {"src/*.ts", "./sub", []string{"./sub/src/a.ts"}},
		"at a path with a slash":        {"src/*.ts", "sub/", []string{"sub/src/a.ts"}},
		"at an absolute path":           {"src/*.ts", root + "/sub", []string{"sub/src/a.ts"}},
		"not beneath it":                {"b.ts/*", "sub", []string{}},
		"a basename at any depth":       {"*.ts", "sub", []string{"sub/b.ts", "sub/src/a.ts"}},
		"a first slash is only here":    {"/*.ts", "sub", []string{"sub/b.ts"}},
		"at a path that goes up":        {"src/*.ts", "other/../sub", []string{"other/../sub/src/a.ts"}},
		"two stars are not an anchor":   {"**/src/*.ts", "", []string{"src/c.ts", "sub/src/a.ts"}},
		"not the directory's namesakes": {"src/**", "other", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, glob(t, s, root, tc.pattern, tc.path).Paths)
		})
	}
	t.Run("include", func(t *testing.T) {
		for include, want := range map[string][]string{
			"src/*.ts": {"sub/src/a.ts"}, "/src/*.ts": {"sub/src/a.ts"}, "*.ts": {"sub/b.ts", "sub/src/a.ts"},
			"./b.ts": {"sub/b.ts"}, "/b.ts": {"sub/b.ts"}, "sub/*.ts": {}, "/*.ts": {"sub/b.ts"},
		} {
			assert.Equal(t, want, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "sub", Include: include})), include)
			assert.Equal(t, want, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: root + "/sub", Include: include})), include)
		}
	})
}

// Rule: the process's own directory decides nothing, nor does standard input.
func TestRipgrepRunsInTheSearchRoot(t *testing.T) {
	root := coretest.Tree(t, "src/c.ts: needle", "a/b/src/x.ts: needle")
	elsewhere := coretest.Tree(t, "src/wrong.ts: needle")
	s := pinned(t)
	t.Chdir(elsewhere)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	stdin := os.Stdin
	os.Stdin = r
	t.Cleanup(func() { os.Stdin = stdin })
	assert.Equal(t, []string{"src/c.ts"}, glob(t, s, root, "src/*.ts", "").Paths)
	assert.Equal(t, []string{"a/b/src/x.ts"}, glob(t, s, root, "src/*.ts", "a/b").Paths)
	assert.Equal(t, []string{"src/c.ts"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Include: "src/*.ts"})))

	f, path := fake(t, coretest.Fake{Exit: 1})
	glob(t, f, root, "x", "a/b")
	seen, err := coretest.ReadSeen(path)
	require.NoError(t, err)
	assert.Equal(t, root+"/a/b", seen.Dir)
	assert.Equal(t, "/dev/null", seen.Stdin)
	assert.Equal(t, []string{"--", "."}, seen.Args[len(seen.Args)-2:])
	assert.Equal(t, "--no-config", seen.Args[0])

	grep(t, f, root, search.GrepRequest{Pattern: "x", Path: "src/c.ts"})
	seen, err = coretest.ReadSeen(path)
	require.NoError(t, err)
	assert.Equal(t, root+"/src", seen.Dir)
	assert.Equal(t, []string{"--", "./c.ts"}, seen.Args[len(seen.Args)-2:])
}

// Rule: a workdir that is empty or relative starts at the process's directory.
func TestWorkdirOfTheProcess(t *testing.T) {
	root := coretest.Tree(t, "ws/a.md: x", "ws/d/b.md: x")
	s := pinned(t)
	t.Chdir(root + "/ws")
	assert.Equal(t, []string{"a.md", "d/b.md"}, glob(t, s, "", "*.md", "").Paths)
	assert.Equal(t, []string{"b.md"}, glob(t, s, "d", "*.md", "").Paths)
	assert.Equal(t, []string{"d/b.md"}, glob(t, s, "", "*.md", "d").Paths)
	assert.Equal(t, []string{"d/b.md"}, glob(t, s, "../ws", "*.md", root+"/ws/d").Paths)
}
