package shellplan

import (
	"bytes"

	"mvdan.cc/sh/v3/syntax"
)

// field is one word of an expanded command line.
type field struct {
	raw, mask []byte
	pattern   bool     // an active byte is a pattern operator
	dyn       *Opaque  // a part of the word is not known; raw is what stands before it
	many      bool     // stands for any number of words, none included
	set       *nameSet // one name of a set; raw is a suffix to it
	num       bool     // what is not known is an integer and nothing else
	pipe      bool     // the name of a process substitution
	bad       *Opaque  // a pattern that is not modelled
	text      []byte   // as the source spells it
	span      Span
}

// lit is a field from known text in which nothing is a pattern.
func lit(b []byte, span Span) field { return field{raw: b, text: b, span: span} }

// str is the word as text when it is plainly known.
func (f *field) str() (string, bool) {
	if f.dyn != nil || f.many || f.set != nil || f.pattern || f.pipe {
		return "", false
	}
	return string(f.raw), true
}

// mayBeOption reports whether the word can start with a dash.
func (f *field) mayBeOption() bool {
	if len(f.raw) > 0 && f.set == nil {
		return f.raw[0] == '-' || f.pattern && isMeta(f.raw[0], f.mask[0])
	}
	if f.set != nil {
		return !f.set.prefixed
	}
	return f.dyn != nil
}

// isPattern reports whether a word is a pattern: a lone `[` is none, or the
// command of that name would be one.
func isPattern(raw, mask []byte) bool {
	for i, c := range raw {
		if isMeta(c, mask[i]) && (c != '[' || bytes.IndexByte(raw[i+1:], ']') >= 0) {
			return true
		}
	}
	return false
}

func isMeta(c, mask byte) bool {
	return mask == MaskActive && (c == '*' || c == '?' || c == '[')
}

// atom is a byte of a word or an expansion in it, before any expansion.
type atom struct {
	part syntax.WordPart // atomPart, atomQuotedPart
	why  *Opaque         // atomPart without a part: not known
	c    byte
	kind atomKind
}

type atomKind uint8

const (
	atomPlain      atomKind = iota // an unquoted byte
	atomQuoted                     // a quoted byte
	atomEmpty                      // "" or ''
	atomPart                       // an unquoted expansion
	atomQuotedPart                 // an expansion in double quotes
)

// atoms flattens a word.
func (p *planner) atoms(w *syntax.Word) []atom {
	var out []atom
	for _, part := range w.Parts {
		out = p.atomsOf(out, part)
	}
	return out
}

func (p *planner) atomsOf(out []atom, part syntax.WordPart) []atom {
	switch x := part.(type) {
	case *syntax.Lit:
		b := p.src.bytes(x.Value)
		for i := 0; i < len(b); i++ {
			if b[i] == '\\' && i+1 < len(b) {
				i++
				if b[i] != '\n' {
					out = append(out, atom{c: b[i], kind: atomQuoted})
				}
				continue
			}
			out = append(out, atom{c: b[i], kind: atomPlain})
		}
	case *syntax.SglQuoted:
		b := p.src.bytes(x.Value)
		if x.Dollar {
			b = ansiC(b)
		}
		if len(b) == 0 {
			out = append(out, atom{kind: atomEmpty})
		}
		for _, c := range b {
			out = append(out, atom{c: c, kind: atomQuoted})
		}
	case *syntax.DblQuoted:
		if len(x.Parts) == 0 {
			out = append(out, atom{kind: atomEmpty})
		}
		for _, q := range x.Parts {
			if l, ok := q.(*syntax.Lit); ok {
				b := p.src.bytes(l.Value)
				if len(b) == 0 {
					out = append(out, atom{kind: atomEmpty})
				}
				for i := 0; i < len(b); i++ {
					if b[i] == '\\' && i+1 < len(b) && bytes.IndexByte([]byte("$`\"\\\n"), b[i+1]) >= 0 {
						if i++; b[i] == '\n' {
							continue
						}
					}
					out = append(out, atom{c: b[i], kind: atomQuoted})
				}
				continue
			}
			out = append(out, atom{part: q, kind: atomQuotedPart})
		}
	default:
		out = append(out, atom{part: part, kind: atomPart})
	}
	return out
}

// words expands the words of a command line, in order.
func (p *planner) words(list []*syntax.Word, st *state) []field {
	if len(list) > MaxCandidates {
		panic(tooLarge{"more words than a plan holds"})
	}
	if p.budget.bytes -= 16 * len(list); p.budget.bytes < 0 { // a function's words count at each call
		panic(tooLarge{"more words than are followed"})
	}
	var out []field
	for _, w := range list {
		out = append(out, p.word(w, st)...)
	}
	return out
}

