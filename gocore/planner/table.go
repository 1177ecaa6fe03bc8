package planner

import (
	"fmt"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// row describes one command.
type row struct {
	// opts and args are the specifications of option.go.
	opts, args string
	style      style
	// dash says that the operand "-" is the standard stream.
	dash bool
	// dot is read as "." when there is no operand of the repeated role.
	dot bool
	// read is what a word at role R is, beside its seat.
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
	adjust func(c *cmd, p *parsed, r *reading)
	// after runs when the words have become candidates.
	after func(c *cmd, p *parsed, r *reading)
	// run reads the command by itself; opts and args then only help it.
	run func(c *cmd)
	// note is for the documentation: implicit reads and known limits.
	note string
}

func (r *row) options() *optionSet { return optionsOf(r.opts, false) }

// optionSets keeps parsed specifications: they are read on first use, since a
// command line needs one or two of them.
var optionSets sync.Map

func optionsOf(spec string, negates bool) *optionSet {
	if set, ok := optionSets.Load(spec); ok {
		return set.(*optionSet)
	}
	set := parseOptions(spec)
	set.negates = negates
	optionSets.Store(spec, set)
	return set
}

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
func (c *cmd) passes(r *row, p *parsed) *output {
	plain := true
	nul := false
	for i := range p.opts {
		switch k := p.opts[i].spec.key; {
		case k == "c" || k == "num":
			return nil
		case k == "z":
			nul = true
		default:
			plain = false
		}
	}
	switch in := c.stdin; {
	case in.kind == inputText && r.filter == "all" && plain && len(in.text) <= maxOutput:
		return &output{kind: outText, text: in.text}
	case in.kind == inputNames && in.nul == nul:
		return &output{kind: outNames, sets: in.sets, nul: nul}
	}
	return nil
}

// consumes ends what is known of the input that the shell's next command reads.
func (c *cmd) consumes() { c.consumed = true }

// standard parses options and operands and makes candidates of them. It reports
// whether the command does anything at all.
func (c *cmd) standard(r *row) bool {
	p := c.parse(r.options(), r.style)
	if p.exits {
		return false
	}
	rd := &reading{args: r.args, dash: r.dash, dot: r.dot, read: r.read, optValues: map[string][]int{}}
	if r.adjust != nil {
		r.adjust(c, &p, rd)
	}
	for i := range p.opts {
		u := &p.opts[i]
		if u.spec.role == 'X' || u.spec.role == 'P' || u.has {
			n := c.role(u.spec.role, u.value, true, &reading{dash: rd.dash}, u.word)
			rd.optValues[u.spec.key] = append(rd.optValues[u.spec.key], n)
		}
	}
	if !rd.skip {
		c.operands(p.operands, rd)
	}
	if r.after != nil {
		r.after(c, &p, rd)
	}
	_, rest, _ := splitArgs(rd.args)
	reads := r.stdin || rest == 'R' && len(p.operands) == 0 && !rd.dot || rest == 0 && len(p.operands) == 0
	if reads {
		if r.filter != "" && c.printed == nil && !p.failed && (len(p.operands) == 0 || r.stdin) {
			c.printed = c.passes(r, &p)
		}
		c.consumes()
	}
	return true
}

// role makes a candidate of a word by its role; -1 when it is none. word is the
// option's own word when f is its value.
func (c *cmd) role(role byte, f field, safe bool, rd *reading, word field) int {
	stream := rd.dash && f.dyn == nil && f.set == nil && !f.pattern && string(f.raw) == "-"
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
		return c.add(f, shellplan.SeatRead, with)
	case 'N':
		c.opaque(shellplan.OpaqueNames, word.span, "the names come from the content of a file")
		if stream {
			return -1
		}
		return c.add(f, shellplan.SeatRead, shellplan.Candidate{OptionSafe: true})
	case 'C':
		return c.script(f, word)
	case 'W':
		if stream {
			return -1
		}
		return c.add(f, shellplan.SeatWrite, with)
	case 'E':
		return c.add(f, shellplan.SeatEntry, with)
	case 'S':
		return c.add(f, shellplan.SeatStat, with)
	case 'L':
		with.NoFollow = true
		return c.add(f, shellplan.SeatStat, with)
	case 'T':
		with.Traversal = treeWalk
		return c.add(f, shellplan.SeatTree, with)
	case 'D':
		c.chdirTo(f, shellplan.SeatStat)
		return -1
	case 'I':
		if f.dyn != nil {
			return c.add(f, shellplan.SeatEntry, with)
		}
		return -1 // the row adds it when the sources are known
	case 'P':
		c.opaque(shellplan.OpaqueProgram, word.span, "it names a program that the command runs")
		c.effectAny()
		return -1
	}
	c.opaque(shellplan.OpaqueOption, word.span, fmt.Sprintf("what %s does with it is not modelled", c.name))
	return -1
}

// script adds a file that is a program for the command. The establishment reads
// it, in the languages it can be asked about, unless the text itself may have
// written it before.
func (c *cmd) script(f, word field) int {
	with := shellplan.Candidate{OptionSafe: true}
	switch c.name {
	case "sed", "gsed":
		with.Script = shellplan.ScriptSed
	case "jq":
		with.Script = shellplan.ScriptJq
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		with.Script = shellplan.ScriptAwk
	}
	if string(f.raw) == "-" && f.dyn == nil && c.name != "jq" {
		c.opaque(shellplan.OpaqueScript, word.span, "the program comes from the standard input")
		return -1
	}
	if with.Script == "" || c.p.visible >= 0 || c.p.budget.wrote {
		with.Script = ""
		c.opaque(shellplan.OpaqueScript, word.span, "the file is a program for the command, which is not read")
	}
	n := c.add(f, shellplan.SeatRead, with)
	if n < 0 {
		c.opaque(shellplan.OpaqueScript, word.span, "the program comes from another command")
	}
	return n
}

// treeWalk is the walk below a tree that is written: links that lie there may
// be written through.
var treeWalk = &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true}

// listed adds a pattern that is no path: expanding it lists directories all the
// same.
func (c *cmd) listed(f field, safe bool) {
	if !f.pattern || f.dyn != nil || c.st.flag[flagNoGlob] == on {
		return
	}
	c.add(f, shellplan.SeatStat, shellplan.Candidate{OptionSafe: safe || f.raw[0] == '-', NoFollow: !endsInSlash(f.raw)})
}

// endsInSlash: expanding such a pattern looks through links; expanding any other
// one looks at the names alone.
func endsInSlash(raw []byte) bool { return len(raw) > 0 && raw[len(raw)-1] == '/' }

// chdirTo adds a directory change for the words that follow. Some programs open
// the directory for it (tar), others only change to it.
func (c *cmd) chdirTo(f field, seat shellplan.Seat) {
	if f.dyn != nil || f.pattern || f.set != nil {
		c.opaque(shellplan.OpaqueCwd, f.span, "the directory that the option changes to is not known")
		f = lit([]byte("."), f.span)
	}
	c.add(f, seat, shellplan.Candidate{OptionSafe: true, DirOnly: seat == shellplan.SeatRead})
	c.chdir = append(append([]shellplan.CwdStep{}, c.chdir...), shellplan.CwdStep{Word: shellplan.Word{Raw: f.raw}, Mode: shellplan.CwdProcess, Span: f.span})
}
