package render

import (
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

const (
	// maxRemarks bounds the lines under a page. A search has fewer to say; a
	// page stays bounded whatever it is handed.
	maxRemarks = 12
	// maxRemarkBytes bounds one of them: it names at most three files, and a
	// name may be longer than a page.
	maxRemarkBytes = 600
	// maxNamesBytes bounds the names that a structured warning lists.
	maxNamesBytes = 1000
)

// bounded is a report as a page shows it: a few short messages, without the cost
// of the search. A result that was cut short also says what to do about it.
func bounded(r *search.Report, k *kind) search.Report {
	var b search.Report
	room := maxRemarks
	if r.Incomplete != nil {
		message := r.Incomplete.Message + "; " + k.narrow + " for a complete result"
		b.Incomplete = &search.Incomplete{Reason: r.Incomplete.Reason, Message: Shorten(message, maxRemarkBytes)}
		room--
	}
	for _, w := range r.Warnings[:min(len(r.Warnings), room)] {
		w.Message = Shorten(w.Message, maxRemarkBytes)
		w.Paths = someNames(w.Paths)
		b.Warnings = append(b.Warnings, w)
		room--
	}
	for _, n := range r.Notes[:min(len(r.Notes), room)] {
		n.Message = Shorten(n.Message, maxRemarkBytes)
		b.Notes = append(b.Notes, n)
	}
	return b
}

// cutLine says that a search was cut short.
func cutLine(r *search.Report) string {
	if r.Incomplete == nil {
		return ""
	}
	return "(" + oneLine(r.Incomplete.Message) + ")"
}

// remarks are the other messages of a bounded report, one in a line.
func remarks(r *search.Report) string {
	var lines []string
	say := func(message string) { lines = append(lines, "("+oneLine(message)+")") }
	for _, w := range r.Warnings {
		say(w.Message)
	}
	for _, n := range r.Notes {
		say(n.Message)
	}
	return strings.Join(lines, "\n")
}

// someNames are the leading names that fit; a name is never cut.
func someNames(names []string) []string {
	total := 0
	for n, name := range names {
		if total += len(name); total > maxNamesBytes {
			return names[:n]
		}
	}
	return names
}

// Shorten takes the middle out of a text of more than limit bytes: a message
// says what happened at its start and what to do at its end.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	room := max(0, limit-len(ellipsis))
	tail := boundary(text, len(text)-room/2)
	return cut(text, room-room/2) + ellipsis + text[tail:]
}

// unseen reports whether a character is not shown but changes what is: controls,
// which steer a terminal, what programs take for the end of a line (those of
// Unicode, and the separators that Python adds), and marks that turn the direction
// of text around, so that it reads as something else. A tab stays.
func unseen(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0:
		return true
	}
	switch r {
	case '\u061c', '\u200e', '\u200f', '\u2028', '\u2029':
		return true
	}
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// shortEscapes are the controls that have a letter.
var shortEscapes = map[rune]string{'\n': `\n`, '\r': `\r`, '\v': `\v`, '\f': `\f`}

// visible writes what cannot be seen as escapes. The value of a result keeps the
// exact text.
func visible(text string) string {
	if strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch short := shortEscapes[r]; {
		case short != "":
			b.WriteString(short)
		case !unseen(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// oneLine keeps a name on one line of a page.
func oneLine(name string) string { return visible(name) }
