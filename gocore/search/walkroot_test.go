package search_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: a literal prefix becomes the walk root, so that only it is walked.
func TestLiteralPrefixBecomesTheWalkRoot(t *testing.T) {
	root := coretest.Tree(t, "src/gen/x/", "lib/", "a b/", "real/", "link -> real", "file: x")
	f, path := fake(t, coretest.Fake{Exit: 1})
	for name, tc := range map[string]struct {
		pattern, in, dir, glob string
	}{
		"no prefix":                    {"*.go", "", "", "*.go"},
		"stars first":                  {"**/src/*.go", "", "", "**/src/*.go"},
		"one directory":                {"src/*.go", "", "/src", "/*.go"},
		"several":                      {"src/gen/**/*.go", "", "/src/gen", "/**/*.go"},
		"a name":                       {"src/gen/x.go", "", "/src/gen", "/x.go"},
		"up to the wildcard":           {"src/g*/x.go", "", "/src", "/g*/x.go"},
		"beneath path":                 {"gen/*.go", "src", "/src/gen", "/*.go"},
		"upwards":                      {"../lib/*.go", "src", "/src/../lib", "/*.go"},
		"dot slash":                    {"./src/*.go", "", "/src", "/*.go"},
		"dots and slashes":             {"src/.//gen/./*.go", "", "/src/gen", "/*.go"},
		"a slash first":                {"/src/*.go", "", "/src", "/*.go"},
		"escapes":                      {`a\ b/*.go`, "", "/a b", "/*.go"},
		"a blank":                      {"a b/*.go", "", "/a b", "/*.go"},
		"a link":                       {"link/*.go", "", "/link", "/*.go"},
		"an escaped star is a name":    {`src/\*/x`, "", "", ""},
		"brackets are no prefix":       {"[s]rc/*.go", "", "", "[s]rc/*.go"},
		"braces are none":              {"{src,lib}/*.go", "", "", "{src,lib}/*.go"},
		"a slash in braces is none":    {"{src/gen,lib}/*", "", "", "{src/gen,lib}/*"},
		"an escape behind is kept":     {`src/\[x`, "", "/src", `/\[x`},
		"an escaped slash is no slash": {`src\/x`, "", "", `src\/x`},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(path + ".seen.json")
			glob(t, f, root, tc.pattern, tc.in)
			seen, err := coretest.ReadSeen(path)
			if tc.glob == "" {
				assert.ErrorIs(t, err, os.ErrNotExist, "nothing is there to walk")
				return
			}
			require.NoError(t, err)
			dir, err := filepath.EvalSymlinks(root + tc.dir)
			require.NoError(t, err)
			assert.Equal(t, dir, seen.Dir)
			assert.Contains(t, seen.Args, "--glob="+tc.glob)
		})
	}
}

// Rule: only what the pattern can reach is walked, downwards too.
func TestAnAnchoredPatternIsNotWalkedBelow(t *testing.T) {
	root := coretest.Tree(t, "src/a/b/c.go", "src/c.go", "src/a/c.go")
	s := pinned(t)
	f, path := fake(t, coretest.Fake{Exit: 1})
	for pattern, tc := range map[string]struct {
		depth string
		want  []string
	}{
		"src/*.go":       {"--max-depth=1", []string{"src/c.go"}},
		"src/c.go":       {"--max-depth=1", []string{"src/c.go"}},
		"/*.go":          {"--max-depth=1", []string{}},
		"src/*/*.go":     {"--max-depth=2", []string{"src/a/c.go"}},
		"*/c.go":         {"--max-depth=2", []string{"src/c.go"}},
		"s?c/*/*/c.go":   {"--max-depth=4", []string{"src/a/b/c.go"}},
		"c.go":           {"", []string{"src/a/b/c.go", "src/c.go", "src/a/c.go"}},
		"src/**":         {"", []string{"src/a/b/c.go", "src/c.go", "src/a/c.go"}},
		"src/**/c.go":    {"", []string{"src/a/b/c.go", "src/c.go", "src/a/c.go"}},
		"src/{a,a/b}/*":  {"", []string{"src/a/b/c.go", "src/a/c.go"}},
		"src/a[!x]b/c.*": {"", []string{"src/a/b/c.go"}},
	} {
		assert.Equal(t, tc.want, glob(t, s, root, pattern, "").Paths, pattern)
		glob(t, f, root, pattern, "")
		seen, err := coretest.ReadSeen(path)
		require.NoError(t, err)
		if tc.depth != "" {
			assert.Contains(t, seen.Args, tc.depth, pattern)
		} else {
			assert.NotContains(t, strings.Join(seen.Args, " "), "--max-depth", pattern)
		}
	}
}

