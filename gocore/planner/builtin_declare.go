package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// declClause is declare, export, local, readonly and typeset as the bash parser
// reads them: assignments among the arguments keep their quoting.
//
// Bash manual, "Bash Builtin Commands" (declare, local, export, readonly).
func (p *planner) declClause(d *syntax.DeclClause, st *state) flow {
	decl := declaration{p: p, st: st, name: d.Variant.Value, span: p.span(d)}
	if p.replaced(decl.name, decl.span, st) {
		return flow{st, st}
	}
	decl.start()
	for _, a := range d.Args {
		switch {
		case a.Naked && a.Name == nil: // an option, or a word made while running
			for _, f := range p.word(a.Value, st) {
				decl.word(f)
			}
		case a.Naked:
			if a.Index != nil {
				p.index(a.Index, st, decl.span)
			}
			decl.mark(a.Name.Value)
		default:
			decl.hide(a.Name.Value)
			p.assign(a, st)
			decl.mark(a.Name.Value)
			if decl.misplaced() {
				p.set(st, a.Name.Value, shellword.Unknown(p.why(shellplan.OpaqueConstruct, decl.span, "local stands outside a function")))
			}
		}
	}
	decl.finish()
	p.flush(decl.span, st)
	return flow{st, st}
}

// replaced reports whether a function or an alias stands in the place of a
// builtin that the parser reads by itself.
func (p *planner) replaced(name string, span shellplan.Span, st *state) bool {
	_, isFunc := st.funcs[name]
	_, imported := p.base.env["BASH_FUNC_"+name+"%%"]
	if !isFunc && !imported && !(st.aliases[name] && st.flag[flagAliases] != off) {
		return false
	}
	i := p.segmentOf(name, span, st)
	p.opaque(i, shellplan.OpaqueShadowed, span, "a function or an alias has the name of a builtin")
	p.effect(i, shellplan.Effect{Kind: shellplan.EffectAny})
	st.dirty = p.why(shellplan.OpaqueShadowed, span, "a function or an alias in place of a builtin may change the shell")
	return true
}

// runDeclare is the same behind `builtin` or `command`, quoted, or in a dialect
// whose parser does not know the word.
func runDeclare(c *cmd) {
	c.Words(c.Args)
	decl := declaration{p: c.p, st: c.st, name: c.Name, span: c.Span, seg: c.seg, hasSeg: true}
	decl.start()
	for _, f := range c.Args {
		decl.word(f)
	}
	decl.finish()
}

// declaration is one declaring command while its arguments are read.
type declaration struct {
	p      *planner
	st     *state
	name   string
	span   shellplan.Span
	flags  []byte
	off    bool
	seg    int
	hasSeg bool
	named  bool // a variable was named
}

func (d *declaration) start() {
	if d.name == "nameref" {
		d.flags = append(d.flags, 'n')
	}
}

func (d *declaration) reason(span shellplan.Span, detail string) {
	if d.hasSeg {
		d.p.opaque(d.seg, shellplan.OpaqueDynamic, span, detail)
	} else {
		d.p.note(shellplan.OpaqueDynamic, span, detail)
	}
}

