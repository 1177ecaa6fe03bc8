package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"mvdan.cc/sh/v3/syntax"
)

// builder turns atoms into fields.
type builder struct {
	p      *planner
	st     *state
	span   shellplan.Span
	split  bool // unquoted expansions are split and globbed
	match  bool // the word is a pattern on text: unquoted expansions are active
	cur    field
	has    bool // the current field exists even when it is empty
	fields []field
}

// fields expands atoms with splitting.
func (p *planner) fields(atoms []atom, st *state, span shellplan.Span) []field {
	b := builder{p: p, st: st, span: span, split: true}
	b.run(atoms)
	b.end()
	return b.fields
}

// whole expands atoms into exactly one field, without splitting or patterns: an
// assignment, a here-document, the word of case.
func (p *planner) whole(atoms []atom, st *state, span shellplan.Span) field {
	b := builder{p: p, st: st, span: span}
	b.run(atoms)
	b.has = true
	b.end()
	f := b.fields[0]
	f.pattern = false
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
	if b.cur.dyn != nil {
		b.cur.num = b.cur.num && c >= '0' && c <= '9'
		return
	}
	b.cur.raw = append(b.cur.raw, c)
	b.cur.mask = append(b.cur.mask, mask)
}

func (b *builder) bytes(t []byte, mask byte) {
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
	if b.has || f.dyn != nil || f.set != nil {
		f.span, f.text = b.span, b.p.textOf(b.span)
		f.pattern = isPattern(f.raw, f.mask)
		if f.bad != nil && f.pattern && f.dyn == nil {
			f.dyn = f.bad
		}
		if !f.pattern {
			f.mask = nil
		}
		b.fields = append(b.fields, f)
	}
	b.cur, b.has = field{}, false
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
		b.values([]value{p.arith(x.X, b.st, p.span(x))}, false, quoted)
	case *syntax.CmdSubst:
		b.substitution(x, quoted)
	case *syntax.ProcSubst:
		p.procSubst(x, b.st)
		if b.has || len(b.cur.raw) > 0 {
			b.dynamic(p.why(shellplan.OpaqueConstruct, p.span(x), "a process substitution is joined to other text"), false)
			return
		}
		b.has, b.cur.pipe = true, true
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
		if c := text[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte("_.*?|-+@!()", c) < 0 || !b.split || b.match {
			b.dynamic(b.p.why(shellplan.OpaquePattern, b.p.span(x), "extended pattern operators with other text in them are not modelled"), true)
			return
		}
	}
	b.bytes([]byte(text), shellplan.MaskActive)
	b.cur.ext = true
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
			for _, c := range b.p.src.bytes("'" + q.Value + "'") {
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
	if b.cur.dyn == nil {
		b.cur.dyn = why
	}
	b.cur.many = b.cur.many || many && b.split
}

// values appends what a parameter stands for: a list makes a field of each
// element ("$@", "${a[@]}").
func (b *builder) values(vals []value, list, quoted bool) {
	if list {
		if quoted && len(vals) == 0 && len(b.cur.raw) == 0 && b.cur.dyn == nil {
			return // "$@" of nothing is no word
		}
		for i, v := range vals {
			if i > 0 {
				b.end()
			}
			if b.value(v, quoted); v.kind == valUnknown {
				b.cur.many = b.split
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

func (b *builder) value(v value, quoted bool) {
	switch v.kind {
	case valUnset:
	case valText:
		switch {
		case b.match && !quoted:
			b.bytes(v.str, shellplan.MaskActive)
		case quoted || !b.split:
			b.bytes(v.str, shellplan.MaskQuoted)
		default:
			b.splitText(v.str)
		}
	case valSet:
		if v.set.derived {
			b.derived(v.set, quoted)
			return
		}
		if name, ok := v.set.literal(); ok && (b.has || len(b.cur.raw) > 0) && b.cur.set == nil {
			b.bytes(name, shellplan.MaskQuoted)
			return
		}
		if v.set.bare && b.cur.set == nil && b.cur.dyn == nil && len(b.cur.raw) > 0 {
			set := *v.set
			set.word.Raw = append(bytes.Clone(b.cur.raw), '*')
			set.word.Mask = append(make([]byte, len(b.cur.raw)), shellplan.MaskActive)
			set.prefixed = b.cur.raw[0] != '-'
			set.resplit = set.resplit || !quoted && b.split
			b.cur.raw, b.cur.mask = nil, nil
			b.cur.set, b.has = &set, true
			return
		}
		if b.has || b.cur.set != nil || len(b.cur.raw) > 0 {
			b.dynamic(b.p.why(shellplan.OpaqueDynamic, b.span, "the word joins text to names that only the file system knows"), !quoted)
			return
		}
		set := *v.set
		set.resplit = set.resplit || !quoted && b.split
		b.cur.set, b.has = &set, true
	case valInt:
		first := b.cur.dyn == nil
		b.dynamic(b.p.why(shellplan.OpaqueDynamic, b.span, "the word holds a number that only the running shell knows"), false)
		b.cur.num = first || b.cur.num
	case valList:
		if len(v.list) > 0 {
			b.value(v.list[0], quoted) // $a is ${a[0]}
		}
	default:
		b.dynamic(b.p.reason(v.why, b.span), !quoted)
		b.cur.num = false
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
