package planner

import (
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// summary writes a plan short: one line per segment, `access(raw)` per explicit
// candidate with marks (* pattern, / walk, > into a directory, ? read again as
// words), `~` before implicit ones, [steps;] per directory, ^effect, !reason.
func summary(p *shellplan.Plan) string {
	var out []string
	for _, o := range p.Opaque {
		out = append(out, "!"+o.Code.String())
	}
	for i := range p.Segments {
		out = append(out, line(&p.Segments[i]))
	}
	for i := range p.Nested {
		n := &p.Nested[i]
		out = append(out, fmt.Sprintf("%d %s{%s}", n.Segment, n.How, summary(&n.Plan)))
	}
	return strings.Join(out, "\n")
}

func line(s *shellplan.Segment) string {
	words := []string{s.Command}
	for i := range s.Candidates {
		c := &s.Candidates[i]
		if c.Implicit == shellplan.Explicit {
			words = append(words, short(c))
		}
	}
	if cwds := directories(s); cwds != "[]" {
		words = append(words, "in"+cwds)
	}
	for _, e := range s.Effects {
		words = append(words, "^"+e.Kind.String())
	}
	for _, o := range s.Opaque {
		words = append(words, "!"+o.Code.String())
	}
	return strings.Join(words, " ")
}

func directories(s *shellplan.Segment) string {
	if s.CwdUnknown {
		return "?"
	}
	var out strings.Builder
	for _, c := range s.Cwds {
		out.WriteByte('[')
		for _, step := range c.Steps {
			if step.Mode == shellplan.CwdPhysical {
				out.WriteByte('-')
			}
			out.Write(step.Raw)
			out.WriteByte(';')
		}
		out.WriteByte(']')
	}
	return out.String()
}

func short(c *shellplan.Candidate) string {
	mark := c.Access.String()
	if c.NoFollow {
		mark += "-"
	}
	if c.Pattern {
		mark += "*"
	}
	if c.Traversal != nil {
		mark += "/"
	}
	if c.Into != nil {
		mark += ">"
	}
	if c.Resplit {
		mark += "?"
	}
	text := string(c.Raw)
	if c.Kind != shellplan.KindWord {
		text = c.Kind.String() + ":" + text
	}
	for _, s := range c.Chdir {
		text = string(s.Raw) + ":" + text
	}
	for _, n := range c.Names {
		text += "+" + string(n)
	}
	return mark + "(" + text + ")"
}

// plan is the summary of a text under bash.
func plan(text string) string { return summary(Build(text, options(shellplan.DialectBash))) }
