package planner

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// runUnset reads unset.
//
// Bash manual, "Bourne Shell Builtins" (unset): without -f or -v a variable is
// tried first, then a function.
func runUnset(c *cmd) {
	functions := false
	for _, f := range c.Args {
		c.Listed(f, true)
		s, ok := f.Plain()
		switch {
		case !ok:
			c.opaque(shellplan.OpaqueDynamic, f.Span, "which variable is unset is not known")
			c.st.dirty = c.p.why(shellplan.OpaqueDynamic, f.Span, "which variable was unset is not known")
		case s == "-f":
			functions = true
		case len(s) > 0 && s[0] == '-':
		case functions:
			delete(c.st.funcs, s)
		default:
			name, sub, indexed := strings.Cut(s, "[")
			if indexed {
				if strings.ContainsAny(sub, "$`") {
					c.opaque(shellplan.OpaqueDynamic, f.Span, "the subscript of the name is evaluated")
				}
				c.p.set(c.st, name, shellword.Unknown(c.p.why(shellplan.OpaqueDynamic, f.Span, "one element of an array was unset")))
				continue
			}
			if _, isFunc := c.st.funcs[s]; isFunc && c.st.vars[s] == nil {
				delete(c.st.funcs, s)
			}
			c.st.vars[s] = nil
			switch s {
			case "PATH":
				c.st.path = c.p.why(shellplan.OpaqueShadowed, f.Span, "PATH is unset")
			case "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LANG":
				c.st.locale = shellplan.LocaleUnknown
			}
		}
	}
}

// runShift reads shift.
//
// Bash manual, "Bourne Shell Builtins" (shift): nothing happens when there are
// fewer parameters than it is told.
func runShift(c *cmd) {
	st, n := c.st, 1
	if s, ok := shellword.First(c.Args); ok {
		n = 0
		for _, d := range s {
			if d < '0' || d > '9' || n > 1<<20 {
				return
			}
			n = n*10 + int(d-'0')
		}
	} else if len(c.Args) > 0 {
		st.params, st.argsWhy = nil, c.p.why(shellplan.OpaqueDynamic, c.Span, "how far the parameters shift is not known")
		return
	}
	if n <= len(st.params) {
		st.params = append([]shellword.Value{}, st.params[n:]...)
	}
}

var readOptions = shellword.ParseOptions("a=V d=V e i=V n=V N=V p=V r s t=V u=V")

// runRead makes the named variables hold a line of the input: one of the lines
// when the input is known, one of the names when it lists names.
//
// Bash manual, "Bash Builtin Commands" (read): the line is split at IFS, the
// last name gets what is left, and without -r a backslash quotes.
func runRead(c *cmd) {
	c.Words(c.Args)
	p, st := c.Parse(readOptions, shellword.Style{}), c.st
	why := c.p.why(shellplan.OpaqueDynamic, c.Span, "the value comes from the input of read")
	in := c.Stdin
	if p.Has("u") {
		in = shellword.Input{}
	}
	names := p.Operands
	if f, ok := p.Last("a"); ok {
		if s, known := f.Plain(); known {
			c.p.set(st, s, shellword.Unknown(why))
		} else {
			st.dirty = why
		}
	}
	if len(names) == 0 && !p.Has("a") {
		c.p.set(st, "REPLY", shellword.Unknown(why))
	}
	ifs := st.lookup("IFS")
	plainIFS := len(ifs.alts) == 1 && ifs.alts[0].Kind == shellword.ValueText && (len(ifs.alts[0].Text) == 0 || string(ifs.alts[0].Text) == " \t\n")
	emptyIFS := plainIFS && len(ifs.alts[0].Text) == 0
	delim, hasDelim := p.Last("d")
	nul := hasDelim && delim.Dyn == nil && len(delim.Raw) == 0
	simple := len(names) == 1 && plainIFS && !p.Has("n") && !p.Has("N") && !p.Failed && (!hasDelim || nul)
	for _, n := range names {
		s, ok := n.Plain()
		if !ok {
			c.opaque(shellplan.OpaqueDynamic, n.Span, "which variable read sets is not known")
			st.dirty = why
			continue
		}
		if in.Kind == shellword.InputText && hasDelim && !nul {
			simple = false
		}
		switch {
		case simple && in.Kind == shellword.InputText:
			c.setNamedVar(s, shellword.Lines(in.Text, nul, emptyIFS, p.Has("r"), maxAlternatives), why, n.Span)
		case simple && in.Kind == shellword.InputNames && in.Nul == nul:
			v := &variable{}
			for _, set := range in.Sets {
				one := *set
				one.Resplit = one.Resplit || !nul
				v.alts = append(v.alts, shellword.Value{Kind: shellword.ValueSet, Set: &one})
			}
			c.setNamedVar(s, v.alts, why, n.Span)
		default:
			c.setNamed(s, shellword.Unknown(why), n.Span)
		}
	}
	c.end = flow{st.clone(), st}
	// The input moves on: outside a loop what is left of it is not followed.
	c.Consumed = c.p.looping == 0
}

