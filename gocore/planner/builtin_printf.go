package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

func runPrintf(c *cmd) {
	args, name := c.Args, ""
	if s, ok := shellword.First(args); ok && c.p.plan.Shell.Dialect != shellplan.DialectDash {
		if s == "-v" && len(args) > 1 {
			name, _ = args[1].Plain()
			args = args[2:]
			if name == "" {
				c.opaque(shellplan.OpaqueDynamic, c.Span, "which variable printf sets is not known")
				c.st.dirty = c.p.why(shellplan.OpaqueDynamic, c.Span, "which variable printf sets is not known")
			}
		} else if len(s) > 2 && s[:2] == "-v" {
			name, args = s[2:], args[1:]
		}
	}
	if s, ok := shellword.First(args); ok && s == "--" {
		args = args[1:]
	}
	c.Words(args)
	if s, ok := shellword.First(args); !ok || strings.Contains(s, "%(") {
		c.Zone()
	}
	t, ok := shellword.Printf(args)
	if name != "" {
		v := shellword.TextValue(t)
		if !ok {
			v = shellword.Unknown(c.p.why(shellplan.OpaqueDynamic, c.Span, "what printf makes of its words is not known"))
		}
		c.setNamed(name, v, c.Span)
		return
	}
	if !ok {
		c.p.printUnknown(c.st)
		return
	}
	c.p.print(c.st, shellword.Output{Kind: shellword.OutputText, Text: t})
}

// setNamed assigns to a name that a command gives as a word: it may carry a
// subscript, which is evaluated.
func (c *cmd) setNamed(name string, v shellword.Value, span shellplan.Span) {
	if i := bytes.IndexByte([]byte(name), '['); i > 0 {
		if bytes.ContainsAny([]byte(name[i:]), "$`") {
			c.opaque(shellplan.OpaqueDynamic, span, "the subscript of the name is evaluated")
		}
		name, v = name[:i], shellword.Unknown(c.p.why(shellplan.OpaqueDynamic, span, "one element of an array was assigned"))
	}
	c.p.set(c.st, name, v)
}