// word expands one word the way the shell expands an argument: braces, tilde,
// parameters, substitutions, splitting. Pathname expansion is left to the
// establishment: a field says where its pattern characters are.
func (p *planner) word(w *syntax.Word, st *state) []field {
	span := p.span(w)
	if f, ok := p.plainWord(w, span); ok {
		return []field{f}
	}
	atoms := p.atoms(w)
	var out []field
	alternatives := [][]atom{atoms}
	if p.plan.Shell.Dialect != DialectDash {
		alternatives = p.braces(atoms)
		if p.plan.Shell.Dialect == DialectPosix && len(alternatives) > 1 {
			alternatives = append(alternatives, atoms) // an sh may have none
		}
	}
	for _, alt := range alternatives {
		alt = p.tildes(alt, st, p.plan.Shell.Dialect != DialectDash && isAssignment(alt), span)
		out = append(out, p.fields(alt, st, span)...)
		if len(out) > MaxFields {
			panic(tooLarge{"a word that becomes too many words"})
		}
	}
	return out
}

// plainWord is the everyday case: literal text without anything to expand.
func (p *planner) plainWord(w *syntax.Word, span Span) (field, bool) {
	if len(w.Parts) != 1 || len(p.src.moved) > 0 {
		return field{}, false
	}
	switch x := w.Parts[0].(type) {
	case *syntax.Lit:
		for i := range len(x.Value) {
			switch x.Value[i] {
			case '\\', '{', '~', '*', '?', '[':
				return field{}, false
			}
		}
		return field{raw: []byte(x.Value), text: p.textOf(span), span: span}, true
	case *syntax.SglQuoted:
		if !x.Dollar {
			return field{raw: []byte(x.Value), text: p.textOf(span), span: span}, true
		}
	}
	return field{}, false
}

// isAssignment reports whether the atoms read like NAME=..., which bash expands
// a tilde in even as an argument.
func isAssignment(a []atom) bool {
	for i, x := range a {
		if x.kind != atomPlain {
			return false
		}
		switch {
		case x.c == '=':
			return i > 0
		case x.c == '_' || x.c >= 'a' && x.c <= 'z' || x.c >= 'A' && x.c <= 'Z':
		case x.c >= '0' && x.c <= '9' && i > 0:
		default:
			return false
		}
	}
	return false
}

// builder turns atoms into fields.
type builder struct {
	p      *planner
	st     *state
	span   Span
	split  bool // unquoted expansions are split and globbed
	match  bool // the word is a pattern on text: unquoted expansions are active
	cur    field
	has    bool // the current field exists even when it is empty
	fields []field
}

// fields expands atoms with splitting.
func (p *planner) fields(atoms []atom, st *state, span Span) []field {
	b := builder{p: p, st: st, span: span, split: true}
	b.run(atoms)
	b.end()
	return b.fields
}

// whole expands atoms into exactly one field, without splitting or patterns: an
// assignment, a here-document, the word of case.
func (p *planner) whole(atoms []atom, st *state, span Span) field {
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
			b.byte(a.c, MaskActive)
		case atomQuoted:
			b.byte(a.c, MaskQuoted)
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
	if len(b.fields) > MaxFields {
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
			b.dynamic(p.why(OpaqueConstruct, p.span(x), "a process substitution is joined to other text"), false)
			return
		}
		b.has, b.cur.pipe = true, true
		b.bytes([]byte("/dev/fd/63"), MaskQuoted)
	case *syntax.ExtGlob:
		b.dynamic(p.why(OpaquePattern, p.span(x), "extended pattern operators are not modelled"), true)
	default:
		b.dynamic(p.why(OpaqueConstruct, p.span(part), "this kind of expansion is not modelled"), !quoted)
	}
}

