package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Part is a part of a saved result, as a model reads it.
type Part struct {
	// Text is what is shown, with escapes for what cannot be seen.
	Text string
	// Bytes is how many of the saved bytes that is.
	Bytes int64
	// Foot says which part it is and how to go on; empty for the whole.
	Foot string
}

// maxExcerptFoot is at least the length of the foot: its words and four numbers of 64
// bits.
const maxExcerptFoot = 160

// Excerpt shows the leading part of text, which lies from offset on in a saved result
// of size bytes. With its foot it has at most limit bytes, but at least one
// character. Where more follows it ends with a line, when there is one.
func Excerpt(text []byte, offset, size int64, limit int) Part {
	room := max(1, limit-maxExcerptFoot)
	var b strings.Builder
	taken, line, shownLine := 0, 0, 0 // line: behind the last end of a line
	for taken < len(text) {
		r, n := utf8.DecodeRune(text[taken:])
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(text[taken:]) && taken > 0 {
			break // a character that the read has cut: it comes with the next part
		}
		shown := visibleRune(r, n, text[taken:])
		if b.Len()+len(shown) > room && taken > 0 {
			break
		}
		b.WriteString(shown)
		taken += n
		if r == '\n' {
			line, shownLine = taken, b.Len()
		}
	}
	part := Part{Text: b.String(), Bytes: int64(taken)}
	end := offset + part.Bytes
	if end < size && line > 0 {
		part.Text, part.Bytes = part.Text[:shownLine], int64(line)
		end = offset + part.Bytes
	}
	switch {
	case part.Bytes == 0:
		part.Text = fmt.Sprintf("(Nothing follows: the saved result has %d bytes.)", size)
	case end < size:
		part.Foot = fmt.Sprintf("(Bytes %d to %d of %d. Read on with offset %d.)", offset, end, size, end)
	case offset > 0:
		part.Foot = fmt.Sprintf("(Bytes %d to %d of %d: the end.)", offset, end, size)
	}
	part.Text = strings.TrimSuffix(part.Text, "\n")
	return part
}

// visibleRune is a character of a text of several lines.
func visibleRune(r rune, n int, text []byte) string {
	switch {
	case r == utf8.RuneError && n == 1:
		return fmt.Sprintf(`\x%02x`, text[0])
	case r == '\n' || !unseen(r):
		return string(r)
	}
	return visible(string(r))
}
