package command

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// row describes one command.
type row struct {
	// names are the names it has, blanks between them.
	names string
	// opts and args are the specifications of option.go.
	opts, args string
	style      shellword.Style
	// dash says that the operand "-" is the standard stream.
	dash bool
	// dot is read as "." when there is no operand of the repeated role.
	dot bool
	// read is what a word at role R is, beside its access.
	read shellplan.Candidate
	// env names the variables that make the command read, write or run more
	// than its words say.
	env string
	// opaque says that the command is known and never modelled; note says why.
	opaque bool
	// quiet says that it prints nothing on its standard output.
	quiet bool
	// stdin says that it reads its standard input although it has no
	// operand that could name it; a row with a repeated R reads it when
	// there is no such operand.
	stdin bool
	// filter says that, without operands, each line it prints is a line of
	// its input: "all" of them unchanged when no option is given, or "some".
	filter string
	// adjust changes the reading once the options are known.
	adjust func(c *Call, p *shellword.Parsed, r *reading)
	// after runs when the words have become candidates.
	after func(c *Call, p *shellword.Parsed, r *reading)
	// run reads the command by itself; opts and args then only help it.
	run func(c *Call, r *row)
	// note is for the documentation: implicit reads and known limits.
	note string
}

func (r *row) options() *shellword.OptionSet { return shellword.OptionsOf(r.opts, false) }

// reading is how the operands of one command line are read, options included.
type reading struct {
	args  string
	dash  bool
	dot   bool
	read  shellplan.Candidate // template for R
	write shellplan.Candidate // template for W, E, T and I
	// ops are the candidates of the operands, in order, -1 for none; roles
	// their roles.
	ops   []int
	roles []byte
	// optValues are the candidates of option values, by option key.
	optValues map[string][]int
	skip      bool // the operands were read already
}

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

const gnu = " help! version!"

// asBuiltin is a program that does what the shell's builtin of its name does.
func asBuiltin(c *Call, _ *row) { c.AsBuiltin() }
