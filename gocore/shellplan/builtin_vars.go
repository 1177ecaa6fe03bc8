package shellplan

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declClause is declare, export, local, readonly and typeset as the bash parser
// reads them: assignments among the arguments keep their quoting.
func (p *planner) declClause(d *syntax.DeclClause, st *state) flow {
	decl := declaration{p: p, st: st, name: d.Variant.Value, span: p.span(d)}
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
		}
	}
	decl.finish()
	p.flush(decl.span, st)
	return flow{st, st}
}

// runDeclare is the same behind `builtin` or `command`, quoted, or in a dialect
// whose parser does not know the word.
func runDeclare(c *cmd) {
	c.words(c.args)
	decl := declaration{p: c.p, st: c.st, name: c.name, span: c.span, seg: c.seg, hasSeg: true}
	decl.start()
	for _, f := range c.args {
		decl.word(f)
	}
	decl.finish()
}

// declaration is one declaring command while its arguments are read.
type declaration struct {
	p      *planner
	st     *state
	name   string
	span   Span
	flags  []byte
	off    bool
	seg    int
	hasSeg bool
}

func (d *declaration) start() {
	if d.name == "nameref" {
		d.flags = append(d.flags, 'n')
	}
}

func (d *declaration) reason(span Span, detail string) {
	if d.hasSeg {
		d.p.opaque(d.seg, OpaqueDynamic, span, detail)
	} else {
		d.p.note(OpaqueDynamic, span, detail)
	}
}

// word is an argument that was not read as an assignment.
func (d *declaration) word(f field) {
	s, ok := f.str()
	if !ok {
		if f.pattern && f.dyn == nil {
			s = string(f.raw)
		} else {
			// export "$line": it may assign anything, PATH included.
			d.reason(f.span, "which variable is declared is not known")
			d.st.dirty = d.p.why(OpaqueDynamic, f.span, "which variable was declared is not known")
			return
		}
	}
	if len(s) > 1 && (s[0] == '-' || s[0] == '+') && !strings.Contains(s, "=") {
		d.flags = append(d.flags, s[1:]...)
		d.off = d.off || s[0] == '+'
		return
	}
	name, val, assigns := strings.Cut(s, "=")
	add := strings.HasSuffix(name, "+")
	name = strings.TrimSuffix(name, "+")
	if i := strings.IndexByte(name, '['); i > 0 {
		if strings.ContainsAny(name[i:], "$`") {
			d.reason(f.span, "the subscript of the name is evaluated")
		}
		name, add = name[:i], true
	}
	if !syntax.ValidName(name) {
		return
	}
	if assigns {
		d.hide(name)
		v := textValue([]byte(val))
		if add {
			v = unknown(d.p.why(OpaqueDynamic, f.span, "text was added to a value"))
		}
		d.p.set(d.st, name, v)
	}
	d.mark(name)
}

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
	old := d.st.lookup(name)
	v := *old
	if d.name == "local" || len(d.p.frames) > 0 && d.st.vars[name] == nil && d.name != "export" {
		d.hide(name)
	}
	if d.name == "export" {
		v.exported = bytes.IndexByte(d.flags, 'n') < 0
	}
	for _, f := range d.flags {
		switch f {
		case 'x':
			v.exported = !d.off
		case 'a':
			v.array = true
		case 'A', 'i', 'l', 'u', 'n', 'c':
			v.odd = true
			v.alts = []value{unknown(d.p.why(OpaqueConstruct, d.span, "$"+name+" has an attribute that changes its value"))}
			if f == 'n' && d.name != "export" {
				d.reason(d.span, "a reference to another variable is not modelled")
				d.st.dirty = d.p.why(OpaqueConstruct, d.span, "a reference to another variable is not modelled")
			}
		}
	}
	d.st.vars[name] = &v
	if len(v.alts) == 1 && name == "PATH" {
		d.p.assigned(d.st, name, v.alts[0])
	}
}

