package render

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Grep makes the page of a grep: matches grouped by file.
func Grep(r *search.GrepResult, policy Policy) *Page {
	page := &Page{Total: len(r.Matches), kind: grepKind, report: &r.Report}
	var b strings.Builder
	for i := range r.Matches[:min(len(r.Matches), policy.GrepMaxMatches)] {
		block := matchBlock(r.Matches, i, policy.GrepMaxLineBytes)
		if i > 0 && b.Len()+len(block) > policy.InlineMaxBytes {
			break
		}
		b.WriteString(block)
		page.Indices = append(page.Indices, i)
	}
	page.Shown = len(page.Indices)
	page.Items = b.String()
	return page
}

// WriteGrep writes every match with its whole line, without a final line end.
func WriteGrep(w io.Writer, r *search.GrepResult) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Found %s\n\n", grepKind.count(len(r.Matches)))
	for i := range r.Matches {
		if _, err := out.WriteString(matchBlock(r.Matches, i, 0)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// matchBlock is the text of match i behind the matches before it: a heading
// when another file begins, then its line. A limit of 0 leaves the line whole.
func matchBlock(matches []search.Match, i, limit int) string {
	m := &matches[i]
	line := m.Line
	if limit > 0 {
		line = Preview(line, m.Hit, limit)
	}
	text := "Line " + strconv.FormatInt(m.LineNumber, 10) + ": " + line
	switch {
	case i == 0:
		return escapeLine(m.Path) + "\n" + text
	case matches[i-1].Path != m.Path:
		return "\n\n" + escapeLine(m.Path) + "\n" + text
	}
	return "\n" + text
}
