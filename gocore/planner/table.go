package planner

import (
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// row describes one command.
type row struct {
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
	adjust func(c *cmd, p *shellword.Parsed, r *reading)
	// after runs when the words have become candidates.
	after func(c *cmd, p *shellword.Parsed, r *reading)
	// run reads the command by itself; opts and args then only help it.
	run func(c *cmd)
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
	names     [][]byte
}

// table reads a command by its row.
func (c *cmd) table(r *row) {
	if r.run != nil {
		r.run(c)
		return
	}
	c.printed = nil
	does := c.standard(r)
	switch {
	case !does: // --help
		c.p.printUnknown(c.st)
	case c.printed != nil:
		c.p.print(c.st, *c.printed)
	case r.quiet:
		c.silent = true
	}
}

// passes is what a filter without operands prints of its input.
func (c *cmd) passes(r *row, p *shellword.Parsed) *shellword.Output {
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
	switch in := c.stdin; {
	case in.Kind == shellword.InputText && r.filter == "all" && plain && len(in.Text) <= shellword.MaxOutput:
		return &shellword.Output{Kind: shellword.OutputText, Text: in.Text}
	case in.Kind == shellword.InputNames && in.Nul == nul:
		return &shellword.Output{Kind: shellword.OutputNames, Sets: in.Sets, Nul: nul}
	}
	return nil
}

// consumes ends what is known of the input that the shell's next command reads.
func (c *cmd) consumes() { c.consumed = true }

// standard parses options and operands and makes candidates of them. It reports
// whether the command does anything at all.
func (c *cmd) standard(r *row) bool {
	p := c.parse(r.options(), r.style)
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
		if r.filter != "" && c.printed == nil && !p.Failed && (len(p.Operands) == 0 || r.stdin) {
			c.printed = c.passes(r, &p)
		}
		c.consumes()
	}
	return true
}

// role makes a candidate of a word by its role; -1 when it is none. word is the
// option's own word when f is its value.
func (c *cmd) role(role byte, f shellword.Field, safe bool, rd *reading, word shellword.Field) int {
	stream := rd.dash && f.Dyn == nil && f.Set == nil && !f.Pattern && string(f.Raw) == "-"
	with := shellplan.Candidate{}
	switch role {
	case 'R', 'N', 'C':
		with = rd.read
	case 'W', 'E', 'T', 'I':
		with = rd.write
	}
	with.OptionSafe = safe || with.OptionSafe
	switch role {
	case 'V', 0:
		c.listed(f, safe)
		return -1
	case 'R':
		if stream {
			return -1
		}
		return c.add(f, shellplan.AccessRead, with)
	case 'N':
		c.opaque(shellplan.OpaqueNames, word.Span, "the names come from the content of a file")
		if stream {
			return -1
		}
		return c.add(f, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
	case 'C':
		return c.script(f, word)
	case 'W':
		if stream {
			return -1
		}
		return c.add(f, shellplan.AccessWrite, with)
	case 'E':
		return c.add(f, shellplan.AccessEntry, with)
	case 'S':
		return c.add(f, shellplan.AccessStat, with)
	case 'L':
		with.NoFollow = true
		return c.add(f, shellplan.AccessStat, with)
	case 'T':
		with.Traversal = treeWalk
		return c.add(f, shellplan.AccessTree, with)
	case 'D':
		c.chdirTo(f, shellplan.AccessStat)
		return -1
	case 'I':
		if f.Dyn != nil {
			return c.add(f, shellplan.AccessEntry, with)
		}
		return -1 // the row adds it when the sources are known
	case 'P':
		c.opaque(shellplan.OpaqueProgram, word.Span, "it names a program that the command runs")
		c.effectAny()
		return -1
	}
	c.opaque(shellplan.OpaqueOption, word.Span, fmt.Sprintf("what %s does with it is not modelled", c.name))
	return -1
}

// script adds a file that is a program for the command. The establishment reads
// it, in the languages it can be asked about, unless the text itself may have
// written it before.
func (c *cmd) script(f, word shellword.Field) int {
	with := shellplan.Candidate{OptionSafe: true}
	switch c.name {
	case "sed", "gsed":
		with.Script = shellplan.ScriptSed
	case "jq":
		with.Script = shellplan.ScriptJq
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		with.Script = shellplan.ScriptAwk
	}
	if string(f.Raw) == "-" && f.Dyn == nil && c.name != "jq" {
		c.opaque(shellplan.OpaqueScript, word.Span, "the program comes from the standard input")
		return -1
	}
	if with.Script == "" || c.p.visible >= 0 || c.p.budget.wrote {
		with.Script = ""
		c.opaque(shellplan.OpaqueScript, word.Span, "the file is a program for the command, which is not read")
	}
	n := c.add(f, shellplan.AccessRead, with)
	if n < 0 {
		c.opaque(shellplan.OpaqueScript, word.Span, "the program comes from another command")
	}
	return n
}

// treeWalk is the walk below a tree that is written: links that lie there may
// be written through.
var treeWalk = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true}

// listed adds a pattern that is no path: expanding it lists directories all the
// same.
func (c *cmd) listed(f shellword.Field, safe bool) {
	if !f.Pattern || f.Dyn != nil || c.st.flag[flagNoGlob] == on {
		return
	}
	c.add(f, shellplan.AccessStat, shellplan.Candidate{OptionSafe: safe || f.Raw[0] == '-', NoFollow: !shellword.EndsInSlash(f.Raw)})
}

// chdirTo adds a directory change for the words that follow. Some programs open
// the directory for it (tar), others only change to it.
func (c *cmd) chdirTo(f shellword.Field, access shellplan.Access) {
	if f.Dyn != nil || f.Pattern || f.Set != nil {
		c.opaque(shellplan.OpaqueCwd, f.Span, "the directory that the option changes to is not known")
		f = shellword.Literal([]byte("."), f.Span)
	}
	c.add(f, access, shellplan.Candidate{OptionSafe: true, DirOnly: access == shellplan.AccessRead})
	c.chdir = append(append([]shellplan.CwdStep{}, c.chdir...), shellplan.CwdStep{Word: shellplan.Word{Raw: f.Raw}, Mode: shellplan.CwdProcess, Span: f.Span})
}