func (d *declaration) finish() {
	if bytes.IndexByte(d.flags, 'f') >= 0 || bytes.IndexByte(d.flags, 'F') >= 0 {
		d.p.printUnknown(d.st) // lists functions, or exports them
		d.st.exportedFuncs = d.p.why(OpaqueShadowed, d.span, "functions were exported to the shells that are started")
	}
	if bytes.IndexByte(d.flags, 'p') >= 0 {
		d.p.printUnknown(d.st)
	}
}

func runUnset(c *cmd) {
	functions := false
	for _, f := range c.args {
		c.listed(f, true)
		s, ok := f.str()
		switch {
		case !ok:
			c.opaque(OpaqueDynamic, f.span, "which variable is unset is not known")
			c.st.dirty = c.p.why(OpaqueDynamic, f.span, "which variable was unset is not known")
		case s == "-f":
			functions = true
		case len(s) > 0 && s[0] == '-':
		case functions:
			delete(c.st.funcs, s)
		default:
			name, sub, indexed := strings.Cut(s, "[")
			if indexed {
				if strings.ContainsAny(sub, "$`") {
					c.opaque(OpaqueDynamic, f.span, "the subscript of the name is evaluated")
				}
				c.p.set(c.st, name, unknown(c.p.why(OpaqueDynamic, f.span, "one element of an array was unset")))
				continue
			}
			if _, isFunc := c.st.funcs[s]; isFunc && c.st.vars[s] == nil {
				delete(c.st.funcs, s)
			}
			c.st.vars[s] = nil
			switch s {
			case "PATH":
				c.st.path = c.p.why(OpaqueShadowed, f.span, "PATH is unset")
			case "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LANG":
				c.st.locale = LocaleUnknown
			}
		}
	}
}

func runShift(c *cmd) {
	st, n := c.st, 1
	if s, ok := first(c.args); ok {
		n = 0
		for _, d := range s {
			if d < '0' || d > '9' || n > 1<<20 {
				return
			}
			n = n*10 + int(d-'0')
		}
	} else if len(c.args) > 0 {
		st.params, st.argsWhy = nil, c.p.why(OpaqueDynamic, c.span, "how far the parameters shift is not known")
		return
	}
	if n <= len(st.params) {
		st.params = append([]value{}, st.params[n:]...)
	}
}

var readOptions = parseOptions("a=V d=V e i=V n=V N=V p=V r s t=V u=V")

// runRead makes the named variables hold a line of the input: one of the lines
// when the input is known, one of the names when it lists names.
func runRead(c *cmd) {
	c.words(c.args)
	p, st := c.parse(readOptions, style{}), c.st
	why := c.p.why(OpaqueDynamic, c.span, "the value comes from the input of read")
	in := c.stdin
	if p.has("u") {
		in = input{}
	}
	names := p.operands
	if f, ok := p.last("a"); ok {
		if s, known := f.str(); known {
			c.p.set(st, s, unknown(why))
		} else {
			st.dirty = why
		}
	}
	if len(names) == 0 && !p.has("a") {
		c.p.set(st, "REPLY", unknown(why))
	}
	ifs := st.lookup("IFS")
	plainIFS := len(ifs.alts) == 1 && ifs.alts[0].kind == valText && (len(ifs.alts[0].str) == 0 || string(ifs.alts[0].str) == " \t\n")
	emptyIFS := plainIFS && len(ifs.alts[0].str) == 0
	delim, hasDelim := p.last("d")
	nul := hasDelim && delim.dyn == nil && len(delim.raw) == 0
	simple := len(names) == 1 && plainIFS && !p.has("n") && !p.has("N") && !p.failed && (!hasDelim || nul)
	for _, n := range names {
		s, ok := n.str()
		if !ok {
			c.opaque(OpaqueDynamic, n.span, "which variable read sets is not known")
			st.dirty = why
			continue
		}
		if in.kind == inputText && hasDelim && !nul {
			simple = false
		}
		switch {
		case simple && in.kind == inputText:
			c.setNamedVar(s, linesOf(in.text, nul, emptyIFS, p.has("r")), why, n.span)
		case simple && in.kind == inputNames && in.nul == nul:
			v := &variable{}
			for _, set := range in.sets {
				one := *set
				one.resplit = one.resplit || !nul
				v.alts = append(v.alts, value{kind: valSet, set: &one})
			}
			c.setNamedVar(s, v.alts, why, n.span)
		default:
			c.setNamed(s, unknown(why), n.span)
		}
	}
	c.end = flow{st.clone(), st}
	// The input moves on: outside a loop what is left of it is not followed.
	c.consumed = c.p.looping == 0
}