// The answer under a prefix is the one that a walk of everything gives.
func TestPrefixesFindWhatTheWholeWalkFinds(t *testing.T) {
	root := coretest.Tree(t, "p1/a/f7.ts", "p2/f7.ts", "p3/f7.ts", "p3/b/f7.ts", "p3/b/c/f7.ts", "p3/b/f8.ts", "p3/.h/f7.ts")
	s := pinned(t)
	want := []string{"p3/f7.ts", "p3/b/f7.ts", "p3/b/c/f7.ts", "p3/.h/f7.ts"}
	for _, pattern := range []string{"p3/**/f7.ts", "/p3/**/f7.ts", "./p3/**/f7.ts", "p3/./**/f7.ts", "p[3]/**/f7.ts", "p1/../p3/**/f7.ts"} {
		got := glob(t, s, root, pattern, "").Paths
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "p1/../")
		}
		assert.Equal(t, want, got, pattern)
	}
	assert.Equal(t, want, glob(t, s, root, "f7.ts", "p3").Paths)
}

// Rule: a literal prefix that names a symlinked directory is entered; links met
// in a walk are not.
func TestLinksInAPrefix(t *testing.T) {
	root := coretest.Tree(t, "real/in.ts: x", "real/deep/on.ts: x", "ld -> real", "d/up -> ..", "loop -> loop", "dangling -> nope", "lf.ts -> real/in.ts", "top.ts: x", "far/ln -> ../real/deep")
	s := pinned(t)
	for pattern, want := range map[string][]string{
		"ld/*.ts":          {"ld/in.ts"},
		"ld/**/*.ts":       {"ld/in.ts", "ld/deep/on.ts"},
		"ld/deep/../*.ts":  {"ld/deep/../in.ts"},
		"far/ln/*.ts":      {"far/ln/on.ts"},
		"far/ln/../*.ts":   {"far/ln/../in.ts"}, // ".." goes up where the link leads
		"d/up/*.ts":        {"d/up/top.ts"},
		"d/up/d/up/real/*": {"d/up/d/up/real/in.ts"},
		"l*/*.ts":          {},
		"**/in.ts":         {"real/in.ts"},
		"lf.ts":            {},
		"dangling/*":       {},
		"lf.ts/*":          {},
	} {
		assert.Equal(t, want, glob(t, s, root, pattern, "").Paths, pattern)
	}
	e := globError(t, s, root, "loop/*", "")
	assert.Equal(t, search.Failed, e.Code)
	assert.Equal(t, `the directory "loop" cannot be resolved: too many symbolic links`, e.Message)
}

// Rule: a leading "/" anchors at the search root, unless the literal prefix
// exists as an absolute directory.
func TestAbsolutePatterns(t *testing.T) {
	root := coretest.Tree(t, "ws/src/a.ts: x", "ws/sub/src/b.ts: x", "out/o.ts: x", "out/sub/p.ts: x")
	ws := root + "/ws"
	s := pinned(t)
	for name, tc := range map[string]struct {
		pattern, path string
		want          []string
	}{
		"inside":                    {ws + "/src/*.ts", "", []string{"src/a.ts"}},
		"inside, whatever the path": {ws + "/src/*.ts", "sub", []string{"src/a.ts"}},
		"the workdir itself":        {ws + "/*/*.ts", "", []string{"src/a.ts"}},
		"with any depth":            {ws + "/**/*.ts", "", []string{"src/a.ts", "sub/src/b.ts"}},
		"a file":                    {ws + "/src/a.ts", "", []string{"src/a.ts"}},
		"outside":                   {root + "/out/*.ts", "", []string{root + "/out/o.ts"}},
		"outside, any depth":        {root + "/out/**/*.ts", "", []string{root + "/out/o.ts", root + "/out/sub/p.ts"}},
		"around the workdir":        {root + "/**/o.ts", "", []string{root + "/out/o.ts"}},
		"around and inside":         {root + "/**/*.ts", "", []string{"src/a.ts", "sub/src/b.ts", root + "/out/o.ts", root + "/out/sub/p.ts"}},
		"two slashes":               {"/" + ws + "/src/*.ts", "", []string{"src/a.ts"}},
		"anchored at the root":      {"/src/*.ts", "", []string{"src/a.ts"}},
		"anchored at path":          {"/src/*.ts", "sub", []string{"sub/src/b.ts"}},
		"an absolute file is none":  {ws + "/src/a.ts/*", "", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := glob(t, s, ws, tc.pattern, tc.path)
			assert.Equal(t, tc.want, r.Paths)
		})
	}
	r := glob(t, s, ws, "/usr/no-such-name-here", "")
	assert.Empty(t, r.Paths)
}

