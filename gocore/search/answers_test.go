package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: over several lines "\n" and "$" mean either end of a line.
func TestLineEndsInMultiline(t *testing.T) {
	root := coretest.Tree(t, "dos: foo\r\nbar\r\n", "unix: foo\nbar\n", "mixed: foo\r\nbar\nfoo\nbar\r\n")
	s := pinned(t)
	for _, tc := range []struct {
		pattern string
		literal bool
		want    []string
	}{
		{`foo\nbar`, false, []string{"dos", "mixed", "unix"}},
		{"foo\nbar", false, []string{"dos", "mixed", "unix"}},
		{"foo\nbar", true, []string{"dos", "mixed", "unix"}},
		{`foo$\nbar`, false, []string{"dos", "mixed", "unix"}},
		{`(f)oo\nba(?=r)`, false, []string{"dos", "mixed", "unix"}},
		{`foo\r\nbar`, false, []string{"dos", "mixed"}},
		{`foo[^\r]?\nbar`, false, []string{"mixed", "unix"}},
		{`foo\\nbar`, false, nil},
	} {
		r, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: tc.pattern, Literal: tc.literal, Multiline: true, FilesOnly: true})
		require.NoError(t, err, tc.pattern)
		var files []string
		for _, f := range r.Files {
			files = append(files, f.Path)
		}
		assert.Equal(t, tc.want, files, tc.pattern)
	}
}

// Rule: the ignore files of Mercurial's and Sapling's working trees hold as those
// of git's do.
func TestIgnoreFilesOfForeignTrees(t *testing.T) {
	s := pinned(t)
	for _, tc := range []struct {
		entries []string
		dir     string
		want    []string
	}{
		{[]string{".hg/x", ".gitignore: build/", "build/a: hit", "b: hit"}, "", []string{"b"}},
		{[]string{".sl/x", ".gitignore: build/", "build/a: hit", "b: hit"}, "", []string{"b"}},
		{[]string{".gitignore: build/", "build/a: hit", "b: hit"}, "", []string{"b", "build/a"}},
		{[]string{".hg/x", ".gitignore: *.log", "sub/a.log: hit", "sub/b: hit"}, "sub", []string{"sub/b"}},
		{[]string{".gitignore: *", "repo/.hg/x", "repo/.gitignore: build/", "repo/build/a: hit", "repo/b: hit"}, "repo", []string{"repo/b", "repo/build/a"}},
		{[]string{".hg: a file", ".gitignore: b", "b: hit"}, "", []string{"b"}},
	} {
		root := coretest.Tree(t, tc.entries...)
		r, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: "hit", Path: tc.dir})
		require.NoError(t, err)
		var files []string
		for _, m := range r.Matches {
			files = append(files, m.Path)
		}
		assert.Equal(t, tc.want, files, "%v", tc.entries)
	}
	root := coretest.Tree(t, ".hg/x", ".gitignore: build/", "build/a: hit")
	r, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: "hit"})
	require.NoError(t, err)
	assert.Equal(t, []search.Note{{Code: search.NoteIgnored, Message: "ignored, and so not searched: build (.gitignore: build/); path searches what it names"}}, r.Notes)
}

// Rule: a path that is not there is answered with what is, when that is plain.
func TestAPathThatIsNotThere(t *testing.T) {
	root := coretest.Tree(t, "README.md: x", "d0/a: x", "Src/Deep/b: x", " lead/c: x")
	s := pinned(t)
	for path, want := range map[string]string{
		"d0 ":               `path "d0 " does not exist; there is "d0"`,
		" d0":               `path " d0" does not exist; there is "d0"`,
		"lead":              `path "lead" does not exist; there is " lead"`,
		"readme.md":         `path "readme.md" does not exist; there is "README.md"`,
		"src/deep/b":        `path "src/deep/b" does not exist; there is "Src/Deep/b"`,
		"./readme.MD":       `path "./readme.MD" does not exist; there is "./README.md"`,
		root + "/readme.md": `path "` + root + `/readme.md" does not exist; there is "` + root + `/README.md"`,
		"src/none":          `path "src/none" does not exist`,
		"$HOME/x":           `path "$HOME/x" does not exist; $HOME is not expanded here, write the path out`,
		"${SRC}/x":          `path "${SRC}/x" does not exist; ${SRC} is not expanded here, write the path out`,
		`%USERPROFILE%\x`:   `path "%USERPROFILE%\\x" does not exist; %USERPROFILE% is not expanded here, write the path out`,
		"nothing":           `path "nothing" does not exist`,
	} {
		_, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: "x", Path: path})
		assert.EqualError(t, err, want)
	}
}

// Rule: a search with too much output says where the matches lie.
func TestAnOverflowNamesFolders(t *testing.T) {
	root := coretest.Tree(t, "src/gen/a: "+strings.Repeat("hit\n", 3000))
	s := pinned(t, func(c *search.Config) { c.RawOutputMaxBytes = 20_000 })
	_, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: "hit"})
	require.ErrorIs(t, err, &search.Error{Code: search.RawOutputOverflow})
	assert.Regexp(t, `^ripgrep's output exceeded 20000 bytes \(rawOutputMaxBytes\) \((\d+) results found until then, (\d+) matches in src/gen/\); narrow path, include or pattern$`, err.Error())
}
