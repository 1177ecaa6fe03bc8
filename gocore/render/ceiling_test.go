package render

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// The page of many long lines is bounded by its weight, not by its items.
func TestLongLinesStayUnderTheCeiling(t *testing.T) {
	page := grepPage(manyMatches(250, strings.Repeat("x", 3000)), DefaultPolicy(true))
	assert.LessOrEqual(t, len(page.Text()), 50_000)
	assert.Equal(t, 24, page.Shown, "as many as fit: a line of 2,000 bytes with its mark and number")
	assert.Equal(t, 250, page.Total)
	assert.Contains(t, page.Text(), "(Showing 24 of 250 matches. ")
	assert.Equal(t, 24, strings.Count(page.Text(), truncated), "no line is cut in the middle by the ceiling")
}

func TestLongPathsStayUnderTheCeiling(t *testing.T) {
	for _, sampled := range []bool{true, false} {
		var paths []string
		for i := range 101 {
			paths = append(paths, fmt.Sprintf("d%d/%03d%s", i%7, i, strings.Repeat("x", 1000)))
		}
		page := globPage(paths, DefaultPolicy(sampled))
		assert.LessOrEqual(t, len(page.Text()), 50_000)
		assert.Equal(t, 49, page.Shown)
		assert.Equal(t, sampled, page.Sampled != nil)
		if sampled {
			assert.Equal(t, &Sampled{7, 7}, page.Sampled)
		}
	}
}

func TestAtTheCeilingNothingIsLeftOut(t *testing.T) {
	policy := DefaultPolicy(false)
	matches := manyMatches(3, "aaaa")
	// What JSON takes around each match counts, too: the structured page is no
	// larger than the text may be.
	head := len(grepKind.head(3)) + len("\n\n")
	policy.InlineMaxBytes = 3*(len("a.go")+len("aaaa")+jsonMatch) + head
	assert.False(t, grepPage(matches, policy).Capped())
	policy.InlineMaxBytes -= 2 * len("\n\n")
	assert.True(t, grepPage(matches, policy).Capped())
	// A list of paths within its cap of items is complete, whatever its bytes.
	policy.InlineMaxBytes = 1
	assert.False(t, globPage([]string{"aaaa", "bbbb", "cccc"}, policy).Capped())
}

// One item is shown even where it alone is over, and no more than one.
func TestTheFirstItemIsAlwaysShown(t *testing.T) {
	policy := DefaultPolicy(true)
	policy.InlineMaxBytes, policy.GlobMaxResults = 1, 1
	page := globPage([]string{"some/path", "other"}, policy)
	assert.Equal(t, []int{0}, page.Indices)
	assert.Contains(t, page.Text(), "some/path\n\n(Showing 1 of 2 files. ")

	found := grepPage(manyMatches(3, "text"), policy)
	assert.Equal(t, []int{0}, found.Indices)
	assert.Contains(t, found.Text(), "a.go\nLine 1: t (line truncated)\n\n(Showing 1 of 3 matches. ")
}

// A line of any length leaves a bounded page, whatever its own limit is.
func TestALineIsNeverLongerThanThePage(t *testing.T) {
	policy := DefaultPolicy(true)
	policy.GrepMaxLineBytes = 1 << 30
	page := grepPage(manyMatches(1, strings.Repeat("x", 10<<20)), policy)
	assert.Less(t, len(page.Text()), 50_000+200)
}

// Every page of a random result is bounded, in each mode, saved or not.
func TestPagesAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(most int) string { return strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(most)) }
	for range 2000 {
		policy := DefaultPolicy(r.IntN(2) == 0)
		policy.InlineMaxBytes = 1 + r.IntN(3000)
		policy.GlobMaxResults = 1 + r.IntN(20)
		policy.GrepMaxMatches = 1 + r.IntN(20)
		policy.GrepMaxLineBytes = 1 + r.IntN(200)
		saved := Saved{}
		if r.IntN(2) == 0 {
			saved = Saved{Locator: "/" + word(100), Hint: word(100)}
		}
		var report search.Report
		for range r.IntN(4) {
			report.Notes = append(report.Notes, search.Note{Message: word(100)})
		}
		var paths []string
		found := &search.GrepResult{Report: report}
		for i := range 1 + r.IntN(40) {
			paths = append(paths, fmt.Sprintf("%s/%d", word(3), i))
			found.Matches = append(found.Matches, search.Match{Path: word(60), LineNumber: int64(i), Line: word(300)})
		}
		for _, draft := range []*Draft{glob(paths, under(paths), &report, policy), Grep(found, policy)} {
			page := draft.Page(saved)
			if draft.kind == &globKind && !page.Capped() {
				continue // a complete list has any size
			}
			if page.Shown > 1 || page.Shown == page.Total && page.Total > 1 {
				assert.LessOrEqual(t, len(page.Text()), policy.InlineMaxBytes, "%+v", policy)
			}
			assert.GreaterOrEqual(t, page.Shown, 1)
			assert.Len(t, page.Indices, page.Shown)
			assert.Equal(t, draft.Capped(), page.Capped(), "what was said before the save stays true")
			assert.Equal(t, page.Capped(), strings.Contains(page.Text(), fmt.Sprintf("(Showing %d of %d ", page.Shown, page.Total)))
			assert.Equal(t, page, draft.Page(saved), "the same again")
			if page.Sampled != nil {
				assert.Equal(t, distinct(page.Indices, under(paths)), page.Sampled.Reached)
				assert.Equal(t, draft.groups, page.Sampled.Total)
			}
		}
	}
}

func distinct(indices []int, head func(int) string) int {
	seen := map[string]bool{}
	for _, i := range indices {
		seen[head(i)] = true
	}
	return len(seen)
}

// A page in its structured form, where each match repeats its path, is bounded
// as well.
func TestTheStructuredFormIsBounded(t *testing.T) {
	r := &search.GrepResult{}
	for i := range 250 {
		r.Matches = append(r.Matches, search.Match{Path: strings.Repeat("d/", 200) + "f.go", LineNumber: int64(i), Line: "x"})
	}
	page := grepPage(r, DefaultPolicy(true))
	var lines []map[string]any
	for n, i := range page.Indices {
		lines = append(lines, map[string]any{"path": r.Matches[i].Path, "lineNumber": r.Matches[i].LineNumber, "line": page.Lines[n]})
	}
	text, err := json.Marshal(lines)
	assert.NoError(t, err)
	assert.LessOrEqual(t, len(text), 50_000)
	assert.Equal(t, 112, page.Shown)
}

func BenchmarkSampledPageOf100kPaths(b *testing.B) {
	paths := make([]string, 100_000)
	for i := range paths {
		paths[i] = fmt.Sprintf("dir%d/file%d.go", i%40, i)
	}
	head := under(paths)
	b.ReportAllocs()
	for b.Loop() {
		glob(paths, head, &search.Report{}, DefaultPolicy(true)).Page(Saved{})
	}
}

func BenchmarkGrepPageOf100kMatches(b *testing.B) {
	r := manyMatches(100_000, "some line of code that matches")
	b.ReportAllocs()
	for b.Loop() {
		Grep(r, DefaultPolicy(true)).Page(Saved{})
	}
}