// defaultWord expands the word of ${x:-word} in place. Unquoted, its own blanks
// separate fields.
func (b *builder) defaultWord(w *syntax.Word, quoted bool) {
	atoms := b.p.tildes(b.p.atoms(w), b.st, false, b.span)
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
func (b *builder) dynamic(why *Opaque, many bool) {
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
			b.bytes(v.str, MaskActive)
		case quoted || !b.split:
			b.bytes(v.str, MaskQuoted)
		default:
			b.splitText(v.str)
		}
	case valSet:
		if v.set.bare && b.cur.set == nil && b.cur.dyn == nil && len(b.cur.raw) > 0 {
			set := *v.set
			set.word.Raw = append(bytes.Clone(b.cur.raw), '*')
			set.word.Mask = append(make([]byte, len(b.cur.raw)), MaskActive)
			set.prefixed = b.cur.raw[0] != '-'
			set.resplit = set.resplit || !quoted && b.split
			b.cur.raw, b.cur.mask = nil, nil
			b.cur.set, b.has = &set, true
			return
		}
		if b.has || b.cur.set != nil || len(b.cur.raw) > 0 {
			b.dynamic(b.p.why(OpaqueDynamic, b.span, "the word joins text to names that only the file system knows"), !quoted)
			return
		}
		set := *v.set
		set.resplit = set.resplit || !quoted && b.split
		b.cur.set, b.has = &set, true
	case valInt:
		first := b.cur.dyn == nil
		b.dynamic(b.p.why(OpaqueDynamic, b.span, "the word holds a number that only the running shell knows"), false)
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
func (p *planner) reason(why *Opaque, span Span) *Opaque {
	if why == nil {
		return p.why(OpaqueDynamic, span, "the word is made of something only the running shell knows")
	}
	r := *why
	r.Span, r.Word = span, bytes.Clone(p.textOf(span))
	return &r
}

// why is a reason at a place of the source.
func (p *planner) why(code OpaqueCode, span Span, detail string) *Opaque {
	return &Opaque{Code: code, Detail: shown(detail), Span: span, Word: bytes.Clone(p.textOf(span))}
}

// substitution appends what $(...) prints.
func (b *builder) substitution(x *syntax.CmdSubst, quoted bool) {
	p := b.p
	out := p.substitute(x, b.st)
	if out.kind == outNames && !out.nul && !quoted && b.split && !b.has {
		if v := b.st.lookup("IFS"); len(v.alts) == 1 && v.alts[0].kind == valText && string(v.alts[0].str) == " \t\n" {
			for i, set := range out.sets {
				if i > 0 {
					b.end()
				}
				again := *set
				again.resplit = true
				b.cur.set, b.cur.many, b.has = &again, true, true
			}
			return
		}
	}
	why := p.why(OpaqueDynamic, p.span(x), "the word is what a command prints")
	if out.kind == outNames {
		why.Detail = "the word joins names that only the file system knows"
	}
	b.value(out.substituted(why), quoted)
	if quoted {
		b.has = true
	}
}

// substitute walks the commands of $(...) in a subshell and gives what they
// print.
func (p *planner) substitute(x *syntax.CmdSubst, st *state) output {
	saved := p.out
	p.out = output{}
	p.listen++
	p.maybeNested(x, st)
	p.listen--
	out := p.out
	p.out = saved
	return out
}

// procSubst walks the commands of <(...), which run beside the command.
func (p *planner) procSubst(x *syntax.ProcSubst, st *state) {
	saved := p.out
	p.concurrent(func() {
		p.subshell(st, func(sub *state) {
			sub.stdin = input{}
			sub.fds[0] = fdInfo{kind: fdPipe}
			if x.Op == syntax.CmdIn {
				sub.fds[1] = fdInfo{kind: fdPipe, from: 1}
			}
			p.stmts(x.Stmts, sub)
		})
	})
	p.out = saved
}

// maybeNested walks a command substitution. One in backquotes that holds a
// backslash is read a second time from its own text, since backslashes in
// backquotes are taken off before the text is read.
func (p *planner) maybeNested(x *syntax.CmdSubst, st *state) {
	sub := st.clone()
	sub.fds[1] = fdInfo{kind: fdPipe, from: 1}
	if x.Backquotes {
		span := p.span(x)
		if body := p.plan.Source[span.Start:span.End]; bytes.IndexByte(body, '\\') >= 0 {
			i := p.segmentOf("", span, st)
			p.opaque(i, OpaqueConstruct, span, "a backslash inside backquotes is not modelled; write $(...)")
		}
	}
	loops, frames := p.loops, p.frames
	p.loops, p.frames = nil, nil
	p.stmts(x.Stmts, sub)
	p.loops, p.frames = loops, frames
}

// oneWord expands a word that is neither split nor globbed.
func (p *planner) oneWord(w *syntax.Word, st *state) value {
	if w == nil {
		return textValue(nil)
	}
	span := p.span(w)
	return fieldValue(p.whole(p.tildes(p.atoms(w), st, false, span), st, span))
}

func fieldValue(f field) value {
	switch {
	case f.num && len(f.raw) == 0:
		return value{kind: valInt}
	case f.dyn != nil:
		return unknown(f.dyn)
	case f.set != nil && len(f.raw) == 0:
		return value{kind: valSet, set: f.set}
	case f.set != nil:
		return unknown(&Opaque{Code: OpaqueDynamic, Detail: "the word joins text to names that only the file system knows"})
	}
	return textValue(f.raw)
}

// patternField expands a word that is used as a pattern on text (case, [[,
// ${x#...}); nil when a part of it is not known.
func (p *planner) patternField(w *syntax.Word, st *state) *field {
	span := p.span(w)
	b := builder{p: p, st: st, span: span, match: true}
	b.run(p.tildes(p.atoms(w), st, false, span))
	f := b.cur
	if f.dyn != nil || f.set != nil {
		return nil
	}
	return &f
}

// patternReason says why a pattern cannot be left to the establishment.
func (p *planner) patternReason(f field, st *state) *Opaque {
	if f.bad != nil {
		return p.reason(f.bad, f.span)
	}
	if st.globDim != 0 {
		return p.why(OpaqueShellOption, f.span, "a shell option that changes patterns may be on or off here")
	}
	return nil
}

// positional is "$@" as fields.
func (p *planner) positional(st *state, span Span) []field {
	if st.argsWhy != nil {
		return []field{{dyn: p.reason(st.argsWhy, span), many: true, span: span}}
	}
	var out []field
	for _, v := range st.params {
		b := builder{p: p, st: st, span: span}
		b.value(v, true)
		b.has = true
		b.end()
		out = append(out, b.fields...)
	}
	return out
}
