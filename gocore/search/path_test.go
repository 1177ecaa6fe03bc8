package search_test

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: glob takes a directory, grep a file or a directory, nothing else, and
// what cannot be searched is named at once.
func TestKindsOfPath(t *testing.T) {
	root := coretest.Tree(t, "d/a: x", "file: x", "p |", "lf -> file", "ld -> d", "lp -> p", "dangling -> nope", "loop -> loop", "-: x", "dash/-f: x")
	listener, err := net.Listen("unix", root+"/sock")
	require.NoError(t, err)
	defer listener.Close()
	s := pinned(t)
	grepFailures := map[string]string{
		"p":          `path "p" is a FIFO; only files and directories can be searched`,
		"lp":         `path "lp" is a FIFO; only files and directories can be searched`,
		"sock":       `path "sock" is a socket; only files and directories can be searched`,
		"/dev/null":  `path "/dev/null" is a device; only files and directories can be searched`,
		"nope":       `path "nope" does not exist`,
		"dangling":   `path "dangling" does not exist`,
		"loop":       `path "loop" cannot be resolved: too many symbolic links`,
		"file/":      `path "file/" does not exist: a part of it is a file, not a directory`,
		"file/x":     `path "file/x" does not exist: a part of it is a file, not a directory`,
		"~/x":        `path "~/x" does not exist; "~" is not expanded here, write the home directory out`,
		"nope/../d":  `path "nope/../d" does not exist`,
		"/nope/here": `path "/nope/here" does not exist`,
	}
	within(t, time.Minute, func() {
		for path, message := range grepFailures {
			e := grepError(t, s, root, search.GrepRequest{Pattern: "x", Path: path})
			assert.Equal(t, search.Failed, e.Code)
			assert.Equal(t, message, e.Message)
			assert.Equal(t, path, e.Details.Path)
			e = globError(t, s, root, "*", path)
			assert.Equal(t, search.Failed, e.Code)
			assert.Equal(t, message, e.Message)
		}
		for _, path := range []string{"file", "lf", "-"} {
			e := globError(t, s, root, "*", path)
			assert.Equal(t, search.Failed, e.Code)
			assert.Contains(t, e.Message, "is not a directory")
			assert.Equal(t, []string{path + ":1:x"}, lines(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: path})))
		}
	})
	assert.Equal(t, []string{"d/a:1:x"}, lines(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "d"})))
	assert.Equal(t, []string{"ld/a:1:x"}, lines(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "ld"})))
	assert.Equal(t, []string{"dash/-f:1:x"}, lines(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "dash/-f"})))
	assert.Equal(t, []string{"ld/a"}, glob(t, s, root, "*", "ld").Paths)
}

// Rule: a missing workdir is SEARCH_FAILED naming it.
func TestKindsOfWorkdir(t *testing.T) {
	root := coretest.Tree(t, "file: x", "d/")
	s := pinned(t)
	for workdir, message := range map[string]string{
		root + "/nope":   `the working directory "` + root + `/nope" does not exist`,
		root + "/file":   `the working directory "` + root + `/file" is not a directory`,
		root + "/file/x": `the working directory "` + root + `/file/x" does not exist: a part of it is a file, not a directory`,
	} {
		for _, path := range []string{"", "d", root} {
			e := globError(t, s, workdir, "*", path)
			assert.Equal(t, search.Failed, e.Code)
			assert.Equal(t, message, e.Message)
			e = grepError(t, s, workdir, search.GrepRequest{Pattern: "x", Path: path})
			assert.Equal(t, message, e.Message)
		}
	}
}

// Rule: a relative path keeps its spelling, an absolute one is shortened when it
// lies inside the workdir, and root is the call's path by the same rule.
func TestDisplay(t *testing.T) {
	root := coretest.Tree(t, "ws/src/a: x", "ws/..foo/a: x", "ws-2/a: x", "out/a: x", "out/deep/a: x", "ws/lo -> ../out/deep", "wl -> ws")
	ws := root + "/ws"
	s := pinned(t)
	for name, tc := range map[string]struct{ workdir, path, root, file string }{
		"none":                       {ws, "", ".", "src/a"},
		"a dot":                      {ws, ".", ".", "./src/a"},
		"dot slash":                  {ws, "./", "./", "./src/a"},
		"relative":                   {ws, "src", "src", "src/a"},
		"relative, spelled":          {ws, "./src", "./src", "./src/a"},
		"a slash at the end":         {ws, "src/", "src/", "src/a"},
		"slashes at the end":         {ws, "src//", "src//", "src//a"},
		"up and down":                {ws, "../ws/src", "../ws/src", "../ws/src/a"},
		"upwards":                    {ws, "../out", "../out", "../out/a"},
		"absolute inside":            {ws, ws + "/src", "src", "src/a"},
		"absolute with a slash":      {ws, ws + "/src/", "src", "src/a"},
		"absolute with slashes":      {ws, root + "//ws//src", "src", "src/a"},
		"absolute with dots":         {ws, ws + "/src/../src/.", "src", "src/a"},
		"the workdir":                {ws, ws, ".", "src/a"},
		"the workdir with a slash":   {ws, ws + "/", ".", "src/a"},
		"a name that begins in dots": {ws, ws + "/..foo", "..foo", "..foo/a"},
		"a sibling with its prefix":  {ws, root + "/ws-2", root + "/ws-2", root + "/ws-2/a"},
		"absolute outside":           {ws, root + "/out", root + "/out", root + "/out/a"},
		"a link inside leads out":    {ws, ws + "/lo", "lo", "lo/a"},
		"behind a link is outside":   {ws, ws + "/lo/..", ws + "/lo/..", ws + "/lo/../a"},
		"and back inside":            {ws, ws + "/lo/../../ws/src", "src", "src/a"},
		"a workdir that is a link":   {root + "/wl", root + "/wl/src", "src", "src/a"},
		"another name of it":         {root + "/wl", ws + "/src", ws + "/src", ws + "/src/a"},
		"a workdir with dots":        {root + "/out/../ws", ws + "/src", "src", "src/a"},
		"a workdir with a slash":     {ws + "/", ws + "/src", "src", "src/a"},
	} {
		t.Run(name, func(t *testing.T) {
			r := glob(t, s, tc.workdir, "a", tc.path)
			assert.Equal(t, tc.root, r.Root)
			assert.Contains(t, r.Paths, tc.file)
			assert.Contains(t, files(grep(t, s, tc.workdir, search.GrepRequest{Pattern: "x", Path: tc.path})), tc.file)
			path := strings.TrimSuffix(tc.path, "/") + "/a"
			if tc.path == "" || tc.root == "." || tc.root == "./" {
				return
			}
			assert.Equal(t, []string{strings.TrimSuffix(tc.root, "/") + "/a"}, files(grep(t, s, tc.workdir, search.GrepRequest{Pattern: "x", Path: path})), "as a file")
		})
	}
}

