package establish

import "github.com/hydraharness/harness-runtime/gocore/shellplan"

// What a plan as a whole does to names, before any of it is established again.

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
