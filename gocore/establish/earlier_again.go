package establish

import (
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// made is one path that a segment creates.
type made struct {
	plan    *shellplan.Plan
	segment int
	path    string
}

// maxRounds is how often a plan is gone through again until what its segments
// leave behind does not change any more. A loop carries a link one name further
// in each round; what moves longer than this may be anywhere.
const maxRounds = 4

// again establishes once more what earlier segments reach, in the order of the
// text, so that what is found out about a segment counts for the later ones.
// before is what the whole plan finds already done, all what any segment of the
// text creates. It gives what the plan leaves behind.
func (r *run) again(p *shellplan.Plan, e *Established, before *earlier, all []made) (*earlier, error) {
	if effects(p) == 0 && before.none() && (len(all) == 0 || !hasNames(p)) {
		return &earlier{}, nil
	}
	a := &pass{run: r, plan: p, out: e, before: before, all: all, nested: make([]*earlier, len(p.Nested))}
	for i := range p.Segments {
		for j := range p.Segments[i].Effects {
			f := &p.Segments[i].Effects[j]
			a.steps = append(a.steps, step{segment: i, effect: f, done: effect(f, &e.Segments[i], nil).folded(r.caps.CaseInsensitive)})
			a.back = a.back || f.VisibleFrom <= i
		}
	}
	for i := range p.Nested {
		a.nested[i] = &earlier{}
		a.back = a.back || effects(&p.Nested[i].Plan) > 0
	}
	for n := 0; ; n++ {
		had := a.left()
		if err := a.segments(); err != nil {
			return nil, err
		}
		if a.exhausted() {
			return anything(), nil
		}
		has := a.left()
		if !a.back || has.same(had) {
			return has, nil
		}
		if n == maxRounds {
			return anything(), r.crowded(p, e)
		}
	}
}

// pass is one plan while it is established again.
type pass struct {
	*run
	plan   *shellplan.Plan
	out    *Established
	before *earlier
	all    []made
	steps  []step
	nested []*earlier
	back   bool // an effect reaches a segment before it: a loop, a pipeline, a text beside its segment
}

// step is one effect with what it re-points.
type step struct {
	segment int
	effect  *shellplan.Effect
	done    *earlier
}

// segments goes through the plan once.
func (a *pass) segments() error {
	for j := range a.plan.Segments {
		if a.exhausted() {
			withoutAnswerFrom(a.plan, a.out, j)
			return nil
		}
		now := a.seen(j, -1)
		if meetsNames(&a.plan.Segments[j]) {
			a.compare(len(a.all))
			for _, m := range a.all {
				if m.plan != a.plan || m.segment != j {
					now.madePaths = append(now.madePaths, m.path)
				}
			}
		}
		if err := a.redo(a.plan, a.out, j, now); err != nil {
			return err
		}
		for k := range a.steps {
			if s := &a.steps[k]; s.segment == j {
				s.done = effect(s.effect, &a.out.Segments[j], now).folded(a.caps.CaseInsensitive)
			}
		}
		for i := range a.plan.Nested {
			if a.plan.Nested[i].Segment != j {
				continue
			}
			left, err := a.again(&a.plan.Nested[i].Plan, a.out.Nested[i], a.seen(j, i), a.all)
			if err != nil {
				return err
			}
			a.nested[i] = left
		}
	}
	return nil
}

// seen is what segment j may find done, by the segments of this plan and by the
// nested plans but one.
func (a *pass) seen(j, except int) *earlier {
	out := &earlier{fold: a.caps.CaseInsensitive}
	out.merge(a.before)
	for _, s := range a.steps {
		if s.effect.VisibleFrom <= j {
			a.compare(1 + s.done.size())
			out.merge(s.done)
		}
	}
	for i := range a.plan.Nested {
		if i != except && a.plan.Nested[i].Segment <= j {
			out.merge(a.nested[i])
		}
	}
	return out
}

// left is what the plan leaves behind.
func (a *pass) left() *earlier {
	out := &earlier{fold: a.caps.CaseInsensitive}
	for _, s := range a.steps {
		out.merge(s.done)
	}
	for i := range a.nested {
		out.merge(a.nested[i])
	}
	return out
}

// same reports whether two lists of effects re-point the same names.
func (p *earlier) same(q *earlier) bool {
	return p.removed == q.removed && p.any == q.any && slices.Equal(p.entries, q.entries) && slices.Equal(p.trees, q.trees) &&
		slices.Equal(p.links, q.links) && slices.Equal(p.moved, q.moved)
}

// size is how many names there are.
func (p *earlier) size() int {
	if p == nil {
		return 0
	}
	return len(p.entries) + len(p.trees) + len(p.links) + len(p.moved) + len(p.madePaths)
}

// anything is earlier effects in which every name may have been re-pointed.
func anything() *earlier { return &earlier{trees: []string{"/"}, removed: true, any: true} }

// redo establishes one segment again with what it may find done.
func (r *run) redo(p *shellplan.Plan, e *Established, j int, now *earlier) error {
	if now.none() && len(now.madePaths) == 0 {
		return nil
	}
	if !now.repoints() && !now.removed && len(now.madePaths) == 0 && len(p.Segments[j].Checks) == 0 {
		// Nothing is resolved differently; the disclosure is all.
		for k := range e.Segments[j].Resolutions {
			e.Segments[j].Resolutions[k].AfterOpaque = now.any
		}
		return nil
	}
	s, err := r.answer(p, j, now)
	if err != nil {
		return err
	}
	e.Segments[j] = s
	return nil
}

// crowded is the answer for a text with more effects than are held against each
// other one by one: every name may have been re-pointed.
func (r *run) crowded(p *shellplan.Plan, e *Established) error {
	if r.exhausted() {
		withoutAnswerFrom(p, e, 0)
		return nil
	}
	all := anything()
	for j := range p.Segments {
		if err := r.redo(p, e, j, all); err != nil {
			return err
		}
	}
	for i := range p.Nested {
		if err := r.crowded(&p.Nested[i].Plan, e.Nested[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *earlier) none() bool { return !p.any && !p.removed && !p.repoints() }
