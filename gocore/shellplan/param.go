package shellplan

import (
	"bytes"
	"fmt"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// expansion is what a parameter expansion stands for.
type expansion struct {
	vals []value
	list bool // each value is a word of its own when quoted
	// word is the default of ${x:-word} when it is used in place of vals.
	word *syntax.Word
}

func one(v value) expansion { return expansion{vals: []value{v}} }

// param evaluates ${...}. Every word inside it is walked for substitutions,
// whichever is used.
func (p *planner) param(x *syntax.ParamExp, st *state, quoted bool) expansion {
	span := p.span(x)
	if x.Flags != nil || x.NestedParam != nil || len(x.Modifiers) > 0 || x.Width || x.IsSet || x.Param == nil ||
		x.Split != 0 || x.GlobSubst != 0 || x.RcExpand != 0 {
		return one(unknown(p.why(OpaqueConstruct, span, "this form of parameter expansion is not modelled")))
	}
	if x.Names != 0 {
		return one(unknown(p.why(OpaqueDynamic, span, "the word lists the names of variables")))
	}
	name := x.Param.Value
	if x.Excl {
		return p.indirect(x, st, quoted, span)
	}
	e := p.subject(name, x.Index, st, quoted, span)
	if x.Length {
		return one(length(e))
	}
	return p.operate(e, name, x, st, quoted, span)
}

// length is ${#x}.
func length(e expansion) value {
	if e.list {
		for _, v := range e.vals {
			if v.kind == valUnknown {
				return value{kind: valInt}
			}
		}
		return textString(strconv.Itoa(len(e.vals)))
	}
	if v := e.vals[0]; v.known() {
		for _, c := range v.str {
			if c >= 0x80 {
				return value{kind: valInt} // bytes or characters, by locale
			}
		}
		return textString(strconv.Itoa(len(v.str)))
	}
	return value{kind: valInt}
}

// indirect is ${!name}: the parameter whose name another one holds.
func (p *planner) indirect(x *syntax.ParamExp, st *state, quoted bool, span Span) expansion {
	if x.Index != nil {
		p.index(x.Index, st, span)
		return one(value{kind: valInt}) // ${!a[@]}: subscripts
	}
	v := p.get(st, x.Param.Value)
	if v.kind != valText || !syntax.ValidName(string(v.str)) {
		if v.kind == valText && bytes.ContainsAny(v.str, "[$`") {
			p.note(OpaqueDynamic, span, "the name that ${!...} reads holds a subscript, which is evaluated")
		}
		return one(unknown(p.why(OpaqueDynamic, span, "the name of the variable is not known")))
	}
	e := p.subject(string(v.str), nil, st, quoted, span)
	return p.operate(e, string(v.str), x, st, quoted, span)
}

// subject is the parameter before any operator.
func (p *planner) subject(name string, index syntax.ArithmExpr, st *state, quoted bool, span Span) expansion {
	switch name {
	case "@", "*":
		if st.argsWhy != nil {
			return expansion{vals: []value{unknown(p.reason(st.argsWhy, span))}, list: true}
		}
		if name == "*" && quoted {
			return one(p.joined(st.params, st, span))
		}
		return expansion{vals: st.params, list: true}
	case "#":
		if st.argsWhy != nil {
			return one(value{kind: valInt})
		}
		return one(textString(strconv.Itoa(len(st.params))))
	case "?", "$", "!":
		return one(value{kind: valInt})
	case "-":
		return one(unknown(p.why(OpaqueDynamic, span, "the word holds the shell's options")))
	case "0":
		if len(p.opts.Args) > 0 && len(p.frames) == 0 {
			return one(textString(p.opts.Args[0]))
		}
		return one(unknown(p.why(OpaqueDynamic, span, "the word holds the name the shell was started by")))
	}
	if n, err := strconv.Atoi(name); err == nil {
		switch {
		case st.argsWhy != nil:
			return one(unknown(p.reason(st.argsWhy, span)))
		case n <= len(st.params):
			return one(st.params[n-1])
		}
		return one(value{kind: valUnset})
	}
	v := p.get(st, name)
	if st.dirty != nil {
		v = unknown(p.reason(st.dirty, span))
	}
	if index != nil {
		return p.element(v, index, st, quoted, span)
	}
	return one(v)
}

// joined is "$*": the parameters with the first byte of IFS between them.
func (p *planner) joined(vals []value, st *state, span Span) value {
	sep := []byte(" ")
	switch ifs := p.get(st, "IFS"); {
	case ifs.kind == valText && len(ifs.str) > 0:
		sep = ifs.str[:1]
	case ifs.kind == valText:
		sep = nil
	case ifs.kind != valUnset:
		return unknown(p.why(OpaqueShellOption, span, "IFS is not known"))
	}
	var out []byte
	for i, v := range vals {
		if !v.known() {
			return unknown(p.reason(v.why, span))
		}
		if i > 0 {
			out = append(out, sep...)
		}
		out = append(out, v.str...)
	}
	return textValue(out)
}

// element is ${a[...]}.
func (p *planner) element(v value, index syntax.ArithmExpr, st *state, quoted bool, span Span) expansion {
	all, at := p.index(index, st, span)
	var list []value
	switch v.kind {
	case valList:
		list = v.list
	case valUnset:
	case valUnknown:
		return expansion{vals: []value{v}, list: all != 0}
	default:
		list = []value{v}
	}
	switch {
	case all == '@', all == '*' && !quoted:
		return expansion{vals: list, list: true}
	case all == '*':
		return one(p.joined(list, st, span))
	case at.kind != valText:
		return one(unknown(p.why(OpaqueDynamic, span, "the subscript is not known")))
	}
	n, err := strconv.Atoi(string(at.str))
	if err != nil {
		return one(unknown(p.why(OpaqueDynamic, span, "the subscript is not a number")))
	}
	if n < 0 {
		n += len(list)
	}
	if n < 0 || n >= len(list) {
		return one(value{kind: valUnset})
	}
	return one(list[n])
}

// index evaluates a subscript: '@' or '*', or a number.
func (p *planner) index(x syntax.ArithmExpr, st *state, span Span) (byte, value) {
	if w, ok := x.(*syntax.Word); ok {
		if l := w.Lit(); l == "@" || l == "*" {
			return l[0], value{}
		}
	}
	return 0, p.arith(x, st, span)
}

// operate applies the operator of ${x op word}.
func (p *planner) operate(e expansion, name string, x *syntax.ParamExp, st *state, quoted bool, span Span) expansion {
	switch {
	case x.Slice != nil:
		return p.slice(e, x.Slice, st, span)
	case x.Repl != nil:
		return p.replace(e, x.Repl, st, span)
	case x.Exp == nil:
		return e
	}
	op, word := x.Exp.Op, x.Exp.Word
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return p.defaults(e, name, op, word, st, span)
	case syntax.OtherParamOps:
		if word == nil || word.Lit() == "P" {
			p.note(OpaqueDynamic, span, "${...@P} runs the substitutions that the value holds")
		}
		return one(unknown(p.why(OpaqueDynamic, span, "the word transforms a value in a way that is not modelled")))
	}
	var pat *field
	if word != nil {
		pat = p.patternField(word, st)
	}
	out := expansion{list: e.list}
	for _, v := range e.vals {
		out.vals = append(out.vals, p.trimmed(v, op, word, pat, span))
	}
	return out
}

