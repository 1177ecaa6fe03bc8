package render

import (
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// unsaved is a page whose complete result was not saved.
var unsaved = Saved{}

// under is the top-level entry of a path that is spelled from the search root.
func under(paths []string) func(int) string {
	return func(i int) string {
		head, _, _ := strings.Cut(paths[i], "/")
		return head
	}
}

// globPage makes the page of a list whose root is the working directory.
func globPage(paths []string, p Policy) *Page {
	return glob(paths, under(paths), &search.Report{}, p).Page(unsaved)
}

func numbered(format string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(format, i)
	}
	return names
}

// matchesIn makes matches from "path:line number:text".
func matchesIn(lines ...string) *search.GrepResult {
	r := &search.GrepResult{}
	for _, line := range lines {
		parts := strings.SplitN(line, ":", 3)
		var n int64
		fmt.Sscan(parts[1], &n)
		r.Matches = append(r.Matches, search.Match{Path: parts[0], LineNumber: n, Line: parts[2]})
	}
	return r
}

func grepPage(r *search.GrepResult, p Policy) *Page { return Grep(r, p).Page(unsaved) }

// manyMatches are n matching lines of one file.
func manyMatches(n int, text string) *search.GrepResult {
	r := &search.GrepResult{}
	for i := range n {
		r.Matches = append(r.Matches, search.Match{Path: "a.go", LineNumber: int64(i + 1), Line: text})
	}
	return r
}
