package planner

import (
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// maxRounds is after how many rounds a loop that still changes the shell's
// state is given up: each round can add a directory or a value, and the
// alternatives of both are bounded.
const maxRounds = 2*shellplan.MaxCwds + 4

// body walks a loop body once and gives the state in which the next round
// starts; frame collects what leaves the loop.
func (p *planner) body(list []*syntax.Stmt, st *state, frame *loopFrame) *state {
	p.looping++
	defer func() { p.looping-- }()
	p.loops = append(p.loops, frame)
	var end flow
	p.maybe(func() { end = p.stmts(list, st) })
	p.loops = p.loops[:len(p.loops)-1]
	next := join(end.any(), frame.cont)
	frame.cont = nil
	return next
}

// looped walks one round of a loop until nothing new comes of it, and then once
// for good: only the last walk leaves segments behind. round takes the state at
// the top and gives the state at the top of the next round.
func (p *planner) looped(st *state, round func(*state) *state) *state {
	before := p.visible
	if p.visible < 0 {
		p.visible = len(p.plan.Segments)
	}
	defer func() { p.seeAgain(before) }()
	p.looping++
	defer func() { p.looping-- }()
	top := st.clone()
	for n := 0; ; n++ {
		mark := p.mark()
		p.dry++
		next := round(top.clone())
		p.dry--
		p.rollback(mark)
		if next == nil {
			break
		}
		joined := join(top.clone(), next)
		if joined.same(top) {
			break
		}
		top = joined
		if n >= maxRounds {
			p.forget(top, st)
			break
		}
	}
	round(top.clone())
	return top
}

// forget makes everything that changed in a loop unknown.
func (p *planner) forget(st, before *state) {
	why := &shellplan.Opaque{Code: shellplan.OpaqueDynamic, Detail: "a loop changes it in every round"}
	for name, v := range st.vars {
		if !sameVar(v, before.vars[name]) {
			st.vars[name] = &variable{alts: []shellword.Value{shellword.Unknown(why)}, exported: true}
		}
	}
	if st.cwdKey() != before.cwdKey() {
		st.loseCwd(&shellplan.Opaque{Code: shellplan.OpaqueCwd, Detail: "a loop changes the directory in every round"})
	}
	st.globDim |= st.glob ^ before.glob
	for i := range st.flag {
		if st.flag[i] != before.flag[i] {
			st.flag[i] = perhaps
		}
	}
	st.params, st.argsWhy = nil, why
	st.stack, st.stackOK = nil, false
}

// mark and rollback drop the segments of a trial walk.
type mark struct {
	segments, nested, opaque int
	budget                   budget
	out                      shellword.Output
	pending                  []shellplan.Opaque // reasons from before the walk outlive it
}

func (p *planner) mark() mark {
	return mark{len(p.plan.Segments), len(p.plan.Nested), len(p.plan.Opaque), *p.budget, p.out, slices.Clone(p.pending)}
}

func (p *planner) rollback(m mark) {
	work, steps, bytes := p.budget.work, p.budget.steps, p.budget.bytes
	p.plan.Segments = p.plan.Segments[:m.segments]
	p.plan.Nested = p.plan.Nested[:m.nested]
	p.plan.Opaque = p.plan.Opaque[:m.opaque]
	*p.budget = m.budget
	p.budget.work, p.budget.steps, p.budget.bytes = work, steps, bytes // work done stays done
	p.out, p.pending = m.out, slices.Clone(m.pending)
}

func (p *planner) whileClause(c *syntax.WhileClause, st *state) flow {
	frame := &loopFrame{}
	var done *state
	p.looped(st, func(top *state) *state {
		cond := p.stmts(c.Cond, top).fork()
		if c.Until {
			cond.ok, cond.ko = cond.ko, cond.ok
		}
		done = join(done, cond.ko)
		if cond.ok == nil {
			return nil
		}
		return p.body(c.Do, cond.ok, frame)
	})
	p.out.Kind = shellword.OutputUnknown
	end := join(done, frame.brk)
	return flow{end, end}
}
