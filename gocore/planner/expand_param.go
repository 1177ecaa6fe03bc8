package planner

import (
	"bytes"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
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
		return one(unknown(p.why(shellplan.OpaqueConstruct, span, "this form of parameter expansion is not modelled")))
	}
	if x.Names != 0 {
		return one(unknown(p.why(shellplan.OpaqueDynamic, span, "the word lists the names of variables")))
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
func (p *planner) indirect(x *syntax.ParamExp, st *state, quoted bool, span shellplan.Span) expansion {
	if x.Index != nil {
		p.index(x.Index, st, span)
		return one(value{kind: valInt}) // ${!a[@]}: subscripts
	}
	v := p.get(st, x.Param.Value)
	if v.kind != valText || !syntax.ValidName(string(v.str)) {
		if v.kind == valText && bytes.ContainsAny(v.str, "[$`") {
			p.note(shellplan.OpaqueDynamic, span, "the name that ${!...} reads holds a subscript, which is evaluated")
		}
		return one(unknown(p.why(shellplan.OpaqueDynamic, span, "the name of the variable is not known")))
	}
	e := p.subject(string(v.str), nil, st, quoted, span)
	return p.operate(e, string(v.str), x, st, quoted, span)
}

// subject is the parameter before any operator.
func (p *planner) subject(name string, index syntax.ArithmExpr, st *state, quoted bool, span shellplan.Span) expansion {
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
		return one(unknown(p.why(shellplan.OpaqueDynamic, span, "the word holds the shell's options")))
	case "0":
		if len(p.opts.Args) > 0 && len(p.frames) == 0 {
			return one(textString(p.opts.Args[0]))
		}
		return one(unknown(p.why(shellplan.OpaqueDynamic, span, "the word holds the name the shell was started by")))
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
func (p *planner) joined(vals []value, st *state, span shellplan.Span) value {
	sep := []byte(" ")
	switch ifs := p.get(st, "IFS"); {
	case ifs.kind == valText && len(ifs.str) > 0:
		sep = ifs.str[:1]
	case ifs.kind == valText:
		sep = nil
	case ifs.kind != valUnset:
		return unknown(p.why(shellplan.OpaqueShellOption, span, "IFS is not known"))
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
func (p *planner) element(v value, index syntax.ArithmExpr, st *state, quoted bool, span shellplan.Span) expansion {
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
		return one(unknown(p.why(shellplan.OpaqueDynamic, span, "the subscript is not known")))
	}
	n, err := strconv.Atoi(string(at.str))
	if err != nil {
		return one(unknown(p.why(shellplan.OpaqueDynamic, span, "the subscript is not a number")))
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
func (p *planner) index(x syntax.ArithmExpr, st *state, span shellplan.Span) (byte, value) {
	if w, ok := x.(*syntax.Word); ok {
		if l := w.Lit(); l == "@" || l == "*" {
			return l[0], value{}
		}
	}
	return 0, p.arith(x, st, span)
}

// operate applies the operator of ${x op word}.
func (p *planner) operate(e expansion, name string, x *syntax.ParamExp, st *state, quoted bool, span shellplan.Span) expansion {
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
			p.note(shellplan.OpaqueDynamic, span, "${...@P} runs the substitutions that the value holds")
		}
		return one(unknown(p.why(shellplan.OpaqueDynamic, span, "the word transforms a value in a way that is not modelled")))
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
