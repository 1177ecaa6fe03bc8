package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func init() {
	add(&row{run: runJq, note: "Includes ~/.jq on its own. A program that imports modules, or one in a file, is opaque."}, "jq")
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

// jqModules reports whether a program may read modules. The words count
// wherever they stand, in a string or a comment too.
func jqModules(program []byte) bool {
	for _, word := range []string{"import", "include", "modulemeta"} {
		if bytes.Contains(program, []byte(word)) {
			return true
		}
	}
	return false
}

// runJq reads jq, whose options and operands mix in a way of its own: the first
// operand is the program, or the file that -f says it is.
func runJq(c *cmd) {
	c.home(".jq", shellplan.ImplicitDisclosed)
	rd := &reading{}
	var operands []operand
	safe, fromFile := false, false
	rest := byte('R')
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		s, ok := a.str()
		if !ok || safe || len(s) < 2 || s[0] != '-' {
			if !ok && !safe && a.dyn != nil && a.mayBeOption() {
				c.p.addReason(c.seg, *c.p.reason(a.dyn, a.span))
			}
			operands = append(operands, operand{a, safe})
			continue
		}
		switch s {
		case "--":
			safe = true
			continue
		case "--help", "-h", "--version", "-V", "--build-configuration":
			return
		case "--args", "--jsonargs":
			rest = 'V'
			continue
		}
		if roles, known := jqTakes[s]; known {
			if roles == "C" {
				fromFile = true // the file is the first operand
				continue
			}
			for _, r := range []byte(roles) {
				if i++; i < len(c.args) {
					c.role(r, c.args[i], true, rd, a)
				}
			}
			continue
		}
		if s[1] == '-' {
			if !jqFlags[s] {
				c.opaque(shellplan.OpaqueOption, a.span, "the option "+clip(s, 40)+" of jq is not in the table")
			}
			continue
		}
		for _, l := range []byte(s[1:]) {
			switch {
			case l == 'f':
				fromFile = true
			case bytes.IndexByte([]byte("ncrjaSCMseRb0123456789"), l) < 0:
				c.opaque(shellplan.OpaqueOption, a.span, "the option -"+printable(l)+" of jq is not in the table")
			}
		}
	}
	if len(operands) == 0 {
		return
	}
	program := operands[0]
	switch s, ok := program.str(); {
	case fromFile:
		c.script(program.field, program.field)
	case !ok && c.several(program.field):
		c.opaque(shellplan.OpaqueRole, program.span, "an unquoted pattern character in the program can match file names")
	case ok && jqModules([]byte(s)):
		c.opaque(shellplan.OpaqueScript, program.span, "the program imports modules")
	}
	if len(operands) == 1 {
		c.consumes()
	}
	for _, o := range operands[1:] {
		c.role(rest, o.field, o.safe, rd, o.field)
	}
}