func TestBothAnAbsoluteDirectoryAndOneInTheRoot(t *testing.T) {
	root := coretest.Tree(t, "etc/mine.conf: x")
	r := glob(t, pinned(t), root, "/etc/mine.conf", "")
	assert.Empty(t, r.Paths)
	assert.Equal(t, []string{"READ_AS_ABSOLUTE the pattern was read as an absolute path; for the directory of that name in the search root, leave the first slash out"}, notes(r.Report))
	assert.Equal(t, []string{"etc/mine.conf"}, glob(t, pinned(t), root, "etc/mine.conf", "").Paths)
}

// Rule: what cannot be looked at is a failure, not an empty answer.
func TestPrefixThatCannotBeLookedAt(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	root := coretest.Tree(t, "ws/a.txt: x", "ws/locked/in/b.txt: x", "ws/closed/c.txt: x", "out/d.txt: x")
	ws := root + "/ws"
	coretest.Lock(t, ws+"/locked", 0)
	coretest.Lock(t, ws+"/closed", 0o444) // its names can be read, it cannot be entered
	coretest.Lock(t, root+"/out", 0)
	s := pinned(t)
	for pattern, named := range map[string]string{
		"locked/*.txt": "locked", "locked/in/*.txt": "locked/in", "locked/b.txt": "locked", "closed/*.txt": "closed",
		root + "/out/*.txt": root + "/out", root + "/out/x/*.txt": root + "/out/x", "../out/*": "../out",
	} {
		e := globError(t, s, ws, pattern, "")
		assert.Equal(t, search.Failed, e.Code, pattern)
		assert.Equal(t, `the directory "`+named+`" cannot be read: permission denied`, e.Message, pattern)
		assert.Equal(t, named, e.Details.Path)
	}
	assert.Equal(t, []string{"a.txt"}, glob(t, s, ws, "a.txt", "").Paths)
}

// Rule: sampling groups by the entries beneath the search root, also where only
// a prefix is walked.
func TestHeads(t *testing.T) {
	root := coretest.Tree(t, "ws/a/b/1", "ws/a/c/2", "ws/d/3", "lib/x/4")
	s := pinned(t)
	heads := func(pattern, path string) []string {
		r := glob(t, s, root+"/ws", pattern, path)
		all := []string{}
		for i := range r.Paths {
			all = append(all, r.Head(i))
		}
		return all
	}
	assert.Equal(t, []string{"a", "a", "d"}, heads("*", ""))
	assert.Equal(t, []string{"a", "a", "d"}, heads("*", root+"/ws"))
	assert.Equal(t, []string{"a", "a"}, heads("a/**", ""))
	assert.Equal(t, []string{"b"}, heads("b/*", "a"))
	assert.Equal(t, []string{"a", "a"}, heads(root+"/ws/a/**", ""))
	assert.Equal(t, []string{"a", "a", "d"}, heads(root+"/ws/**", ""))
	assert.Equal(t, []string{"lib"}, heads("../lib/**", ""))
	assert.Equal(t, []string{"x"}, heads(root+"/lib/**", ""))
	assert.Equal(t, []string{"ws", "ws", "ws", "lib"}, heads("*", ".."))
}
