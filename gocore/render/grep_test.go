package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

func TestGrepPageIsCappedAboveTheCapOnly(t *testing.T) {
	at := grepPage(manyMatches(250, "x"), DefaultPolicy(true))
	assert.Equal(t, 250, at.Shown)
	assert.True(t, strings.HasPrefix(at.Text(), "Found 250 matches\n\na.go\nLine 1: x\nLine 2: x\n"))
	assert.True(t, strings.HasSuffix(at.Text(), "\nLine 250: x"), "at the cap nothing is said")

	over := grepPage(manyMatches(251, "x"), DefaultPolicy(true))
	assert.Equal(t, 250, over.Shown)
	assert.Equal(t, 251, over.Total)
	assert.True(t, strings.HasPrefix(over.Text(), "Found 251 matches\n\n"))
	assert.True(t, strings.HasSuffix(over.Text(), "\nLine 250: x\n\n(Showing 250 of 251 matches. The complete result could not be saved; narrow path, include or pattern to see the rest.)"))
}

func TestMatchesAreGroupedByFile(t *testing.T) {
	page := grepPage(matchesIn("a.go:1:one", "a.go:12:two: three", "b/c.go:3:", "d.go:1:x"), DefaultPolicy(true))
	assert.Equal(t, "Found 4 matches\n\na.go\nLine 1: one\nLine 12: two: three\n\nb/c.go\nLine 3: \n\nd.go\nLine 1: x", page.Text())
	assert.Equal(t, []string{"one", "two: three", "", "x"}, page.Lines)
	assert.Equal(t, []int{0, 1, 2, 3}, page.Indices)
}

func TestOneMatch(t *testing.T) {
	assert.Equal(t, "Found 1 match\n\na\nLine 7: x", grepPage(matchesIn("a:7:x"), DefaultPolicy(false)).Text())
}

// Two files whose names are displayed alike are two groups.
func TestFilesDisplayedAlikeAreTwoGroups(t *testing.T) {
	r := &search.GrepResult{Matches: []search.Match{
		{Path: `bad\xff`, LineNumber: 1, Line: "x"},
		{Path: `bad\xff`, PathBytes: []byte("bad\xff"), LineNumber: 1, Line: "y"},
		{Path: `bad\xff`, PathBytes: []byte("bad\xff"), LineNumber: 2, Line: "z"},
	}}
	assert.Equal(t, "Found 3 matches\n\nbad\\xff\nLine 1: x\n\nbad\\xff\nLine 1: y\nLine 2: z", grepPage(r, DefaultPolicy(true)).Text())
}

func TestHeadingsStayOnOneLine(t *testing.T) {
	r := &search.GrepResult{Matches: []search.Match{{Path: "a\nb", LineNumber: 1, Line: "x"}}}
	assert.Equal(t, "Found 1 match\n\na\\nb\nLine 1: x", grepPage(r, DefaultPolicy(true)).Text())
}

func TestLinesAreCutOnThePageAndWholeInTheSavedResult(t *testing.T) {
	policy := DefaultPolicy(true)
	policy.GrepMaxMatches, policy.GrepMaxLineBytes = 1, 10
	r := matchesIn("a:1:0123456789abcdef", "a:2:\ufeff0123456789abcdef", "b:1:short")
	page := grepPage(r, policy)
	assert.Contains(t, page.Text(), "\na\nLine 1: 0123456789 (line truncated)\n\n(Showing 1 of 3 matches.")
	assert.Equal(t, []string{"0123456789 (line truncated)"}, page.Lines)

	var b strings.Builder
	require.NoError(t, WriteGrep(&b, r))
	assert.Equal(t, "Found 3 matches\n\na\nLine 1: 0123456789abcdef\nLine 2: \ufeff0123456789abcdef\n\nb\nLine 1: short", b.String())
}

func TestCompleteTextOfAnUncappedPageIsThePage(t *testing.T) {
	r := matchesIn("a.go:1:one", "a.go:12:two", "b/c.go:3:", "d\ne:1:x")
	var b strings.Builder
	require.NoError(t, WriteGrep(&b, r))
	assert.Equal(t, grepPage(r, DefaultPolicy(true)).Text(), b.String())
}

func TestEmptyPages(t *testing.T) {
	policy := DefaultPolicy(true)
	assert.Equal(t, "No files found", globPage(nil, policy).Text())
	assert.Equal(t, "No matches found", grepPage(&search.GrepResult{}, policy).Text())
	noted := &search.GrepResult{Report: search.Report{Notes: []search.Note{{Code: "X", Message: "because"}}}}
	page := grepPage(noted, policy)
	assert.Equal(t, "No matches found\n(because)", page.Text())
	assert.Equal(t, "No matches found", page.Body)
	assert.Equal(t, "(because)", page.Remarks)
	assert.False(t, page.Capped())
	assert.False(t, Grep(noted, policy).Capped())
}
