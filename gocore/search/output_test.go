package search_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// ripgrepSays runs ripgrep itself, whose own options are the oracle of ours.
func ripgrepSays(t *testing.T, root string, args ...string) string {
	t.Helper()
	cmd := exec.Command(coretest.Ripgrep(t), append([]string{"--no-config", "--sort=path", "--no-heading", "--with-filename", "--line-number"}, append(args, "--", ".")...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.ReplaceAll("\n"+string(out), "\n./", "\n")[1:]
}

func outputTree(t *testing.T) string {
	var lines strings.Builder
	for i := range 40 {
		word := "other"
		if i%10 == 3 || i == 14 {
			word = "needle"
		}
		fmt.Fprintf(&lines, "%s %d\r\n", word, i)
	}
	return coretest.Tree(t, "a.txt: "+lines.String(), "b/c.txt: needle\nneedle\n", "d.txt: nothing\n", "e.txt: x\nneedle")
}

// Rule: lines around a match are entries of their own, each line once.
func TestContextIsWhatRipgrepShows(t *testing.T) {
	root := outputTree(t)
	s := pinned(t)
	for _, n := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {2, 3}, {50, 50}} {
		g := grep(t, s, root, search.GrepRequest{Pattern: "needle", Before: n[0], After: n[1]})
		var got strings.Builder
		for _, m := range g.Matches {
			mark := ":"
			if m.Context {
				mark = "-"
			}
			fmt.Fprintf(&got, "%s%s%d%s%s\n", m.Path, mark, m.LineNumber, mark, m.Line)
		}
		want := ripgrepSays(t, root, fmt.Sprintf("--before-context=%d", n[0]), fmt.Sprintf("--after-context=%d", n[1]), "--no-context-separator", "needle")
		assert.Equal(t, strings.ReplaceAll(want, "\r", ""), got.String(), "before %d, after %d", n[0], n[1])
	}
}

func TestAPlainValueIsUnchanged(t *testing.T) {
	root := coretest.Tree(t, "a: needle")
	g := grep(t, pinned(t), root, search.GrepRequest{Pattern: "needle"})
	g.Stats = nil
	text, err := json.Marshal(g)
	require.NoError(t, err)
	assert.JSONEq(t, `{"matches":[{"path":"a","lineNumber":1,"line":"needle"}]}`, string(text))
	g = grep(t, pinned(t), root, search.GrepRequest{Pattern: "none", Count: true})
	g.Stats = nil
	text, err = json.Marshal(g)
	require.NoError(t, err)
	assert.JSONEq(t, `{"matches":[],"files":[]}`, string(text))
}

// Rule: the files and their counts are those of the matches.
func TestFilesAndCountsAreWhatRipgrepShows(t *testing.T) {
	root := outputTree(t)
	s := pinned(t)
	var counts, names strings.Builder
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle", Count: true})
	assert.Empty(t, g.Matches)
	for _, f := range g.Files {
		fmt.Fprintf(&counts, "%s:%d\n", f.Path, f.Count)
	}
	assert.Equal(t, ripgrepSays(t, root, "--count", "needle"), counts.String())
	g = grep(t, s, root, search.GrepRequest{Pattern: "needle", FilesOnly: true})
	assert.Empty(t, g.Matches)
	for _, f := range g.Files {
		assert.Zero(t, f.Count)
		names.WriteString(f.Path + "\n")
	}
	assert.Equal(t, ripgrepSays(t, root, "--files-with-matches", "needle"), names.String())
	assert.Equal(t, int64(4), g.Stats.Files)
}

func TestFilesAndCountsKeepTheOtherRules(t *testing.T) {
	root := coretest.Tree(t, "b\xff.go: needle\nneedle", "a.py: needle", "c.go: Needle", "nul.go: needle\n"+strings.Repeat("line\n", 100_000)+"\x00needle")
	s := pinned(t)
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle", Count: true, Include: "*.go", Case: search.CaseInsensitive})
	assert.Equal(t, []search.FileMatches{
		{Path: `b\xff.go`, PathBytes: []byte("b\xff.go"), Count: 2},
		{Path: "c.go", Count: 1},
		{Path: "nul.go", Count: 1},
	}, g.Files)
	assert.Equal(t, "STOPPED_AT_BINARY", g.Notes[0].Code)
	g = grep(t, s, root, search.GrepRequest{Pattern: "none", FilesOnly: true, Include: "*.md"})
	assert.Equal(t, "INCLUDE_MATCHED_NOTHING", g.Notes[0].Code)
	g = grep(t, s, root, search.GrepRequest{Pattern: "needle\nneedle", Count: true, Multiline: true})
	assert.Equal(t, []search.FileMatches{{Path: `b\xff.go`, PathBytes: []byte("b\xff.go"), Count: 1}}, g.Files)
}

// Rule: what is only counted is not charged to the budget of the output.
func TestCountingIsNotChargedForTheLines(t *testing.T) {
	root := coretest.Tree(t, "a: "+strings.Repeat("needle in a line of some length\n", 10_000))
	s := pinned(t, rawMax(5_000))
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle", Count: true})
	assert.Equal(t, []search.FileMatches{{Path: "a", Count: 10_000}}, g.Files)
	_, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: "needle"})
	assert.ErrorIs(t, err, &search.Error{Code: search.RawOutputOverflow})
}

func TestKindsOfAnswersExcludeEachOther(t *testing.T) {
	s := pinned(t)
	for argument, req := range map[string]search.GrepRequest{
		"before: it is -1; write a number of lines from 0 to 1000":                                              {Before: -1},
		"after: it is 1001; write a number of lines from 0 to 1000":                                             {After: 1001},
		"count: filesOnly is set, too; set one of them (count names the files as well)":                         {FilesOnly: true, Count: true},
		"before: lines around a match come with lines only; leave before and after out, or filesOnly and count": {Count: true, After: 1},
	} {
		req.Pattern = "x"
		_, err := s.Grep(t.Context(), t.TempDir(), req)
		assert.EqualError(t, err, argument)
	}
}
