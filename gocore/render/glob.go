package render

import (
	"io"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Glob makes the page of a glob: one path per line.
func Glob(r *search.GlobResult, policy Policy) *Page {
	page := &Page{Total: len(r.Paths), kind: globKind, report: &r.Report}
	size := func(i int) int { return len(escapeLine(r.Paths[i])) + 1 }
	page.Indices = fit(head(len(r.Paths), policy.GlobMaxResults), policy.InlineMaxBytes, size)
	page.Shown = len(page.Indices)
	if policy.Sample && page.Capped() {
		groups := groupByHead(r)
		// In a flat result every group has one path: the sample is the head.
		if len(groups) < len(r.Paths) {
			page.Indices = fit(sample(len(r.Paths), groups, policy.GlobMaxResults), policy.InlineMaxBytes, size)
			page.Shown = len(page.Indices)
			page.Sampled = &Sampled{Total: len(groups)}
			page.Indices, page.Sampled.Reached = regroup(page.Indices, groups)
		}
	}
	lines := make([]string, page.Shown)
	for n, i := range page.Indices {
		lines[n] = escapeLine(r.Paths[i])
	}
	page.Items = strings.Join(lines, "\n")
	return page
}

// WriteGlob writes the complete list, one path per line, without a final line
// end.
func WriteGlob(w io.Writer, r *search.GlobResult) error {
	for i, path := range r.Paths {
		line := escapeLine(path)
		if i > 0 {
			line = "\n" + line
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// groupByHead groups paths by their top-level entry, in order of first
// appearance.
func groupByHead(r *search.GlobResult) [][]int {
	index := map[string]int{}
	var groups [][]int
	for i := range r.Paths {
		head := r.Head(i)
		g, seen := index[head]
		if !seen {
			g = len(groups)
			index[head] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// head chooses the first of n items, at most limit.
func head(n, limit int) []int {
	picked := make([]int, min(n, limit))
	for i := range picked {
		picked[i] = i
	}
	return picked
}

// sample chooses at most limit of n items: one of each group in turn, until the
// groups are used up.
func sample(n int, groups [][]int, limit int) []int {
	limit = min(limit, n)
	picked := make([]int, 0, limit)
	for round := 0; len(picked) < limit; round++ {
		for _, group := range groups {
			if round < len(group) && len(picked) < limit {
				picked = append(picked, group[round])
			}
		}
	}
	return picked
}

// fit keeps the leading items whose sizes sum to at most limit, and at least
// one.
func fit(items []int, limit int, size func(i int) int) []int {
	total := 0
	for n, i := range items {
		if total += size(i); total > limit && n > 0 {
			return items[:n]
		}
	}
	return items
}

// regroup orders picked items by group, and counts the groups reached.
func regroup(picked []int, groups [][]int) (ordered []int, reached int) {
	wanted := make(map[int]bool, len(picked))
	for _, i := range picked {
		wanted[i] = true
	}
	ordered = make([]int, 0, len(picked))
	for _, group := range groups {
		before := len(ordered)
		for _, i := range group {
			if wanted[i] {
				ordered = append(ordered, i)
			}
		}
		if len(ordered) > before {
			reached++
		}
	}
	return slices.Clip(ordered), reached
}
