package main

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"golang.org/x/text/width"
)

// marks are what underlines a word, by its access.
var marks = map[shellplan.Access]rune{
	shellplan.AccessRead:  'r',
	shellplan.AccessWrite: 'w',
	shellplan.AccessEntry: 'w',
	shellplan.AccessTree:  'w',
	shellplan.AccessStat:  's',
	shellplan.AccessExec:  'x',
}

// unknownMark underlines what is not understood.
const unknownMark = '?'

// mark is one underlined stretch of the source.
type mark struct {
	span     shellplan.Span
	letter   rune
	decision judge.Decision
}

// underlined writes the source line by line with its marks below.
func (v view) underlined(source []byte, all []mark) string {
	letters := make([]rune, len(source))
	decisions := make([]judge.Decision, len(source))
	for i := range decisions {
		decisions[i] = judge.Allow
	}
	// Small marks last, so that a word shows within a larger stretch; at equal
	// size the strongest decision wins.
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i].span.End-all[i].span.Start, all[j].span.End-all[j].span.Start
		if a != b {
			return a > b
		}
		return all[i].decision > all[j].decision
	})
	for _, m := range all {
		for i := max(0, m.span.Start); i < min(m.span.End, len(source)); i++ {
			letters[i], decisions[i] = m.letter, m.decision
		}
	}
	var b strings.Builder
	offset := 0
	for line := range strings.SplitSeq(string(source), "\n") {
		fmt.Fprintf(&b, "  %s\n", visible(strings.ReplaceAll(line, "\t", " ")))
		if under := v.underline(line, letters[offset:], decisions[offset:]); under != "" {
			fmt.Fprintf(&b, "  %s\n", under)
		}
		offset += len(line) + 1
	}
	return b.String()
}

func (v view) underline(line string, letters []rune, decisions []judge.Decision) string {
	var b strings.Builder
	any := false
	for i, r := range line {
		letter := letters[i]
		if letter == 0 {
			letter = ' '
		} else {
			any = true
			if decisions[i] != judge.Allow {
				letter = unicode.ToUpper(letter)
			}
		}
		text := strings.Repeat(string(letter), cells(r))
		if letter != ' ' {
			text = v.tone(tones[decisions[i]], text)
		}
		b.WriteString(text)
	}
	if !any {
		return ""
	}
	return strings.TrimRight(b.String(), " ")
}

// cells is how many columns a character takes on a terminal.
func cells(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
		return 2
	}
	return 1
}
