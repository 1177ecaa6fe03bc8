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

const gnu = " help! version!"

// asBuiltin is a program that does what the shell's builtin of its name does.
func asBuiltin(c *Call, _ *row) { c.AsBuiltin() }
