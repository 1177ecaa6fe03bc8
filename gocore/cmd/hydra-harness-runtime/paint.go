package main

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/term"
)

// Colours of a page on a terminal, as ripgrep's users know them.
const (
	heading = "\x1b[35m"
	number  = "\x1b[32m"
	faint   = "\x1b[2m"
	reset   = "\x1b[0m"
)

// Compiled when a terminal asks for them: each start of the program would pay.
var (
	matchLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(Line )(\d+)(: )`) })
	countLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Found \d+ match(es)?$`) })
)

// paint colours a page when it goes to a terminal, and there shows control
// characters instead of sending them: a file name must not move the cursor.
func paint(out *os.File, page string) string {
	if !term.IsTerminal(int(out.Fd())) {
		return page
	}
	colour := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		line = visible(line)
		if colour {
			line = colourLine(line)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

func colourLine(line string) string {
	switch {
	case line == "":
		return ""
	case strings.HasPrefix(line, "(Showing "), countLine().MatchString(line):
		return faint + line + reset
	case matchLine().MatchString(line):
		return matchLine().ReplaceAllString(line, faint+"$1"+reset+number+"$2"+reset+faint+"$3"+reset)
	}
	return heading + line + reset
}

// visible writes control characters as escapes; a tab stays.
func visible(line string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return '\ufffd'
		}
		return r
	}, line)
}