// defaults is the family that tests whether the parameter is set.
func (p *planner) defaults(e expansion, name string, op syntax.ParExpOperator, word *syntax.Word, st *state, span Span) expansion {
	orNull := op == syntax.AlternateUnsetOrNull || op == syntax.DefaultUnsetOrNull ||
		op == syntax.ErrorUnsetOrNull || op == syntax.AssignUnsetOrNull
	set := on
	switch {
	case e.list && len(e.vals) == 0:
		set = off
	case len(e.vals) == 1:
		switch v := e.vals[0]; v.kind {
		case valUnset:
			set = off
		case valText:
			if orNull && len(v.str) == 0 {
				set = off
			}
		case valUnknown, valList:
			set = perhaps
		}
	}
	empty := textValue(nil)
	usesWord := func() expansion {
		if word == nil {
			return one(empty)
		}
		return expansion{word: word}
	}
	walk := func() { // for the substitutions in a word that may be used
		if word != nil {
			p.maybe(func() { p.oneWord(word, st.clone()) })
		}
	}
	why := func() expansion {
		walk()
		return one(unknown(p.why(OpaqueDynamic, span, fmt.Sprintf("whether $%s is set is not known", name))))
	}
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		switch set {
		case on:
			return usesWord()
		case off:
			walk()
			return one(empty)
		}
		return why()
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		switch set {
		case on:
			walk()
			return e
		case off:
			return usesWord()
		}
		return why()
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		walk()
		return e
	}
	switch set { // :=
	case on:
		walk()
		return e
	case off:
		v := p.oneWord(word, st)
		p.set(st, name, v)
		return one(v)
	}
	p.set(st, name, unknown(p.why(OpaqueDynamic, span, fmt.Sprintf("whether $%s was set is not known", name))))
	return why()
}

