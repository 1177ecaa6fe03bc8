package command

import (
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Run reads the command by its row. A program that is not in the table may do
// anything.
func (c *Call) Run() {
	r, known := byName()[c.Name]
	if !known {
		c.Consumes()
		c.paths()
		c.Opaque(shellplan.OpaqueCommandUnknown, c.Word.Span, "the command is not in the table of known commands")
		c.EffectAny()
		c.PrintUnknown()
		return
	}
	c.steered(r)
	c.table(r)
}

// table reads a command by its row.
func (c *Call) table(r *row) {
	if r.run != nil {
		r.run(c, r)
		return
	}
	c.Printed = nil
	does := c.standard(r)
	switch {
	case !does: // --help
		c.PrintUnknown()
	case c.Printed != nil:
		c.Print(*c.Printed)
	case r.quiet:
		c.Silent = true
	}
}

// passes is what a filter without operands prints of its input.
func (c *Call) passes(r *row, p *shellword.Parsed) *shellword.Output {
	plain := true
	nul := false
	for i := range p.Opts {
		switch k := p.Opts[i].Spec.Key; {
		case k == "c" || k == "num":
			return nil
		case k == "z":
			nul = true
		default:
			plain = false
		}
	}
	switch in := c.Stdin; {
	case in.Kind == shellword.InputText && r.filter == "all" && plain && len(in.Text) <= shellword.MaxOutput:
		return &shellword.Output{Kind: shellword.OutputText, Text: in.Text}
	case in.Kind == shellword.InputNames && in.Nul == nul:
		return &shellword.Output{Kind: shellword.OutputNames, Sets: in.Sets, Nul: nul}
	}
	return nil
}

// standard parses options and operands and makes candidates of them. It reports
// whether the command does anything at all.
func (c *Call) standard(r *row) bool {
	p := c.Parse(r.options(), r.style)
	if p.Exits {
		return false
	}
	rd := &reading{args: r.args, dash: r.dash, dot: r.dot, read: r.read, optValues: map[string][]int{}}
	if r.adjust != nil {
		r.adjust(c, &p, rd)
	}
	for i := range p.Opts {
		u := &p.Opts[i]
		if u.Spec.Role == 'X' || u.Spec.Role == 'P' || u.Has {
			n := c.role(u.Spec.Role, u.Value, true, &reading{dash: rd.dash}, u.Word)
			rd.optValues[u.Spec.Key] = append(rd.optValues[u.Spec.Key], n)
		}
	}
	if !rd.skip {
		c.operands(p.Operands, rd)
	}
	if r.after != nil {
		r.after(c, &p, rd)
	}
	_, rest, _ := splitArgs(rd.args)
	reads := r.stdin || rest == 'R' && len(p.Operands) == 0 && !rd.dot || rest == 0 && len(p.Operands) == 0
	if reads {
		if r.filter != "" && c.Printed == nil && !p.Failed && (len(p.Operands) == 0 || r.stdin) {
			c.Printed = c.passes(r, &p)
		}
		c.Consumes()
	}
	return true
}

// alwaysSteers are variables that change what any program opens.
const alwaysSteers = "POSIXLY_CORRECT GCONV_PATH LOCPATH MALLOC_TRACE"

// steering is every variable that some row or the shell looks at, for variables
// of an environment that was not given whole.
var steering = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(alwaysSteers) {
		out[name] = true
	}
	for _, r := range rows {
		for name := range strings.FieldsSeq(r.env) {
			out[name] = true
		}
	}
	return out
})

// steered adds a reason for every variable that takes the command out of its
// row.
func (c *Call) steered(r *row) {
	for _, names := range []string{alwaysSteers, r.env} {
		for name := range strings.FieldsSeq(names) {
			if v := c.Variable(name); v.Kind != shellword.ValueUnset && (v.Kind != shellword.ValueText || len(v.Text) > 0) && !harmless(name, v) {
				c.environment(name)
			}
		}
	}
	for _, name := range c.Loaders() {
		c.environment(name)
	}
	if !timeless[c.Name] {
		c.Zone()
	}
}

// timeless commands never look at a time.
var timeless = map[string]bool{
	"cat": true, "tac": true, "head": true, "tail": true, "wc": true, "cut": true, "paste": true, "tr": true, "rev": true, "fold": true,
	"nl": true, "grep": true, "egrep": true, "fgrep": true, "sed": true, "cmp": true, "comm": true, "join": true, "uniq": true, "sort": true,
	"basename": true, "dirname": true, "tee": true, "true": true, "false": true, "readlink": true, "realpath": true, "rm": true, "mkdir": true,
}

// Steers reports whether a variable makes some command read, write or run more
// than its words say.
func Steers(name string) bool { return steering()[name] }