// An absolute path around the workdir shortens what lies inside of it.
func TestDisplayAroundTheWorkdir(t *testing.T) {
	root := coretest.Tree(t, "ws/a: x", "ws/deep/b: x", "c: x")
	s := pinned(t)
	r := glob(t, s, root+"/ws", "*", root)
	assert.Equal(t, root, r.Root)
	assert.Equal(t, []string{"a", "deep/b", root + "/c"}, r.Paths)
	assert.Equal(t, []string{root + "/c", "a", "deep/b"}, files(grep(t, s, root+"/ws", search.GrepRequest{Pattern: "x", Path: root})))
	assert.Equal(t, []string{root + "/ws/a", "b"}, files(grep(t, s, root+"/ws/deep", search.GrepRequest{Pattern: "x", Path: root + "/ws"})))
	assert.Equal(t, []string{"a"}, glob(t, s, root+"/ws", "ws/*", root).Paths)
	assert.Equal(t, []string{"deep/b"}, glob(t, s, root+"/ws", "ws/deep/*", root).Paths)
}

// A root that is removed while it is searched is not an empty one.
func TestRootThatVanishes(t *testing.T) {
	for name, tc := range map[string]struct {
		f       coretest.Fake
		message string
	}{
		"ripgrep says nothing":   {coretest.Fake{Exit: 1, Remove: "."}, "does not exist"},
		"ripgrep cannot read it": {coretest.Fake{Exit: 2, Stderr: "rg: .: Permission denied (os error 13)\n"}, "could not be searched: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			root := coretest.Tree(t, "d/")
			s, _ := fake(t, tc.f)
			e := globError(t, s, root, "*", "d")
			assert.Equal(t, search.Failed, e.Code)
			assert.Contains(t, e.Message, tc.message)
			require.NoError(t, os.MkdirAll(root+"/d", 0o755))
			e = grepError(t, s, root, search.GrepRequest{Pattern: "x", Path: "d"})
			assert.Equal(t, search.Failed, e.Code)
			assert.Contains(t, e.Message, tc.message)
			assert.Contains(t, e.Message, "d")
		})
	}
}

func TestLongPaths(t *testing.T) {
	root := coretest.Tree(t)
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", (4000-len(root))/201)
	require.NoError(t, os.MkdirAll(root+"/"+deep, 0o755))
	require.NoError(t, os.WriteFile(root+"/"+deep+"f.txt", []byte("needle"), 0o600))
	s := pinned(t)
	assert.Equal(t, []string{deep + "f.txt"}, glob(t, s, root, "*.txt", "").Paths)
	assert.Equal(t, []string{deep + "f.txt"}, glob(t, s, root, deep+"*.txt", "").Paths)
	assert.Equal(t, []string{deep + "f.txt"}, glob(t, s, root, "*", deep).Paths)
	assert.Equal(t, []string{deep + "f.txt"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle"})))
	assert.Equal(t, []string{deep + "f.txt"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: deep + "f.txt"})))
	e := globError(t, s, root, "*", strings.Repeat("x", 300))
	assert.Contains(t, e.Message, "is too long for this system")
}

// Deeper than a path can say, names are reached by nobody: that is a warning.
func TestDeeperThanAPathCanSay(t *testing.T) {
	root := coretest.Tree(t, "a.txt: needle")
	name := strings.Repeat("d", 250)
	t.Chdir(root)
	for range 20 {
		require.NoError(t, os.Mkdir(name, 0o755))
		require.NoError(t, os.Chdir(name))
	}
	s := pinned(t)
	r := glob(t, s, root, "*.txt", "")
	assert.Equal(t, []string{"a.txt"}, r.Paths)
	require.Len(t, r.Warnings, 1)
	assert.Equal(t, 1, r.Warnings[0].Count)
	assert.Contains(t, r.Warnings[0].Message, "(Filename too long)")
	assert.Less(t, len(r.Warnings[0].Message), 300, "a message is short")
	assert.Greater(t, len(r.Warnings[0].Paths[0]), 3000, "and the value exact")
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, []string{"a.txt"}, files(g))
	assert.Len(t, g.Warnings, 1)
}
