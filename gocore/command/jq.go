package command

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellscript"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

var jqRow = &row{
	names: "jq",
	run:   runJq, note: "Includes ~/.jq on its own. A program that imports modules, or one in a file, is opaque.",
}

// jqTakes are the options of jq with a value, and the role of each.
var jqTakes = map[string]string{
	"--arg": "VV", "--argjson": "VV", "--slurpfile": "VR", "--rawfile": "VR", "--argfile": "VR", "--indent": "V",
	"-L": "X", "--library-path": "X", "--from-file": "C", "-f": "C", "--stream-errors": "",
}

var jqFlags = map[string]bool{
	"--null-input": true, "--raw-input": true, "--slurp": true, "--compact-output": true, "--raw-output": true, "--raw-output0": true,
	"--join-output": true, "--ascii-output": true, "--sort-keys": true, "--color-output": true, "--monochrome-output": true, "--tab": true,
	"--unbuffered": true, "--stream": true, "--seq": true, "--exit-status": true, "--ascii": true, "--binary": true,
}

// runJq reads jq, whose options and operands mix in a way of its own: the first
// operand is the program, or the file that -f says it is.
//
// jq manual, "Invoking jq". Long because no option specification fits: an
// option takes the next one or two words wherever it stands, and letters join.
func runJq(c *Call, r *row) {
	c.home(".jq", shellplan.ImplicitDisclosed)
	rd := &reading{}
	type operand struct {
		shellword.Operand
		role byte // unless it is the program
	}
	var operands []operand
	safe, fromFile := false, false
	role := byte('R')
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		s, ok := a.Plain()
		if !ok || safe || len(s) < 2 || s[0] != '-' {
			if !ok && !safe && a.Dyn != nil && a.MayBeOption() {
				c.AddReason(*c.Reason(a.Dyn, a.Span))
			}
			operands = append(operands, operand{shellword.Operand{Field: a, Safe: safe}, role})
			continue
		}
		if s[1] != '-' && !shellword.IsLetter(s[1]) {
			c.Opaque(shellplan.OpaqueOption, a.Span, "jq may take "+shellword.Clip(s, 40)+" for the program")
			continue
		}
		switch s {
		case "--":
			safe = true
			continue
		case "--help", "-h", "--version", "-V", "--build-configuration":
			for _, a := range c.Args[i:] {
				c.Listed(a, true)
			}
			return
		case "--args", "--jsonargs":
			role = 'V' // of what follows
			continue
		}
		if roles, known := jqTakes[s]; known {
			if roles == "C" {
				fromFile = true // the file is the first operand
				continue
			}
			for _, r := range []byte(roles) {
				if i++; i < len(c.Args) {
					if c.several(c.Args[i]) {
						c.Opaque(shellplan.OpaqueRole, c.Args[i].Span, "the value of an option may be no word or several")
					}
					c.role(r, c.Args[i], true, rd, a)
				}
			}
			continue
		}
		if s[1] == '-' {
			if !jqFlags[s] {
				c.Opaque(shellplan.OpaqueOption, a.Span, "the option "+shellword.Clip(s, 40)+" of jq is not in the table")
			}
			continue
		}
		for _, l := range []byte(s[1:]) {
			switch {
			case l == 'f':
				fromFile = true
			case bytes.IndexByte([]byte("ncrjaSCMseRb"), l) < 0:
				c.Opaque(shellplan.OpaqueOption, a.Span, "the option -"+shellword.Printable(l)+" of jq is not in the table")
			}
		}
	}
	if len(operands) == 0 {
		return
	}
	program := operands[0]
	switch s, ok := program.Plain(); {
	case fromFile:
		c.script(program.Field, program.Field)
	case !ok && c.several(program.Field):
		c.Opaque(shellplan.OpaqueRole, program.Span, "an unquoted pattern character in the program can match file names")
	case ok:
		if _, why := shellscript.Jq([]byte(s)); why != "" {
			c.Opaque(shellplan.OpaqueScript, program.Span, why)
		}
	}
	if len(operands) == 1 {
		c.Consumes()
	}
	for _, o := range operands[1:] {
		c.role(o.role, o.Field, o.Safe, rd, o.Field)
	}
}