// setNamedVar assigns alternatives; unknown when there are too many or none.
func (c *cmd) setNamedVar(name string, alts []shellword.Value, why *shellplan.Opaque, span shellplan.Span) {
	if len(alts) == 0 || len(alts) > maxAlternatives || !syntax.ValidName(name) {
		c.setNamed(name, shellword.Unknown(why), span)
		return
	}
	c.p.set(c.st, name, alts[0])
	v := *c.st.vars[name]
	if !v.odd {
		v.alts = alts
	}
	c.st.vars[name] = &v
	if len(alts) > 1 {
		c.p.assigned(c.st, name, shellword.Unknown(why))
	}
}

var mapfileOptions = shellword.ParseOptions("d=V n=V O=V s=V t u=V C=P c=V")

// runMapfile reads mapfile and readarray.
//
// Bash manual, "Bash Builtin Commands" (mapfile): -C runs a callback for every
// group of lines.
func runMapfile(c *cmd) {
	c.Words(c.Args)
	p := c.Parse(mapfileOptions, shellword.Style{})
	name := "MAPFILE"
	if len(p.Operands) > 0 {
		s, ok := p.Operands[0].Plain()
		if !ok {
			c.opaque(shellplan.OpaqueDynamic, c.Span, "which variable is set is not known")
			c.st.dirty = c.p.why(shellplan.OpaqueDynamic, c.Span, "which variable is set is not known")
			return
		}
		name = s
	}
	if p.Has("C") {
		c.opaque(shellplan.OpaqueProgram, c.Span, "the callback of mapfile runs for every line")
	}
	c.setNamed(name, shellword.Unknown(c.p.why(shellplan.OpaqueDynamic, c.Span, "the value comes from the input of "+c.Name)), c.Span)
}

// waitOptions are those of bash; dash takes none. -p NAME assigns the variable,
// and evaluates its subscript.
var waitOptions = shellword.ParseOptions("n f p=V")

// runWait reads wait.
//
// Bash manual, "Job Control Builtins" (wait): -p assigns the process that ended
// to a variable.
func runWait(c *cmd) {
	p := c.Parse(waitOptions, shellword.Style{Stop: true})
	for i := range p.Opts {
		u := &p.Opts[i]
		if !u.Has {
			continue
		}
		if s, ok := u.Value.Plain(); ok {
			c.setNamed(s, shellword.Unknown(c.p.why(shellplan.OpaqueDynamic, c.Span, "the value comes from wait")), c.Span)
		} else {
			c.opaque(shellplan.OpaqueDynamic, c.Span, "which variable wait sets is not known")
			c.st.dirty = c.p.why(shellplan.OpaqueDynamic, c.Span, "which variable wait sets is not known")
		}
	}
	c.p.printUnknown(c.st)
}

// runGetopts reads getopts.
//
// Bash manual, "Bourne Shell Builtins" (getopts): it sets the given name,
// OPTIND and OPTARG.
func runGetopts(c *cmd) {
	c.Words(c.Args)
	if len(c.Args) > 1 {
		if s, ok := c.Args[1].Plain(); ok {
			c.setNamed(s, shellword.Unknown(c.p.why(shellplan.OpaqueDynamic, c.Span, "the value comes from getopts")), c.Span)
		} else {
			c.st.dirty = c.p.why(shellplan.OpaqueDynamic, c.Span, "which variable getopts sets is not known")
		}
	}
	c.p.set(c.st, "OPTARG", shellword.Unknown(c.p.why(shellplan.OpaqueDynamic, c.Span, "the value comes from getopts")))
	c.p.set(c.st, "OPTIND", shellword.Value{Kind: shellword.ValueInt})
}

// runLet reads let behind `builtin` or `command`.
//
// Bash manual, "Bash Builtin Commands" (let): each word is an arithmetic
// expression.
func runLet(c *cmd) {
	// The parser reads let itself; behind `builtin` its words are arithmetic.
	c.Words(c.Args)
	c.opaque(shellplan.OpaqueConstruct, c.Word.Span, "arithmetic in the words of let is not modelled here")
	c.st.dirty = c.p.why(shellplan.OpaqueConstruct, c.Word.Span, "let may have assigned any variable")
}
