package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// view writes plans and verdicts for people: the command with every word
// underlined by what happens to it, and below it where each word lands.
type view struct{ colour bool }

func newView(out *os.File) view {
	return view{colour: term.IsTerminal(int(out.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Colours of verdicts, and of what is beside the point.
var tones = map[judge.Verdict]string{judge.Allow: "\x1b[32m", judge.Ask: "\x1b[33m", judge.Deny: "\x1b[31m"}

func (v view) tone(code, text string) string {
	if !v.colour || text == "" {
		return text
	}
	return code + text + reset
}

// marks are what underlines a word, by its seat.
var marks = map[shellplan.Seat]rune{
	shellplan.SeatRead:  'r',
	shellplan.SeatWrite: 'w',
	shellplan.SeatEntry: 'w',
	shellplan.SeatTree:  'w',
	shellplan.SeatStat:  's',
	shellplan.SeatExec:  'x',
}

// unknownMark underlines what is not understood.
const unknownMark = '?'

// mark is one underlined stretch of the source.
type mark struct {
	span    shellplan.Span
	letter  rune
	verdict judge.Verdict
}

// gate is the whole answer.
func (v view) gate(g *harness.Gate) string {
	var b strings.Builder
	plan := g.Establishment.Plan
	fmt.Fprintf(&b, "%s\n\n", v.tone("\x1b[1m"+tones[g.Verdict], strings.ToUpper(g.Verdict.String())))
	b.WriteString(v.underlined(plan.Source, v.marksOf(plan, g)))
	rows := v.rows(g.Establishment, g.Reasons)
	if len(rows) > 0 {
		b.WriteString("\n" + table(rows))
	}
	if len(g.Reasons) > 0 {
		b.WriteString("\n")
	}
	for _, r := range g.Reasons {
		fmt.Fprintf(&b, "  %s %s\n", v.tone(tones[r.Verdict], r.Verdict.String()+":"), visible(r.Message))
	}
	return b.String()
}

// plan is a plan without a verdict.
func (v view) plan(p *shellplan.Plan) string {
	var b strings.Builder
	b.WriteString(v.underlined(p.Source, v.marksOf(p, nil)))
	var rows [][]string
	v.planRows(p, &rows)
	if len(rows) > 0 {
		b.WriteString("\n" + table(rows))
	}
	return b.String()
}

func (v view) planRows(p *shellplan.Plan, rows *[][]string) {
	opaque := func(o shellplan.Opaque) {
		*rows = append(*rows, []string{"  " + clipWord(o.Word), "unknown", visible(o.Detail)})
	}
	for _, o := range p.Opaque {
		opaque(o)
	}
	for i := range p.Segments {
		for _, o := range p.Segments[i].Opaque {
			opaque(o)
		}
		for j := range p.Segments[i].Candidates {
			c := &p.Segments[i].Candidates[j]
			if c.Implicit == shellplan.Explicit {
				*rows = append(*rows, []string{"  " + clipWord(c.Text), c.Seat.String(), clipWord(c.Raw)})
			}
		}
	}
	for i := range p.Nested {
		v.planRows(&p.Nested[i].Plan, rows)
	}
}

// marksOf collects what to underline: words by their seat, and what is not
// understood, each in the colour of its verdict.
func (v view) marksOf(p *shellplan.Plan, g *harness.Gate) []mark {
	var all []mark
	worst := func(segment int, span shellplan.Span) judge.Verdict {
		verdict := judge.Allow
		if g != nil {
			for _, r := range g.Reasons {
				if len(r.Nested) == 0 && r.Segment == segment && r.Span == span {
					verdict = min(verdict, r.Verdict)
				}
			}
		}
		return verdict
	}
	for i := range p.Segments {
		for j := range p.Segments[i].Candidates {
			c := &p.Segments[i].Candidates[j]
			if c.Implicit == shellplan.Explicit {
				all = append(all, mark{c.Span, marks[c.Seat], worst(i, c.Span)})
			}
		}
		for _, o := range p.Segments[i].Opaque {
			all = append(all, mark{o.Span, unknownMark, worst(i, o.Span)})
		}
	}
	for _, o := range p.Opaque {
		all = append(all, mark{o.Span, unknownMark, worst(-1, o.Span)})
	}
	return all
}

// underlined writes the source line by line with its marks below.
func (v view) underlined(source []byte, all []mark) string {
	letters := make([]rune, len(source))
	verdicts := make([]judge.Verdict, len(source))
	for i := range verdicts {
		verdicts[i] = judge.Allow
	}
	// Small marks last, so that a word shows within a larger stretch; at equal
	// size the strongest verdict wins.
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i].span.End-all[i].span.Start, all[j].span.End-all[j].span.Start
		if a != b {
			return a > b
		}
		return all[i].verdict > all[j].verdict
	})
	for _, m := range all {
		for i := max(0, m.span.Start); i < min(m.span.End, len(source)); i++ {
			letters[i], verdicts[i] = m.letter, m.verdict
		}
	}
	var b strings.Builder
	offset := 0
	for line := range strings.SplitSeq(string(source), "\n") {
		fmt.Fprintf(&b, "  %s\n", visible(strings.ReplaceAll(line, "\t", " ")))
		if under := v.underline(line, letters[offset:], verdicts[offset:]); under != "" {
			fmt.Fprintf(&b, "  %s\n", under)
		}
		offset += len(line) + 1
	}
	return b.String()
}

func (v view) underline(line string, letters []rune, verdicts []judge.Verdict) string {
	var b strings.Builder
	any := false
	for i, r := range line {
		letter := letters[i]
		if letter == 0 {
			letter = ' '
		} else {
			any = true
			if verdicts[i] != judge.Allow {
				letter = unicode.ToUpper(letter)
			}
		}
		text := strings.Repeat(string(letter), cells(r))
		if letter != ' ' {
			text = v.tone(tones[verdicts[i]], text)
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

// rows say where each word lands.
func (v view) rows(e *establish.Established, reasons []judge.Reason) [][]string {
	var rows [][]string
	seen := map[string]bool{}
	var walk func(e *establish.Established, way []int)
	walk = func(e *establish.Established, way []int) {
		for i := range e.Segments {
			for j := range e.Segments[i].Reads {
				r := &e.Segments[i].Reads[j]
				c := &e.Plan.Segments[i].Candidates[r.Candidate]
				if c.Implicit == shellplan.ImplicitDisclosed {
					continue
				}
				row := []string{"  " + clipWord(c.Text), c.Seat.String(), lands(r)}
				if key := strings.Join(row, "\x00"); !seen[key] {
					seen[key] = true
					rows = append(rows, row)
				}
			}
		}
		for i, nested := range e.Nested {
			walk(nested, append(way, i))
		}
	}
	walk(e, nil)
	return rows
}

// lands describes the landings of a word in a few words.
func lands(r *establish.Read) string {
	if r.State == establish.Unestablishable {
		return "not known (" + r.Reason.String() + ")"
	}
	first, more := "", 0
	for i := range r.Landings {
		l := &r.Landings[i]
		if l.Path == "" || l.Listed && len(r.Landings) > 1 {
			continue
		}
		if first == "" {
			first = l.Path
			if l.Tail != "" {
				first += "  (does not exist yet)"
			}
		} else {
			more++
		}
	}
	switch {
	case first == "":
		return "nothing"
	case more > 0:
		return visible(first) + fmt.Sprintf("  and %d more", more)
	}
	return visible(first)
}

// maxCell bounds a word in the table.
const maxCell = 40

func clipWord(word []byte) string {
	text, _ := shellplan.EscapeText(word)
	text = visible(strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "\t", " "))
	if runes := []rune(text); len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return text
}

// table aligns rows of three columns.
func table(rows [][]string) string {
	var widths [2]int
	size := func(s string) int {
		n := 0
		for _, r := range s {
			n += cells(r)
		}
		return n
	}
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], size(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i := range widths {
			b.WriteString(row[i] + strings.Repeat(" ", widths[i]-size(row[i])+2))
		}
		b.WriteString(row[2] + "\n")
	}
	return b.String()
}
