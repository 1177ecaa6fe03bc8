package render

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

func full() search.Report {
	return search.Report{
		Incomplete: &search.Incomplete{Reason: search.ReasonTimeout, Message: "cut short"},
		Warnings:   []search.Warning{{Code: search.WarnUnreadable, Count: 1, Paths: []string{"locked"}, Message: "1 path could not be read: locked"}},
		Notes:      []search.Note{{Code: search.NotePCRE2, Message: "a note"}},
		Stats:      &search.Stats{Files: 3},
	}
}

func TestRemarksStandUnderThePage(t *testing.T) {
	r := matchesIn("a:1:x")
	r.Report = full()
	page := grepPage(r, DefaultPolicy(true))
	assert.Equal(t, "Found 1 match\n\na\nLine 1: x", page.Body)
	assert.Equal(t, "(cut short; narrow path, include or pattern for a complete result)", page.Cut)
	assert.Equal(t, "(1 path could not be read: locked)\n(a note)", page.Remarks)
	assert.Equal(t, page.Body+"\n\n"+page.Cut+"\n"+page.Remarks, page.Text())

	empty := &search.GrepResult{Report: full()}
	assert.Equal(t, "Cut short before a match was found\n(cut short; narrow path, include or pattern for a complete result)\n(1 path could not be read: locked)\n(a note)", grepPage(empty, DefaultPolicy(true)).Text())
}

func TestRemarksStayOnTheirLines(t *testing.T) {
	r := search.Report{Notes: []search.Note{{Message: "a directory is named a\nb\u2028c"}}}
	assert.Equal(t, `(a directory is named a\nb\u2028c)`, remarks(&r))
}

func TestRemarksAreBounded(t *testing.T) {
	var r search.Report
	long := strings.Repeat("日", 5000)
	for range 1000 {
		r.Warnings = append(r.Warnings, search.Warning{Message: "could not read " + long + " at all", Paths: []string{"short", long, "next"}})
		r.Notes = append(r.Notes, search.Note{Message: long + ": stopped"})
	}
	shown := bounded(&r, &globKind)
	lines := strings.Split(remarks(&shown), "\n")
	assert.Len(t, lines, maxRemarks)
	for _, line := range lines {
		assert.LessOrEqual(t, len(line), maxRemarkBytes+len("()"))
		assert.True(t, utf8.ValidString(line))
		assert.True(t, strings.HasPrefix(line, "(could not read 日") && strings.HasSuffix(line, "日 at all)"), line)
	}
	assert.Len(t, shown.Warnings, maxRemarks)
	assert.Empty(t, shown.Notes)
	assert.Equal(t, []string{"short"}, shown.Warnings[0].Paths, "a name is shown whole or not at all")
	assert.Len(t, r.Warnings[0].Paths, 3, "the canonical value keeps everything")
	assert.Greater(t, len(r.Warnings[0].Message), maxRemarkBytes)
}

func TestThePageKeepsWhatFits(t *testing.T) {
	r := &search.GrepResult{Report: full()}
	shown := grepPage(r, DefaultPolicy(true)).Report
	assert.Equal(t, &search.Incomplete{Reason: search.ReasonTimeout, Message: "cut short; narrow path, include or pattern for a complete result"}, shown.Incomplete)
	assert.Equal(t, r.Warnings, shown.Warnings)
	assert.Equal(t, r.Notes, shown.Notes)
	assert.Nil(t, shown.Stats, "what a search cost differs between equal calls")
	assert.Equal(t, "cut short", r.Incomplete.Message, "the value does not change")
	assert.Equal(t, search.Report{}, globPage(nil, DefaultPolicy(true)).Report)
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"fits", 4, "fits"},
		{"0123456789", 9, "012…789"},
		{"0123456789", 8, "012…89"},
		{"日本語日本語", 12, "日…語"},
		{"0123456789", 3, "…"},
		{"0123456789", 0, "…"},
	} {
		assert.Equal(t, c.want, Shorten(c.text, c.limit), "%s %d", c.text, c.limit)
	}
}

// A result that was cut short is not called complete.
func TestFootOfAResultThatWasCutShort(t *testing.T) {
	policy := DefaultPolicy(false)
	policy.GlobMaxResults = 1
	report := full()
	draft := glob([]string{"a", "b"}, nil, &report, policy)
	assert.Contains(t, draft.Page(Saved{Locator: "/spill/x", Hint: "Read it."}).Text(),
		"(Showing 1 of 2 files. What was found until then was saved:\n/spill/x Read it.)")
	assert.Contains(t, draft.Page(unsaved).Text(), "What was found until then could not be saved; narrow path or pattern to see the rest.)")
}

func TestFootNamesTheLocator(t *testing.T) {
	policy := DefaultPolicy(true)
	policy.GlobMaxResults = 2
	paths := []string{"a/1", "a/2", "b/1", "c/1"}
	draft := glob(paths, under(paths), &search.Report{}, policy)
	assert.True(t, draft.Capped())
	assert.Equal(t, "a/1\nb/1\n\n(Showing 2 of 4 files, sampled across 2 of 3 top-level entries. Narrow path to see the entries that are left out. The complete result was saved:\n/spill/x)",
		draft.Page(Saved{Locator: "/spill/x"}).Text())
}

func TestOrderPhrases(t *testing.T) {
	for order, want := range map[search.Order]string{
		search.OrderModified: "modification-time order", search.OrderModifiedDesc: "newest-first modification-time order",
		search.OrderPath: "path order", "": "modification-time order",
	} {
		assert.Equal(t, want, OrderPhrase(order), fmt.Sprintf("%q", order))
	}
}