// word is an argument that was not read as an assignment.
func (d *declaration) word(f shellword.Field) {
	s, ok := f.Plain()
	if !ok {
		if f.Pattern && f.Dyn == nil {
			s = string(f.Raw)
		} else {
			// export "$line": it may assign anything, PATH included.
			d.reason(f.Span, "which variable is declared is not known")
			d.st.dirty = d.p.why(shellplan.OpaqueDynamic, f.Span, "which variable was declared is not known")
			return
		}
	}
	if len(s) > 1 && (s[0] == '-' || s[0] == '+') && !strings.Contains(s, "=") {
		d.flags = append(d.flags, s[1:]...)
		d.off = d.off || s[0] == '+'
		return
	}
	d.named = true
	name, val, assigns := strings.Cut(s, "=")
	add := strings.HasSuffix(name, "+")
	name = strings.TrimSuffix(name, "+")
	if i := strings.IndexByte(name, '['); i > 0 {
		if strings.ContainsAny(name[i:], "$`") {
			d.reason(f.Span, "the subscript of the name is evaluated")
		}
		name, add = name[:i], true
	}
	if !syntax.ValidName(name) {
		return
	}
	if assigns {
		d.hide(name)
		v := shellword.TextValue([]byte(val))
		if add {
			v = shellword.Unknown(d.p.why(shellplan.OpaqueDynamic, f.Span, "text was added to a value"))
		}
		if d.misplaced() {
			v = shellword.Unknown(d.p.why(shellplan.OpaqueConstruct, d.span, "local stands outside a function"))
		}
		d.p.set(d.st, name, v)
	}
	d.mark(name)
}

// misplaced reports whether the shell refuses to declare.
func (d *declaration) misplaced() bool { return d.name == "local" && len(d.p.frames) == 0 }

// hide keeps the value that `local` hides, once per function call.
func (d *declaration) hide(name string) {
	local := d.name == "local" || (d.name == "declare" || d.name == "typeset") && bytes.IndexByte(d.flags, 'g') < 0
	if n := len(d.p.frames); local && n > 0 {
		if _, ok := d.p.frames[n-1].locals[name]; !ok {
			d.p.frames[n-1].locals[name] = d.st.vars[name]
		}
	}
}

// mark applies the attributes to a name.
func (d *declaration) mark(name string) {
	d.named = true
	old := d.st.lookup(name)
	v := *old
	d.evaluates(name, old)
	if d.name == "local" || len(d.p.frames) > 0 && d.st.vars[name] == nil && d.name != "export" {
		d.hide(name)
	}
	if d.name == "export" {
		v.exported = bytes.IndexByte(d.flags, 'n') < 0
	}
	v.fixed = v.fixed || d.name == "readonly"
	for _, f := range d.flags {
		switch f {
		case 'r':
			v.fixed = true
		case 'x':
			v.exported = !d.off
		case 'a':
			v.array = true
		case 'A', 'i', 'l', 'u', 'n', 'c':
			v.odd = true
			v.evaluates = v.evaluates || f == 'i' || f == 'n'
			v.alts = []shellword.Value{shellword.Unknown(d.p.why(shellplan.OpaqueConstruct, d.span, "$"+name+" has an attribute that changes its value"))}
			if f == 'n' && d.name != "export" {
				d.reason(d.span, "a reference to another variable is not modelled")
				d.st.dirty = d.p.why(shellplan.OpaqueConstruct, d.span, "a reference to another variable is not modelled")
			}
		}
	}
	d.st.vars[name] = &v
	if name == "TZ" && v.exported && d.name != "export" {
		for _, alt := range v.alts {
			d.p.zoneAssigned(alt)
		}
	}
	if len(v.alts) == 1 && name == "PATH" {
		d.p.assigned(d.st, name, v.alts[0])
	}
}

// evaluates looks at a value that is given together with an attribute that
// makes the shell evaluate it.
func (d *declaration) evaluates(name string, v *variable) {
	if bytes.ContainsAny(d.flags, "in") {
		for _, a := range v.alts {
			d.p.oddAssigned(name, a)
		}
	}
}

func (d *declaration) finish() {
	if bytes.IndexByte(d.flags, 'f') >= 0 || bytes.IndexByte(d.flags, 'F') >= 0 {
		d.p.printUnknown(d.st) // lists functions, or exports them
		d.st.exportedFuncs = d.p.why(shellplan.OpaqueShadowed, d.span, "functions were exported to the shells that are started")
	}
	if bytes.IndexByte(d.flags, 'p') >= 0 || !d.named {
		d.p.printUnknown(d.st) // lists variables, with their values
	}
}
