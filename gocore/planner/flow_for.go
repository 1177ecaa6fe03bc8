package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

func (p *planner) forClause(c *syntax.ForClause, st *state) flow {
	switch l := c.Loop.(type) {
	case *syntax.CStyleLoop:
		return p.cStyle(c, l, st)
	case *syntax.WordIter:
		return p.wordIter(c, l, st)
	}
	i := p.segmentOf("", p.span(c), st)
	p.opaque(i, shellplan.OpaqueConstruct, p.span(c), "this kind of loop is not modelled")
	return flow{st, st}
}

// wordIter walks `for name in words` and select.
//
// Bash manual, "Looping Constructs": the words are expanded once, before the
// first round; without `in` they are the positional parameters.
func (p *planner) wordIter(c *syntax.ForClause, l *syntax.WordIter, st *state) flow {
	var items []shellword.Field
	if l.InPos.IsValid() {
		p.split(st, func(st *state) flow {
			items = append(items, p.words(l.Items, st)...)
			return flow{st, st}
		})
	} else {
		items = p.positional(st, p.span(l))
	}
	name := l.Name.Value
	frame := &loopFrame{}
	p.listing("for", items, p.span(l), st)
	static := len(items) <= shellword.MaxUnroll && !c.Select
	for _, it := range items {
		static = static && it.Dyn == nil && !it.Many
	}
	if c.Select {
		// The choice comes from the input: any item, or none.
		return p.anyItem(c, name, append(items, shellword.Field{}), frame, st)
	}
	if !static {
		return p.anyItem(c, name, items, frame, st)
	}
	if len(items) == 0 {
		return flow{st, nil}
	}
	first := st.clone()
	before := p.visible
	if p.visible < 0 {
		p.visible = len(p.plan.Segments)
	}
	maybeNone := false
	for _, it := range items {
		if st == nil {
			break
		}
		v, many := p.itemValue(it, st)
		maybeNone = maybeNone || many
		p.set(st, name, v)
		if many { // a pattern: as many rounds as names, all alike
			st = p.looped(st, func(top *state) *state {
				p.set(top, name, v)
				return p.body(c.Do, top, frame)
			})
		} else {
			st = p.body(c.Do, st, frame)
		}
	}
	p.seeAgain(before)
	end := join(st, frame.brk)
	if maybeNone {
		end = join(end, first)
	}
	return flow{end, end}
}

// anyItem walks the body once with the variable standing for any of the items.
func (p *planner) anyItem(c *syntax.ForClause, name string, items []shellword.Field, frame *loopFrame, st *state) flow {
	v := &variable{}
	for _, it := range items {
		val, _ := p.itemValue(it, st)
		v = merge(v, single(val, false))
	}
	if len(v.alts) == 0 {
		v.alts = []shellword.Value{{Kind: shellword.ValueUnset}}
	}
	first := st.clone()
	end := p.looped(st, func(top *state) *state {
		p.set(top, name, shellword.Unknown(nil)) // what the name steers hears of it
		if !top.vars[name].odd {
			set := *top.vars[name]
			set.alts = v.alts
			top.vars[name] = &set
		}
		return p.body(c.Do, top, frame)
	})
	p.out.Kind = shellword.OutputUnknown
	end = join(join(end, frame.brk), first)
	return flow{end, end}
}

// itemValue is what a word of a for loop makes the variable; many when it
// stands for any number of words.
func (p *planner) itemValue(it shellword.Field, st *state) (shellword.Value, bool) {
	switch {
	case it.Dyn != nil:
		return shellword.Unknown(it.Dyn), it.Many
	case it.Set != nil && len(it.Raw) == 0:
		return shellword.Value{Kind: shellword.ValueSet, Set: it.Set}, true
	case it.Set != nil:
		return shellword.Unknown(p.why(shellplan.OpaqueDynamic, it.Span, "the word is made of names that only the file system knows")), true
	case it.Pattern:
		if why := p.patternReason(it, st); why != nil {
			return shellword.Unknown(why), true
		}
		return shellword.Value{Kind: shellword.ValueSet, Set: &shellword.NameSet{
			Word:     shellplan.Word{Raw: it.Raw, Mask: it.Mask, Pattern: true, Glob: st.globOf(&it)},
			CwdKey:   st.cwdKey(),
			Prefixed: len(it.Raw) > 0 && it.Raw[0] != '-' && !shellword.StartsMeta(it.Raw, it.Mask),
			Text:     it.Text, Span: it.Span,
		}}, true
	}
	return shellword.TextValue(it.Raw), false
}

// cStyle unrolls `for ((i=0; i<n; i++))` while everything is known, and walks
// the body once with what changed unknown otherwise.
//
// Long because the count of rounds is tried on a copy first and holds only
// while the body leaves the variable alone, which each round checks again.
func (p *planner) cStyle(c *syntax.ForClause, l *syntax.CStyleLoop, st *state) flow {
	frame := &loopFrame{}
	span := p.span(l)
	eval := func(x syntax.ArithmExpr, st *state) shellword.Value {
		if x == nil {
			return shellword.StringValue("1")
		}
		return p.arith(x, st, span)
	}
	if l.Init != nil {
		eval(l.Init, st)
	}
	probe := st.clone()
	rounds := 0
	for ; rounds <= shellword.MaxUnroll; rounds++ {
		v := eval(l.Cond, probe)
		if v.Kind != shellword.ValueText {
			rounds = shellword.MaxUnroll + 1
			break
		}
		if string(v.Text) == "0" {
			break
		}
		if l.Post == nil || eval(l.Post, probe).Kind != shellword.ValueText {
			rounds = shellword.MaxUnroll + 1
			break
		}
	}
	if rounds <= shellword.MaxUnroll {
		before := p.visible
		if p.visible < 0 {
			p.visible = len(p.plan.Segments)
		}
		for n := 0; st != nil; n++ {
			// The body may change the variable, so the bound is counted again.
			if n > shellword.MaxUnroll {
				panic(tooLarge{"a loop with more rounds than are followed"})
			}
			v := eval(l.Cond, st)
			if v.Kind != shellword.ValueText {
				break // the body made it unknown: the walk below goes on
			}
			if string(v.Text) == "0" {
				p.seeAgain(before)
				end := join(st, frame.brk)
				return flow{end, end}
			}
			if st = p.body(c.Do, st, frame); st != nil && l.Post != nil {
				eval(l.Post, st)
			}
		}
		p.seeAgain(before)
		if st == nil {
			return flow{frame.brk, frame.brk}
		}
	}
	end := p.looped(st, func(top *state) *state {
		eval(l.Cond, top)
		next := p.body(c.Do, top, frame)
		if next != nil && l.Post != nil {
			eval(l.Post, next)
		}
		return next
	})
	p.out.Kind = shellword.OutputUnknown
	end = join(end, frame.brk)
	return flow{end, end}
}
