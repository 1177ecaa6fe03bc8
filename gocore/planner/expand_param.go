package planner

import (
	"bytes"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// expansion is what a parameter expansion stands for.
type expansion struct {
	vals []shellword.Value
	list bool // each value is a word of its own when quoted
	// word is the default of ${x:-word} when it is used in place of vals.
	word *syntax.Word
}

func one(v shellword.Value) expansion { return expansion{vals: []shellword.Value{v}} }

// param evaluates ${...}. Every word inside it is walked for substitutions,
// whichever is used.
//
// Bash manual, "Shell Parameter Expansion".
func (p *planner) param(x *syntax.ParamExp, st *state, quoted bool) expansion {
	span := p.span(x)
	if x.Flags != nil || x.NestedParam != nil || len(x.Modifiers) > 0 || x.Width || x.IsSet || x.Param == nil ||
		x.Split != 0 || x.GlobSubst != 0 || x.RcExpand != 0 {
		return one(shellword.Unknown(p.why(shellplan.OpaqueConstruct, span, "this form of parameter expansion is not modelled")))
	}
	if x.Names != 0 {
		return one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the word lists the names of variables")))
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
func length(e expansion) shellword.Value {
	if e.list {
		for _, v := range e.vals {
			if v.Kind == shellword.ValueUnknown {
				return shellword.Value{Kind: shellword.ValueInt}
			}
		}
		return shellword.StringValue(strconv.Itoa(len(e.vals)))
	}
	if v := e.vals[0]; v.Known() {
		for _, c := range v.Text {
			if c >= 0x80 {
				return shellword.Value{Kind: shellword.ValueInt} // bytes or characters, by locale
			}
		}
		return shellword.StringValue(strconv.Itoa(len(v.Text)))
	}
	return shellword.Value{Kind: shellword.ValueInt}
}

// indirect is ${!name}: the parameter whose name another one holds.
func (p *planner) indirect(x *syntax.ParamExp, st *state, quoted bool, span shellplan.Span) expansion {
	if x.Index != nil {
		p.index(x.Index, st, span)
		return one(shellword.Value{Kind: shellword.ValueInt}) // ${!a[@]}: subscripts
	}
	v := p.get(st, x.Param.Value)
	if v.Kind != shellword.ValueText || !syntax.ValidName(string(v.Text)) {
		if v.Kind == shellword.ValueText && bytes.ContainsAny(v.Text, "[$`") {
			p.note(shellplan.OpaqueDynamic, span, "the name that ${!...} reads holds a subscript, which is evaluated")
		}
		return one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the name of the variable is not known")))
	}
	e := p.subject(string(v.Text), nil, st, quoted, span)
	return p.operate(e, string(v.Text), x, st, quoted, span)
}

// subject is the parameter before any operator.
func (p *planner) subject(name string, index syntax.ArithmExpr, st *state, quoted bool, span shellplan.Span) expansion {
	switch name {
	case "@", "*":
		if st.argsWhy != nil {
			return expansion{vals: []shellword.Value{shellword.Unknown(p.reason(st.argsWhy, span))}, list: true}
		}
		if name == "*" && quoted {
			return one(p.joined(st.params, st, span))
		}
		return expansion{vals: st.params, list: true}
	case "#":
		if st.argsWhy != nil {
			return one(shellword.Value{Kind: shellword.ValueInt})
		}
		return one(shellword.StringValue(strconv.Itoa(len(st.params))))
	case "?", "$", "!":
		return one(shellword.Value{Kind: shellword.ValueInt})
	case "-":
		return one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the word holds the shell's options")))
	case "0":
		if len(p.opts.Args) > 0 && len(p.frames) == 0 {
			return one(shellword.StringValue(p.opts.Args[0]))
		}
		return one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the word holds the name the shell was started by")))
	}
	if n, err := strconv.Atoi(name); err == nil {
		switch {
		case st.argsWhy != nil:
			return one(shellword.Unknown(p.reason(st.argsWhy, span)))
		case n <= len(st.params):
			return one(st.params[n-1])
		}
		return one(shellword.Value{Kind: shellword.ValueUnset})
	}
	v := p.get(st, name)
	if st.dirty != nil {
		v = shellword.Unknown(p.reason(st.dirty, span))
	}
	if index != nil {
		return p.element(v, index, st, quoted, span)
	}
	return one(v)
}

// joined is "$*": the parameters with the first byte of IFS between them.
func (p *planner) joined(vals []shellword.Value, st *state, span shellplan.Span) shellword.Value {
	sep := []byte(" ")
	switch ifs := p.get(st, "IFS"); {
	case ifs.Kind == shellword.ValueText && len(ifs.Text) > 0:
		sep = ifs.Text[:1]
	case ifs.Kind == shellword.ValueText:
		sep = nil
	case ifs.Kind != shellword.ValueUnset:
		return shellword.Unknown(p.why(shellplan.OpaqueShellOption, span, "IFS is not known"))
	}
	var out []byte
	for i, v := range vals {
		if !v.Known() {
			return shellword.Unknown(p.reason(v.Why, span))
		}
		if i > 0 {
			out = append(out, sep...)
		}
		out = append(out, v.Text...)
	}
	return shellword.TextValue(out)
}

// element is ${a[...]}.
func (p *planner) element(v shellword.Value, index syntax.ArithmExpr, st *state, quoted bool, span shellplan.Span) expansion {
	all, at := p.index(index, st, span)
	var list []shellword.Value
	switch v.Kind {
	case shellword.ValueList:
		list = v.List
	case shellword.ValueUnset:
	case shellword.ValueUnknown:
		return expansion{vals: []shellword.Value{v}, list: all != 0}
	default:
		list = []shellword.Value{v}
	}
	switch {
	case all == '@', all == '*' && !quoted:
		return expansion{vals: list, list: true}
	case all == '*':
		return one(p.joined(list, st, span))
	case at.Kind != shellword.ValueText:
		return one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the subscript is not known")))
	}
	n, err := strconv.Atoi(string(at.Text))
	if err != nil {
		return one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the subscript is not a number")))
	}
	if n < 0 {
		n += len(list)
	}
	if n < 0 || n >= len(list) {
		return one(shellword.Value{Kind: shellword.ValueUnset})
	}
	return one(list[n])
}

// index evaluates a subscript: '@' or '*', or a number.
func (p *planner) index(x syntax.ArithmExpr, st *state, span shellplan.Span) (byte, shellword.Value) {
	if w, ok := x.(*syntax.Word); ok {
		if l := w.Lit(); l == "@" || l == "*" {
			return l[0], shellword.Value{}
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
		return one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the word transforms a value in a way that is not modelled")))
	}
	var pat *shellword.Field
	if word != nil {
		pat = p.patternField(word, st)
	}
	out := expansion{list: e.list}
	for _, v := range e.vals {
		out.vals = append(out.vals, p.trimmed(v, op, word, pat, span))
	}
	return out
}
