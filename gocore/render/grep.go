package render

import (
	"bufio"
	"bytes"
	"io"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Grep drafts the page of a grep: matches grouped by file.
func Grep(r *search.GrepResult, policy Policy) *Draft {
	d := newDraft(&grepKind, len(r.Matches), policy, &r.Report)
	// No line is shown beyond the ceiling of the whole page, whatever its own is.
	lineBytes := min(policy.GrepMaxLineBytes, policy.InlineMaxBytes)
	most := max(0, min(len(r.Matches), policy.GrepMaxMatches))
	d.choose(most, func(n int) item { return matchItem(r.Matches, n, lineBytes) })
	return d
}

// jsonMatch is what JSON takes around the path and the line of a match.
const jsonMatch = len(`{"path":"","lineNumber":1234,"line":""},`)

func matchItem(matches []search.Match, i, lineBytes int) item {
	m := &matches[i]
	line := Preview(m.Line, m.Hit, lineBytes)
	separator, heading := around(matches, i)
	return item{
		index: i, separator: separator, text: heading + prefix(m) + line, line: line,
		structured: len(m.Path) + len(line) + jsonMatch,
	}
}

// around is what stands before the line of match i: what separates it from the
// match before, and the heading when a file begins.
func around(matches []search.Match, i int) (separator, heading string) {
	switch {
	case i == 0:
		return "", oneLine(matches[i].Path) + "\n"
	case sameFile(&matches[i-1], &matches[i]):
		return "\n", ""
	}
	return "\n\n", oneLine(matches[i].Path) + "\n"
}

// sameFile tells names apart that are displayed alike.
func sameFile(a, b *search.Match) bool {
	return a.Path == b.Path && bytes.Equal(a.PathBytes, b.PathBytes)
}

func prefix(m *search.Match) string { return "Line " + strconv.FormatInt(m.LineNumber, 10) + ": " }

// WriteGrep writes every match with its whole line, without a final line end.
func WriteGrep(w io.Writer, r *search.GrepResult) error {
	out := bufio.NewWriter(w)
	_, _ = out.WriteString(grepKind.head(len(r.Matches))) // bufio keeps its first error
	for i := range r.Matches {
		m := &r.Matches[i]
		separator, heading := around(r.Matches, i)
		for _, part := range [...]string{separator, heading, prefix(m), m.Line} {
			if _, err := out.WriteString(part); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
