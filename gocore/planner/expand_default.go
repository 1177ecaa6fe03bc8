package planner

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// defaults is the family that tests whether the parameter is set.
//
// Long because each operator has three answers (set, unset, not known), and the
// word beside it is walked in every one for what it runs.
func (p *planner) defaults(e expansion, name string, op syntax.ParExpOperator, word *syntax.Word, st *state, span shellplan.Span) expansion {
	orNull := op == syntax.AlternateUnsetOrNull || op == syntax.DefaultUnsetOrNull ||
		op == syntax.ErrorUnsetOrNull || op == syntax.AssignUnsetOrNull
	set := on
	switch {
	case e.list && len(e.vals) == 0:
		set = off
	case len(e.vals) == 1:
		switch v := e.vals[0]; v.Kind {
		case shellword.ValueUnset:
			set = off
		case shellword.ValueText:
			if orNull && len(v.Text) == 0 {
				set = off
			}
		case shellword.ValueUnknown, shellword.ValueList:
			set = perhaps
		}
	}
	empty := shellword.TextValue(nil)
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
		return one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, fmt.Sprintf("whether $%s is set is not known", name))))
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
	p.set(st, name, shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, fmt.Sprintf("whether $%s was set is not known", name))))
	return why()
}

// trimmed applies # ## % %% and the case operators to one value.
func (p *planner) trimmed(v shellword.Value, op syntax.ParExpOperator, word *syntax.Word, pat *shellword.Field, span shellplan.Span) shellword.Value {
	if v.Kind == shellword.ValueUnset {
		return v
	}
	why := p.why(shellplan.OpaqueDynamic, span, "the word is made from a value that is not known")
	if v.Kind == shellword.ValueSet && word != nil {
		if set := trimmedName(v.Set, op, pat); set != nil {
			return shellword.Value{Kind: shellword.ValueSet, Set: set}
		}
	}
	if v.Kind != shellword.ValueText {
		return shellword.Unknown(why)
	}
	switch op {
	case syntax.UpperAll, syntax.LowerAll:
		if word != nil {
			return shellword.Unknown(why)
		}
		for _, c := range v.Text {
			if c >= 0x80 {
				return shellword.Unknown(why)
			}
		}
		if op == syntax.UpperAll {
			return shellword.TextValue(bytes.ToUpper(v.Text))
		}
		return shellword.TextValue(bytes.ToLower(v.Text))
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
	default:
		return shellword.Unknown(why)
	}
	if word == nil {
		return v
	}
	if pat == nil || len(v.Text) > maxTrim {
		return shellword.Unknown(why)
	}
	n := len(v.Text)
	for i := 0; i <= n; i++ {
		cut := i // a length of prefix or suffix to remove, shortest first
		if op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix {
			cut = n - i
		}
		part, rest := v.Text[:cut], v.Text[cut:]
		if op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix {
			part, rest = v.Text[n-cut:], v.Text[:n-cut]
		}
		p.budget.match(pat.Raw, part)
		switch shellword.MatchText(pat.Raw, pat.Mask, part) {
		case shellword.Matches:
			return shellword.TextValue(rest)
		case shellword.MayMatch:
			return shellword.Unknown(why)
		}
	}
	return v
}

// maxTrim bounds the texts that patterns are tried on: every length of prefix
// is one match.
const maxTrim = 4096

// slice is ${x:offset:length}.
func (p *planner) slice(e expansion, s *syntax.Slice, st *state, span shellplan.Span) expansion {
	number := func(x syntax.ArithmExpr) (int, bool) {
		v := p.arith(x, st, span)
		n, err := strconv.Atoi(string(v.Text))
		return n, v.Kind == shellword.ValueText && err == nil
	}
	why := one(shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the part of the value that is taken is not known")))
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
		return expansion{vals: []shellword.Value{why.vals[0]}, list: true}
	}
	v := e.vals[0]
	if v.Kind == shellword.ValueUnset {
		return one(v)
	}
	if v.Kind != shellword.ValueText {
		return why
	}
	for _, c := range v.Text {
		if c >= 0x80 {
			return why
		}
	}
	t := v.Text[min(from, len(v.Text)):]
	if sized {
		t = t[:min(size, len(t))]
	}
	return one(shellword.TextValue(t))
}

// replace is ${x/pattern/text} for plain texts.
func (p *planner) replace(e expansion, r *syntax.Replace, st *state, span shellplan.Span) expansion {
	pat := p.patternField(r.Orig, st)
	with := shellword.TextValue(nil)
	if r.With != nil {
		with = p.oneWord(r.With, st)
	}
	why := shellword.Unknown(p.why(shellplan.OpaqueDynamic, span, "the replacement is not modelled"))
	plain := pat != nil && with.Kind == shellword.ValueText && bytes.IndexByte(with.Text, '&') < 0 && len(pat.Raw) > 0 &&
		!bytes.ContainsAny(pat.Raw, "*?[]()#%/!+@\\")
	out := expansion{list: e.list}
	for _, v := range e.vals {
		switch {
		case v.Kind == shellword.ValueUnset:
			out.vals = append(out.vals, v)
		case !plain || v.Kind != shellword.ValueText:
			out.vals = append(out.vals, why)
		default:
			n := 1
			if r.All {
				n = -1
			}
			t := bytes.Replace(v.Text, pat.Raw, with.Text, n)
			p.budget.spend(1 + len(t)/perUnit)
			if p.budget.bytes -= len(t); p.budget.bytes < 0 {
				panic(tooLarge{"expansions that produce too much text"})
			}
			out.vals = append(out.vals, shellword.TextValue(t))
		}
	}
	return out
}