// trimmed applies # ## % %% and the case operators to one value.
func (p *planner) trimmed(v value, op syntax.ParExpOperator, word *syntax.Word, pat *field, span Span) value {
	if v.kind == valUnset {
		return v
	}
	why := p.why(OpaqueDynamic, span, "the word is made from a value that is not known")
	if v.kind != valText {
		return unknown(why)
	}
	switch op {
	case syntax.UpperAll, syntax.LowerAll:
		if word != nil {
			return unknown(why)
		}
		for _, c := range v.str {
			if c >= 0x80 {
				return unknown(why)
			}
		}
		if op == syntax.UpperAll {
			return textValue(bytes.ToUpper(v.str))
		}
		return textValue(bytes.ToLower(v.str))
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
	default:
		return unknown(why)
	}
	if word == nil {
		return v
	}
	if pat == nil || len(v.str) > maxTrim {
		return unknown(why)
	}
	n := len(v.str)
	for i := 0; i <= n; i++ {
		cut := i // a length of prefix or suffix to remove, shortest first
		if op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix {
			cut = n - i
		}
		part, rest := v.str[:cut], v.str[cut:]
		if op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix {
			part, rest = v.str[n-cut:], v.str[:n-cut]
		}
		switch matchText(pat.raw, pat.mask, part) {
		case on:
			return textValue(rest)
		case perhaps:
			return unknown(why)
		}
	}
	return v
}

// maxTrim bounds the texts that patterns are tried on: every length of prefix
// is one match.
const maxTrim = 4096

// slice is ${x:offset:length}.
func (p *planner) slice(e expansion, s *syntax.Slice, st *state, span Span) expansion {
	number := func(x syntax.ArithmExpr) (int, bool) {
		v := p.arith(x, st, span)
		n, err := strconv.Atoi(string(v.str))
		return n, v.kind == valText && err == nil
	}
	why := one(unknown(p.why(OpaqueDynamic, span, "the part of the value that is taken is not known")))
	from, ok := 0, true
	if s.Offset != nil {
		from, ok = number(s.Offset)
	}
	size, sized := 0, false
	if s.Length != nil {
		var known bool
		if size, known = number(s.Length); !known || size < 0 {
			return why
		}
		sized = true
	}
	if !ok || from < 0 {
		return why
	}
	if e.list {
		// "${@:1}" counts from $1; an array counts from its first element.
		return expansion{vals: []value{why.vals[0]}, list: true}
	}
	v := e.vals[0]
	if v.kind == valUnset {
		return one(v)
	}
	if v.kind != valText {
		return why
	}
	for _, c := range v.str {
		if c >= 0x80 {
			return why
		}
	}
	t := v.str[min(from, len(v.str)):]
	if sized {
		t = t[:min(size, len(t))]
	}
	return one(textValue(t))
}

// replace is ${x/pattern/text} for plain texts.
func (p *planner) replace(e expansion, r *syntax.Replace, st *state, span Span) expansion {
	pat := p.patternField(r.Orig, st)
	with := textValue(nil)
	if r.With != nil {
		with = p.oneWord(r.With, st)
	}
	why := unknown(p.why(OpaqueDynamic, span, "the replacement is not modelled"))
	plain := pat != nil && with.kind == valText && bytes.IndexByte(with.str, '&') < 0 && len(pat.raw) > 0 &&
		bytes.IndexAny(pat.raw, "*?[]()#%/!+@\\") < 0
	out := expansion{list: e.list}
	for _, v := range e.vals {
		switch {
		case v.kind == valUnset:
			out.vals = append(out.vals, v)
		case !plain || v.kind != valText:
			out.vals = append(out.vals, why)
		default:
			n := 1
			if r.All {
				n = -1
			}
			t := bytes.Replace(v.str, pat.raw, with.str, n)
			if p.budget.bytes -= len(t); p.budget.bytes < 0 {
				panic(tooLarge{"expansions that produce too much text"})
			}
			out.vals = append(out.vals, textValue(t))
		}
	}
	return out
}
