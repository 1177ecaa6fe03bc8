package planner

import (
	"bytes"
	"strconv"
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
	t, ok := format(args)
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

// format is printf for %s, %b without backslashes, %d, %c-less formats and the
// usual escapes; false for anything else.
func format(args []shellword.Field) ([]byte, bool) {
	f, ok := shellword.First(args)
	if !ok {
		return nil, false
	}
	var vals []string
	for _, a := range args[1:] {
		s, ok := a.Plain()
		if !ok {
			return nil, false
		}
		vals = append(vals, s)
	}
	var out []byte
	for round := 0; round == 0 || len(vals) > 0; round++ {
		used := false
		for i := 0; i < len(f); i++ {
			switch {
			case f[i] == '\\' && i+1 < len(f):
				i++
				switch f[i] {
				case 'n':
					out = append(out, '\n')
				case 't':
					out = append(out, '\t')
				case '\\':
					out = append(out, '\\')
				case '0':
					n := digits([]byte(f[i:]), 3, 8)
					v, _ := strconv.ParseUint(f[i:i+n], 8, 16)
					out = append(out, byte(v))
					i += n - 1
				default:
					return nil, false
				}
			case f[i] == '%' && i+1 < len(f):
				i++
				switch f[i] {
				case '%':
					out = append(out, '%')
				case 's', 'd':
					used = true
					v := ""
					if len(vals) > 0 {
						v, vals = vals[0], vals[1:]
					} else if f[i] == 'd' {
						v = "0"
					}
					if f[i] == 'd' && !shellword.IsInteger([]byte(v)) {
						return nil, false
					}
					out = append(out, v...)
				default:
					return nil, false
				}
			default:
				out = append(out, f[i])
			}
			if len(out) > shellword.MaxOutput {
				return nil, false
			}
		}
		if !used {
			break
		}
	}
	return out, true
}
