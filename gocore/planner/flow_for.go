package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
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

func (p *planner) wordIter(c *syntax.ForClause, l *syntax.WordIter, st *state) flow {
	var items []field
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
	static := len(items) <= maxUnroll && !c.Select
	for _, it := range items {
		static = static && it.dyn == nil && !it.many
	}
	if c.Select {
		// The choice comes from the input: any item, or none.
		return p.anyItem(c, name, append(items, field{}), frame, st)
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
	p.visible = before
	end := join(st, frame.brk)
	if maybeNone {
		end = join(end, first)
	}
	return flow{end, end}
}

// anyItem walks the body once with the variable standing for any of the items.
func (p *planner) anyItem(c *syntax.ForClause, name string, items []field, frame *loopFrame, st *state) flow {
	v := &variable{}
	for _, it := range items {
		val, _ := p.itemValue(it, st)
		v = merge(v, single(val, false))
	}
	if len(v.alts) == 0 {
		v.alts = []value{{kind: valUnset}}
	}
	first := st.clone()
	end := p.looped(st, func(top *state) *state {
		p.set(top, name, unknown(nil)) // what the name steers hears of it
		if !top.vars[name].odd {
			set := *top.vars[name]
			set.alts = v.alts
			top.vars[name] = &set
		}
		return p.body(c.Do, top, frame)
	})
	p.out.kind = outUnknown
	end = join(join(end, frame.brk), first)
	return flow{end, end}
}

// itemValue is what a word of a for loop makes the variable; many when it
// stands for any number of words.
func (p *planner) itemValue(it field, st *state) (value, bool) {
	switch {
	case it.dyn != nil:
		return unknown(it.dyn), it.many
	case it.set != nil && len(it.raw) == 0:
		return value{kind: valSet, set: it.set}, true
	case it.set != nil:
		return unknown(p.why(shellplan.OpaqueDynamic, it.span, "the word is made of names that only the file system knows")), true
	case it.pattern:
		if why := p.patternReason(it, st); why != nil {
			return unknown(why), true
		}
		return value{kind: valSet, set: &nameSet{
			word:     shellplan.Word{Raw: it.raw, Mask: it.mask, Pattern: true, Glob: it.glob(st)},
			cwdKey:   st.cwdKey(),
			prefixed: len(it.raw) > 0 && it.raw[0] != '-' && !startsMeta(it.raw, it.mask),
			text:     it.text, span: it.span,
		}}, true
	}
	return textValue(it.raw), false
}

// cStyle unrolls `for ((i=0; i<n; i++))` while everything is known, and walks
// the body once with what changed unknown otherwise.
func (p *planner) cStyle(c *syntax.ForClause, l *syntax.CStyleLoop, st *state) flow {
	frame := &loopFrame{}
	span := p.span(l)
	eval := func(x syntax.ArithmExpr, st *state) value {
		if x == nil {
			return textString("1")
		}
		return p.arith(x, st, span)
	}
	if l.Init != nil {
		eval(l.Init, st)
	}
	probe := st.clone()
	rounds := 0
	for ; rounds <= maxUnroll; rounds++ {
		v := eval(l.Cond, probe)
		if v.kind != valText {
			rounds = maxUnroll + 1
			break
		}
		if string(v.str) == "0" {
			break
		}
		if l.Post == nil || eval(l.Post, probe).kind != valText {
			rounds = maxUnroll + 1
			break
		}
	}
	if rounds <= maxUnroll {
		before := p.visible
		if p.visible < 0 {
			p.visible = len(p.plan.Segments)
		}
		for n := 0; st != nil; n++ {
			// The body may change the variable, so the bound is counted again.
			if n > maxUnroll {
				panic(tooLarge{"a loop with more rounds than are followed"})
			}
			v := eval(l.Cond, st)
			if v.kind != valText {
				break // the body made it unknown: the walk below goes on
			}
			if string(v.str) == "0" {
				p.visible = before
				end := join(st, frame.brk)
				return flow{end, end}
			}
			if st = p.body(c.Do, st, frame); st != nil && l.Post != nil {
				eval(l.Post, st)
			}
		}
		p.visible = before
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
	p.out.kind = outUnknown
	end = join(end, frame.brk)
	return flow{end, end}
}
