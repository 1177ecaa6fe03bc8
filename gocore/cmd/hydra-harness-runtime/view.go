package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// view writes plans and decisions for people: the command with every word
// underlined by what happens to it, and below it where each word lands.
type view struct {
	colour bool
	width  int // columns of the terminal; 0: lines are not broken
}

func newView(out *os.File) view {
	if !term.IsTerminal(int(out.Fd())) {
		return view{}
	}
	v := view{colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if wide, _, err := term.GetSize(int(out.Fd())); err == nil {
		v.width = wide
	}
	return v
}

// Colours of decisions, and of what is beside the point.
var tones = map[judge.Decision]string{judge.Allow: "\x1b[32m", judge.Confine: "\x1b[36m", judge.Ask: "\x1b[33m", judge.Deny: "\x1b[31m"}

func (v view) tone(code, text string) string {
	if !v.colour || text == "" {
		return text
	}
	return code + text + reset
}

// gate is the whole answer.
func (v view) gate(g *harness.Gate) string {
	var b strings.Builder
	plan := g.Establishment.Plan
	fmt.Fprintf(&b, "%s\n\n", v.tone("\x1b[1m"+tones[g.Decision], strings.ToUpper(g.Decision.String())))
	b.WriteString(v.underlined(plan.Source, v.marksOf(plan, g)))
	rows := v.rows(g.Establishment, g.Reasons)
	if len(rows) > 0 {
		b.WriteString("\n" + table(rows))
	}
	if len(g.Reasons) > 0 {
		b.WriteString("\n")
	}
	told := map[string]bool{} // several commands of one text may have the same reason
	for _, r := range g.Reasons {
		text := flagWords.Tell(r)
		if lead := r.Decision.String() + ":"; !told[lead+text] {
			told[lead+text] = true
			fmt.Fprintf(&b, "  %s %s\n", v.tone(tones[r.Decision], lead), v.folded(visible(text), len(lead)+3))
		}
	}
	if g.Unconfined != "" {
		fmt.Fprintf(&b, "\n  it cannot be confined: %s\n", v.folded(visible(g.Unconfined), 2))
	}
	if g.Confinement != nil {
		fmt.Fprintf(&b, "\n  run it so, and the kernel keeps it inside:\n  %s\n", visible(g.Confinement.Command))
	}
	return b.String()
}

// plan is a plan without a decision.
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
				*rows = append(*rows, []string{"  " + clipWord(c.Text), c.Access.String(), clipWord(c.Raw)})
			}
		}
	}
	for i := range p.Nested {
		v.planRows(&p.Nested[i].Plan, rows)
	}
}

// marksOf collects what to underline: words by their access, and what is not
// understood, each in the colour of its decision.
func (v view) marksOf(p *shellplan.Plan, g *harness.Gate) []mark {
	var all []mark
	worst := func(segment int, span shellplan.Span) judge.Decision {
		decision := judge.Allow
		if g != nil {
			for _, r := range g.Reasons {
				if len(r.Nested) == 0 && r.Segment == segment && r.Span == span {
					decision = min(decision, r.Decision)
				}
			}
		}
		return decision
	}
	for i := range p.Segments {
		for j := range p.Segments[i].Candidates {
			c := &p.Segments[i].Candidates[j]
			if c.Implicit == shellplan.Explicit {
				all = append(all, mark{c.Span, marks[c.Access], worst(i, c.Span)})
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

// rows say where each word lands.
func (v view) rows(e *establish.Established, reasons []judge.Reason) [][]string {
	var rows [][]string
	seen := map[string]bool{}
	var walk func(e *establish.Established, way []int)
	walk = func(e *establish.Established, way []int) {
		for i := range e.Segments {
			for j := range e.Segments[i].Resolutions {
				r := &e.Segments[i].Resolutions[j]
				c := &e.Plan.Segments[i].Candidates[r.Candidate]
				if c.Implicit == shellplan.ImplicitDisclosed {
					continue
				}
				word := clipWord(c.Text)
				if word == "" { // a file that the command opens by itself
					word = "(" + clipWord([]byte(e.Plan.Segments[i].Command)) + ")"
				}
				row := []string{"  " + word, c.Access.String(), lands(r)}
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
func lands(r *establish.Resolution) string {
	if r.State == establish.Unestablishable {
		if why := r.Reason.String(); why != "" {
			return "not known (" + why + ")"
		}
		return "not known"
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
