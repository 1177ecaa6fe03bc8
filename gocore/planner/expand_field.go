package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// builder turns atoms into fields.
type builder struct {
	p      *planner
	st     *state
	span   shellplan.Span
	split  bool // unquoted expansions are split and globbed
	match  bool // the word is a pattern on text: unquoted expansions are active
	cur    shellword.Field
	has    bool // the current field exists even when it is empty
	fields []shellword.Field
}

// fields expands atoms with splitting.
func (p *planner) fields(atoms []atom, st *state, span shellplan.Span) []shellword.Field {
	b := builder{p: p, st: st, span: span, split: true}
	b.run(atoms)
	b.end()
	return b.fields
}

// whole expands atoms into exactly one field, without splitting or patterns: an
// assignment, a here-document, the word of case.
func (p *planner) whole(atoms []atom, st *state, span shellplan.Span) shellword.Field {
	b := builder{p: p, st: st, span: span}
	b.run(atoms)
	b.has = true
	b.end()
	f := b.fields[0]
	f.Pattern = false
	return f
}

func (b *builder) run(atoms []atom) {
	for _, a := range atoms {
		switch a.kind {
		case atomPlain:
			b.byte(a.c, shellplan.MaskActive)
		case atomQuoted:
			b.byte(a.c, shellplan.MaskQuoted)
		case atomEmpty:
			b.has = true
		case atomPart, atomQuotedPart:
			if a.part == nil {
				b.dynamic(a.why, false)
				continue
			}
			b.part(a.part, a.kind == atomQuotedPart)
		}
	}
}

func (b *builder) byte(c, mask byte) {
	b.has = true
	if b.cur.Dyn != nil {
		b.cur.Num = b.cur.Num && c >= '0' && c <= '9'
		return
	}
	b.cur.Raw = append(b.cur.Raw, c)
	b.cur.Mask = append(b.cur.Mask, mask)
}

func (b *builder) bytes(t []byte, mask byte) {
	b.p.budget.spend(1 + len(t)/perUnit)
	if b.p.budget.bytes -= len(t); b.p.budget.bytes < 0 {
		panic(tooLarge{"expansions that produce too much text"})
	}
	for _, c := range t {
		b.byte(c, mask)
	}
}

// end closes the current field.
func (b *builder) end() {
	f := b.cur
	if b.has || f.Dyn != nil || f.Set != nil {
		f.Span, f.Text = b.span, b.p.textOf(b.span)
		f.Pattern = shellword.IsPattern(f.Raw, f.Mask)
		if f.Bad != nil && f.Pattern && f.Dyn == nil {
			f.Dyn = f.Bad
		}
		if !f.Pattern {
			f.Mask = nil
		}
		b.fields = append(b.fields, f)
	}
	b.cur, b.has = shellword.Field{}, false
	if len(b.fields) > shellplan.MaxFields {
		panic(tooLarge{"a word that becomes too many words"})
	}
}

// part appends one expansion.
func (b *builder) part(part syntax.WordPart, quoted bool) {
	p := b.p
	switch x := part.(type) {
	case *syntax.ParamExp:
		e := p.param(x, b.st, quoted)
		if e.word != nil {
			b.defaultWord(e.word, quoted)
			return
		}
		b.values(e.vals, e.list, quoted)
	case *syntax.ArithmExp:
		b.values([]shellword.Value{p.arith(x.X, b.st, p.span(x))}, false, quoted)
	case *syntax.CmdSubst:
		b.substitution(x, quoted)
	case *syntax.ProcSubst:
		p.procSubst(x, b.st)
		if b.has || len(b.cur.Raw) > 0 {
			b.dynamic(p.why(shellplan.OpaqueConstruct, p.span(x), "a process substitution is joined to other text"), false)
			return
		}
		b.has, b.cur.Pipe = true, true
		b.bytes([]byte("/dev/fd/63"), shellplan.MaskQuoted)
	case *syntax.ExtGlob:
		b.extended(x)
	default:
		b.dynamic(p.why(shellplan.OpaqueConstruct, p.span(part), "this kind of expansion is not modelled"), !quoted)
	}
}

// extended appends an extended pattern whose text is plain. With extglob off
// bash refuses the text, so nothing opens: taking it as on covers both.
func (b *builder) extended(x *syntax.ExtGlob) {
	text := x.Op.String() + x.Pattern.Value + ")"
	for i := range len(text) {
		if c := text[i]; !shellword.IsLetter(c) && (c < '0' || c > '9') && strings.IndexByte("_.*?|-+@!()", c) < 0 || !b.split || b.match {
			b.dynamic(b.p.why(shellplan.OpaquePattern, b.p.span(x), "extended pattern operators with other text in them are not modelled"), true)
			return
		}
	}
	b.bytes([]byte(text), shellplan.MaskActive)
	b.cur.Ext = true
}

