package establish

import "github.com/hydraharness/harness-runtime/gocore/shellplan"

// made is one path that a segment creates.
type made struct {
	plan    *shellplan.Plan
	segment int
	path    string
}

// again establishes once more what earlier segments reach, in the order of the
// text, so that what is found out about a segment counts for the later ones.
// before is what the whole plan finds already done, all what any segment of the
// text creates.
func (r *run) again(p *shellplan.Plan, e *Established, before *past, all []made) error {
	if effects(p) == 0 && before.none() && (len(all) == 0 || !hasNames(p)) {
		return nil
	}
	var steps []step
	nested := make([]*past, len(p.Nested))
	note := func(i int) {
		for k := range steps {
			if s := &steps[k]; s.segment == i {
				s.done = effect(s.effect, &e.Segments[i]).folded(r.caps.CaseInsensitive)
			}
		}
	}
	for i := range p.Segments {
		for j := range p.Segments[i].Effects {
			steps = append(steps, step{segment: i, effect: &p.Segments[i].Effects[j]})
		}
	}
	for i := range p.Segments {
		if len(p.Segments[i].Effects) > 0 {
			note(i)
		}
	}
	for i := range p.Nested {
		nested[i] = effectsOf(&p.Nested[i].Plan, e.Nested[i]).folded(r.caps.CaseInsensitive)
	}
	// seen is what segment j may find done, by the segments of this plan and
	// by the nested plans but one.
	seen := func(j, except int) *past {
		out := &past{fold: r.caps.CaseInsensitive}
		out.merge(before)
		for _, s := range steps {
			if s.effect.VisibleFrom <= j {
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
	for j := range p.Segments {
		now := seen(j, -1)
		if meetsNames(&p.Segments[j]) {
			for _, m := range all {
				if m.plan != p || m.segment != j {
					now.madePaths = append(now.madePaths, m.path)
				}
			}
		}
		if err := r.redo(p, e, j, now); err != nil {
			return err
		}
		if len(p.Segments[j].Effects) > 0 {
			note(j)
		}
		for i := range p.Nested {
			if p.Nested[i].Segment != j {
				continue
			}
			if err := r.again(&p.Nested[i].Plan, e.Nested[i], seen(j, i), all); err != nil {
				return err
			}
			nested[i] = effectsOf(&p.Nested[i].Plan, e.Nested[i]).folded(r.caps.CaseInsensitive)
		}
	}
	return nil
}

// step is one effect with what it re-points.
type step struct {
	segment int
	effect  *shellplan.Effect
	done    *past
}

// redo establishes one segment again with what it may find done.
func (r *run) redo(p *shellplan.Plan, e *Established, j int, now *past) error {
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
	all := &past{trees: []string{"/"}, removed: true, any: true}
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

func (p *past) none() bool { return !p.any && !p.removed && !p.repoints() }

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

func hasNames(p *shellplan.Plan) bool {
	for i := range p.Segments {
		if meetsNames(&p.Segments[i]) {
			return true
		}
	}
	for i := range p.Nested {
		if hasNames(&p.Nested[i].Plan) {
			return true
		}
	}
	return false
}

// meetsNames reports whether a segment finds names by looking for them, so that
// it meets those that other segments create.
func meetsNames(s *shellplan.Segment) bool {
	looks := func(steps []shellplan.CwdStep) bool {
		for i := range steps {
			if steps[i].Pattern || len(steps[i].CDPath) > 0 {
				return true
			}
		}
		return false
	}
	for i := range s.Candidates {
		c := &s.Candidates[i]
		if c.Pattern || c.Kind == shellplan.KindUpward || looks(c.Chdir) {
			return true
		}
	}
	for i := range s.Cwds {
		if looks(s.Cwds[i].Steps) {
			return true
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
