package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// assignments is a command without a name: its assignments stay in the shell.
func (p *planner) assignments(c *syntax.CallExpr, redirs []*syntax.Redirect, n syntax.Node, st *state) flow {
	for _, a := range c.Assigns {
		p.assign(a, st)
	}
	if len(redirs) == 0 {
		p.flush(p.span(n), st)
		return flow{st, st}
	}
	before := st.clone()
	end := p.bare(redirs, n, st)
	st.restore(before, st.clone())
	return end
}

// assign evaluates one assignment and performs it on the state.
func (p *planner) assign(a *syntax.Assign, st *state) shellword.Value {
	if a.Name == nil {
		return shellword.Value{Kind: shellword.ValueUnset}
	}
	name, span := a.Name.Value, p.span(a)
	old := p.get(st, name)
	switch {
	case a.Index != nil:
		p.index(a.Index, st, span)
		if a.Value != nil {
			p.oneWord(a.Value, st)
		}
		p.set(st, name, shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "one element of an array was assigned")))
		return p.get(st, name)
	case a.Array != nil:
		v := p.array(a.Array, st)
		if a.Append {
			switch {
			case old.Kind == shellword.ValueList && v.Kind == shellword.ValueList:
				v.List = append(append([]shellword.Value{}, old.List...), v.List...)
			case old.Kind != shellword.ValueUnset:
				v = shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "an array was added to"))
			}
		}
		p.set(st, name, v)
		return v
	}
	var v shellword.Value
	if a.Value == nil {
		v = shellword.TextValue(nil)
	} else {
		atoms := p.assignTildes(p.atoms(a.Value), st, p.span(a.Value))
		v = fieldValue(p.whole(atoms, st, p.span(a.Value)))
	}
	if a.Append {
		switch {
		case old.Known() && v.Kind == shellword.ValueText && (st.vars[name] == nil || !st.vars[name].array):
			t := append(bytes.Clone(old.Text), v.Text...)
			p.budget.spend(1 + len(t)/perUnit)
			if p.budget.bytes -= len(t); p.budget.bytes < 0 {
				panic(tooLarge{"expansions that produce too much text"})
			}
			v = shellword.TextValue(t)
		default:
			v = shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "text was added to a value that is not known"))
		}
	}
	p.set(st, name, v)
	if name == "PS4" && st.flag[flagXTrace] != off && p.tracesMore(st) {
		p.note(shellplan.OpaqueDynamic, span, tracing)
	}
	return v
}

const tracing = "PS4 is expanded for every traced command, substitutions included"

// tracesMore reports whether a traced command runs what PS4 holds.
func (p *planner) tracesMore(st *state) bool {
	v := st.lookup("PS4")
	for _, a := range v.alts {
		if a.Kind != shellword.ValueUnset && (a.Kind != shellword.ValueText || bytes.ContainsAny(a.Text, "$`")) {
			return true
		}
	}
	return false
}

// array is the value of NAME=(...).
//
// Bash manual, "Arrays": the words are expanded like those of a command,
// pathname expansion included.
func (p *planner) array(x *syntax.ArrayExpr, st *state) shellword.Value {
	v := shellword.Value{Kind: shellword.ValueList}
	span := p.span(x)
	for _, e := range x.Elems {
		if e.Index != nil {
			p.index(e.Index, st, span)
			if e.Value != nil {
				p.oneWord(e.Value, st)
			}
			v = shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "an array with subscripts is not modelled"))
			continue
		}
		fields := p.word(e.Value, st)
		p.listing("", fields, span, st)
		for _, f := range fields {
			item, many := p.itemValue(f, st)
			if many {
				v = shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the number of elements is not known"))
			}
			if v.Kind == shellword.ValueList {
				v.List = append(v.List, item)
			}
		}
	}
	return v
}