// defaultWord expands the word of ${x:-word} in place. Unquoted, its own blanks
// separate fields.
func (b *builder) defaultWord(w *syntax.Word, quoted bool) {
	if quoted {
		for _, part := range w.Parts {
			q, ok := part.(*syntax.SglQuoted)
			if !ok {
				continue
			}
			if q.Dollar || strings.ContainsAny(q.Value, "$`\\") {
				b.dynamic(b.p.why(shellplan.OpaqueConstruct, b.span, "single quotes inside a quoted default are text, and what they hold is expanded"), false)
				return
			}
		}
	}
	var atoms []atom
	for _, part := range w.Parts {
		if q, ok := part.(*syntax.SglQuoted); ok && quoted { // the quotes are text here
			for _, c := range b.p.src.Bytes("'" + q.Value + "'") {
				atoms = append(atoms, atom{c: c, kind: atomQuoted})
			}
			continue
		}
		atoms = b.p.atomsOf(atoms, part)
	}
	if !quoted {
		atoms = b.p.tildes(atoms, b.st, false, b.span)
	}
	for _, a := range atoms {
		switch {
		case quoted && a.kind == atomPlain:
			a.kind = atomQuoted
		case quoted && a.kind == atomPart:
			a.kind = atomQuotedPart
		case a.kind == atomPlain && b.split && (a.c == ' ' || a.c == '\t' || a.c == '\n'):
			b.end()
			continue
		}
		b.run([]atom{a})
	}
	if quoted {
		b.has = true
	}
}

// dynamic marks the current field as not known.
func (b *builder) dynamic(why *shellplan.Opaque, many bool) {
	b.has = true
	if b.cur.Dyn == nil {
		b.cur.Dyn = why
	}
	b.cur.Many = b.cur.Many || many && b.split
}

// values appends what a parameter stands for: a list makes a field of each
// element ("$@", "${a[@]}").
func (b *builder) values(vals []shellword.Value, list, quoted bool) {
	if list {
		if quoted && len(vals) == 0 && len(b.cur.Raw) == 0 && b.cur.Dyn == nil {
			return // "$@" of nothing is no word
		}
		for i, v := range vals {
			if i > 0 {
				b.end()
			}
			if b.value(v, quoted); v.Kind == shellword.ValueUnknown {
				b.cur.Many = b.split
			}
			if quoted {
				b.has = true
			}
		}
		return
	}
	for _, v := range vals {
		b.value(v, quoted)
	}
	if quoted {
		b.has = true
	}
}

func (b *builder) value(v shellword.Value, quoted bool) {
	switch v.Kind {
	case shellword.ValueUnset:
	case shellword.ValueText:
		switch {
		case b.match && !quoted:
			b.bytes(v.Text, shellplan.MaskActive)
		case quoted || !b.split:
			b.bytes(v.Text, shellplan.MaskQuoted)
		default:
			b.splitText(v.Text)
		}
	case shellword.ValueSet:
		if v.Set.Derived {
			b.derived(v.Set, quoted)
			return
		}
		if name, ok := v.Set.Literal(); ok && (b.has || len(b.cur.Raw) > 0) && b.cur.Set == nil {
			b.bytes(name, shellplan.MaskQuoted)
			return
		}
		if v.Set.Bare && b.cur.Set == nil && b.cur.Dyn == nil && len(b.cur.Raw) > 0 {
			set := *v.Set
			set.Word.Raw = append(bytes.Clone(b.cur.Raw), '*')
			set.Word.Mask = append(make([]byte, len(b.cur.Raw)), shellplan.MaskActive)
			set.Prefixed = b.cur.Raw[0] != '-'
			set.Resplit = set.Resplit || !quoted && b.split
			b.cur.Raw, b.cur.Mask = nil, nil
			b.cur.Set, b.has = &set, true
			return
		}
		if b.has || b.cur.Set != nil || len(b.cur.Raw) > 0 {
			b.dynamic(b.p.why(shellplan.OpaqueDynamic, b.span, "the word joins text to names that only the file system knows"), !quoted)
			return
		}
		set := *v.Set
		set.Resplit = set.Resplit || !quoted && b.split
		b.cur.Set, b.has = &set, true
	case shellword.ValueInt:
		first := b.cur.Dyn == nil
		b.dynamic(b.p.why(shellplan.OpaqueDynamic, b.span, "the word holds a number that only the running shell knows"), false)
		b.cur.Num = first || b.cur.Num
	case shellword.ValueList:
		if len(v.List) > 0 {
			b.value(v.List[0], quoted) // $a is ${a[0]}
		}
	default:
		b.dynamic(b.p.reason(v.Why, b.span), !quoted)
		b.cur.Num = false
	}
}

// reason gives a reason found elsewhere the place of the word that meets it.
func (p *planner) reason(why *shellplan.Opaque, span shellplan.Span) *shellplan.Opaque {
	if why == nil {
		return p.why(shellplan.OpaqueDynamic, span, "the word is made of something only the running shell knows")
	}
	r := *why
	r.Span, r.Word = span, bytes.Clone(p.textOf(span))
	return &r
}

// why is a reason at a place of the source.
func (p *planner) why(code shellplan.OpaqueCode, span shellplan.Span, detail string) *shellplan.Opaque {
	return &shellplan.Opaque{Code: code, Detail: shellplan.Shown(detail), Span: span, Word: bytes.Clone(p.textOf(span))}
}
