package command

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// runDd reads the operands of dd, which have names instead of dashes.
//
// Coreutils manual, "dd invocation".
func runDd(c *Call, r *row) {
	input := false
	for _, a := range c.Args {
		i := bytes.IndexByte(a.Raw, '=')
		if i < 0 || a.Set != nil {
			switch s, ok := a.Plain(); {
			case ok && (s == "--help" || s == "--version" || s == "--"):
			case ok:
				// dd refuses the word.
			case a.Pattern && a.Dyn == nil:
				c.Opaque(shellplan.OpaqueRole, a.Span, "the names a pattern matches could read as operands of dd")
			default:
				c.AddReason(*c.Reason(firstReason(a.Dyn), a.Span))
			}
			continue
		}
		value := a.From(i + 1)
		switch string(a.Raw[:i]) {
		case "if", "of":
			if value.Pattern {
				c.Opaque(shellplan.OpaquePattern, a.Span, "a pattern in an operand of dd")
				continue
			}
			if a.Raw[0] == 'i' {
				input = true
				c.Add(value, shellplan.AccessRead, shellplan.Candidate{OptionSafe: true})
			} else {
				c.Add(value, shellplan.AccessWrite, shellplan.Candidate{OptionSafe: true})
			}
		default:
			c.Listed(a, true)
			if a.Many {
				c.AddReason(*c.Reason(firstReason(a.Dyn), a.Span))
			}
		}
	}
	if !input {
		c.Consumes()
	}
	c.PrintUnknown()
}

var ddRow = &row{
	names: "dd",
	run:   runDd, stdin: true, note: "if= is read, of= is written.",
}
