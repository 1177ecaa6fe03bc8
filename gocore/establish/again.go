package establish

import "github.com/hydraharness/harness-runtime/gocore/shellplan"

// made is one path that a segment creates.
type made struct {
	plan    *shellplan.Plan
	segment int
	path    string
}

// again establishes once more what earlier segments reach. before is what the
// whole plan finds already done, all what any segment of the text creates.
func (r *run) again(p *shellplan.Plan, e *Established, before *past, all []made) error {
	if effects(p) == 0 && before.none() && (len(all) == 0 || !hasPatterns(p)) {
		return nil
	}
	type step struct {
		from int // the first segment that may run after it
		done *past
	}
	var steps []step
	for i := range p.Segments {
		for j := range p.Segments[i].Effects {
			x := &p.Segments[i].Effects[j]
			steps = append(steps, step{x.VisibleFrom, effect(x, &e.Segments[i])})
		}
	}
	nested := make([]*past, len(p.Nested))
	for i := range p.Nested {
		nested[i] = effectsOf(&p.Nested[i].Plan, e.Nested[i])
	}
	// seen is what segment j may find done, by the segments of this plan and
	// by the nested plans but one.
	seen := func(j, except int) *past {
		out := &past{}
		out.merge(before)
		for _, s := range steps {
			if s.from <= j {
				out.merge(s.done)
			}
		}
		for i := range p.Nested {
			if i != except && p.Nested[i].Segment <= j {
				out.merge(nested[i])
			}
		}
		return out
	}
	inherited := make([]*past, len(p.Nested))
	for i := range p.Nested {
		inherited[i] = seen(p.Nested[i].Segment, i)
	}
	for j := range p.Segments {
		now := seen(j, -1)
		if segmentHasPatterns(&p.Segments[j]) {
			for _, m := range all {
				if m.plan != p || m.segment != j {
					now.madePaths = append(now.madePaths, m.path)
				}
			}
		}
		if err := r.redo(p, e, j, now); err != nil {
			return err
		}
	}
	for i := range p.Nested {
		if err := r.again(&p.Nested[i].Plan, e.Nested[i], inherited[i], all); err != nil {
			return err
		}
	}
	return nil
}

// redo establishes one segment again with what it may find done.
func (r *run) redo(p *shellplan.Plan, e *Established, j int, now *past) error {
	if now.none() && len(now.madePaths) == 0 {
		return nil
	}
	if !now.repoints() && len(now.madePaths) == 0 && len(p.Segments[j].Checks) == 0 {
		// Nothing is resolved differently; the disclosure is all.
		for k := range e.Segments[j].Reads {
			e.Segments[j].Reads[k].AfterOpaque = now.any
		}
		return nil
	}
	s, err := r.segment(p, j, now)
	if err != nil {
		return err
	}
	e.Segments[j] = s
	return nil
}

// crowded is the answer for a text with more effects than are held against each
// other one by one: every name may have been re-pointed.
func (r *run) crowded(p *shellplan.Plan, e *Established) error {
	all := &past{trees: []string{"/"}, any: true}
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

func (p *past) none() bool { return !p.any && !p.repoints() }

// effects is how many effects a plan and what is nested in it have.
func effects(p *shellplan.Plan) int {
	n := 0
	for i := range p.Segments {
		n += len(p.Segments[i].Effects)
	}
	for i := range p.Nested {
		n += effects(&p.Nested[i].Plan)
	}
	return n
}

func hasPatterns(p *shellplan.Plan) bool {
	for i := range p.Segments {
		if segmentHasPatterns(&p.Segments[i]) {
			return true
		}
	}
	for i := range p.Nested {
		if hasPatterns(&p.Nested[i].Plan) {
			return true
		}
	}
	return false
}

func segmentHasPatterns(s *shellplan.Segment) bool {
	for i := range s.Candidates {
		if s.Candidates[i].Pattern {
			return true
		}
	}
	for i := range s.Cwds {
		for j := range s.Cwds[i].Steps {
			if s.Cwds[i].Steps[j].Pattern {
				return true
			}
		}
	}
	return false
}

// madeIn are the paths that a plan and what is nested in it create.
func madeIn(p *shellplan.Plan, e *Established) (out []made) {
	for i := range p.Segments {
		for _, path := range madeBy(&p.Segments[i], &e.Segments[i]) {
			out = append(out, made{p, i, path})
		}
	}
	for i := range p.Nested {
		out = append(out, madeIn(&p.Nested[i].Plan, e.Nested[i])...)
	}
	return out
}