// setNamedVar assigns alternatives; unknown when there are too many or none.
func (c *cmd) setNamedVar(name string, alts []value, why *Opaque, span Span) {
	if len(alts) == 0 || len(alts) > maxAlternatives || !syntax.ValidName(name) {
		c.setNamed(name, unknown(why), span)
		return
	}
	c.p.set(c.st, name, alts[0])
	v := *c.st.vars[name]
	if !v.odd {
		v.alts = alts
	}
	c.st.vars[name] = &v
	if len(alts) > 1 {
		c.p.assigned(c.st, name, unknown(why))
	}
}

// linesOf are the values one variable can get from a text, the empty one at its
// end included.
func linesOf(t []byte, nul, keepBlanks, raw bool) []value {
	sep := []byte("\n")
	if nul {
		sep = []byte{0}
	}
	if !raw && bytes.IndexByte(t, '\\') >= 0 {
		return nil
	}
	var out []value
	for line := range bytes.SplitSeq(t, sep) {
		if !keepBlanks {
			line = bytes.Trim(line, " \t\n")
		}
		v := textValue(line)
		dup := false
		for _, have := range out {
			dup = dup || have.equal(v)
		}
		if !dup {
			out = append(out, v)
		}
		if len(out) > maxAlternatives {
			return nil
		}
	}
	return out
}

var mapfileOptions = parseOptions("d=V n=V O=V s=V t u=V C=P c=V")

func runMapfile(c *cmd) {
	c.words(c.args)
	p := c.parse(mapfileOptions, style{})
	name := "MAPFILE"
	if len(p.operands) > 0 {
		s, ok := p.operands[0].str()
		if !ok {
			c.opaque(OpaqueDynamic, c.span, "which variable is set is not known")
			c.st.dirty = c.p.why(OpaqueDynamic, c.span, "which variable is set is not known")
			return
		}
		name = s
	}
	if p.has("C") {
		c.opaque(OpaqueProgram, c.span, "the callback of mapfile runs for every line")
	}
	c.setNamed(name, unknown(c.p.why(OpaqueDynamic, c.span, "the value comes from the input of "+c.name)), c.span)
}

func runGetopts(c *cmd) {
	c.words(c.args)
	if len(c.args) > 1 {
		if s, ok := c.args[1].str(); ok {
			c.p.set(c.st, s, unknown(c.p.why(OpaqueDynamic, c.span, "the value comes from getopts")))
		} else {
			c.st.dirty = c.p.why(OpaqueDynamic, c.span, "which variable getopts sets is not known")
		}
	}
	for _, n := range []string{"OPTARG", "OPTIND"} {
		c.p.set(c.st, n, unknown(c.p.why(OpaqueDynamic, c.span, "the value comes from getopts")))
	}
}

func runLet(c *cmd) {
	// The parser reads let itself; behind `builtin` its words are arithmetic.
	c.words(c.args)
	c.opaque(OpaqueConstruct, c.word.span, "arithmetic in the words of let is not modelled here")
	c.st.dirty = c.p.why(OpaqueConstruct, c.word.span, "let may have assigned any variable")
}
