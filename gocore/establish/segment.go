package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"sync"
)

// segmentRun establishes one segment.
type segmentRun struct {
	*run
	plan  *shellplan.Segment
	shell *shellplan.Shell
	fds   map[int]*shellplan.Word
	spots int
	past  *past
	calm  func() bool // nothing before it can make a directory of now unreachable
}

// segment answers for every candidate from every directory the segment may run
// in, and for every check.
func (r *run) segment(p *shellplan.Plan, i int, before *past) (Segment, error) {
	s := &segmentRun{run: r, plan: &p.Segments[i], shell: &p.Shell, past: before}
	s.fds = descriptorsOf(s.plan)
	s.calm = sync.OnceValue(func() bool { r.compare(i); return r.calm(p, i) })
	spots, index, err := s.where()
	if err != nil {
		return Segment{}, err
	}
	if len(spots) == 0 && !s.plan.CwdUnknown {
		return Segment{}, nil // it does not run: each way to it rests on a cd that works
	}
	s.spots = len(spots)
	var out Segment
	for j := range s.plan.Candidates {
		if err := r.alive(); err != nil {
			return Segment{}, err
		}
		reads, err := s.candidate(j, spots, index)
		if err != nil {
			return Segment{}, err
		}
		out.Resolutions = append(out.Resolutions, reads...)
	}
	for j := range s.plan.Checks {
		c, err := s.check(j, spots)
		if err != nil {
			return Segment{}, err
		}
		out.Checks = append(out.Checks, c)
	}
	return out, nil
}

// where lists the directories of the segment, with the index of the entry of
// Cwds that each came from. None when the directory is not known.
func (s *segmentRun) where() (spots []spot, index []int, err error) {
	if s.plan.CwdUnknown {
		return nil, nil, nil
	}
	for i := range s.plan.Cwds {
		if never, err := s.never(&s.plan.Cwds[i]); err != nil {
			return nil, nil, err
		} else if never {
			continue
		}
		to, err := s.directories(s.plan.Cwds[i].Steps, s.shell, s.past)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range to {
			spots, index = append(spots, t), append(index, i)
		}
	}
	return spots, index, nil
}

// never reports whether a directory is ruled out: a change that has to have
// failed on the way there is sure to work.
func (s *segmentRun) never(c *shellplan.Cwd) (bool, error) {
	if len(c.Failed) == 0 || !s.calm() {
		return false, nil
	}
	for _, steps := range c.Failed {
		to, err := s.directories(steps, s.shell, s.past)
		if err != nil {
			return false, err
		}
		works := len(to) > 0
		for i := range to {
			if to[i].state != Canonical {
				works = false
				break
			}
			// `.` in it asks for the right to search it, and for a directory.
			p, err := s.resolve(&rootSpot, to[i].path()+"/.", how{follow: true, reads: true})
			if err != nil {
				return false, err
			}
			works = works && p.state == Canonical
		}
		if works {
			return true, nil
		}
	}
	return false, nil
}

// calm reports whether nothing before a segment can move a directory away or
// take the right to search it.
func (r *run) calm(p *shellplan.Plan, i int) bool {
	if p != r.outermost {
		return !stirs(r.outermost, len(r.outermost.Segments))
	}
	return !stirs(p, i)
}

// stirs reports whether a segment before i, or anything nested, has an effect
// on names or on permissions.
func stirs(p *shellplan.Plan, i int) bool {
	for j := range p.Segments {
		s := &p.Segments[j]
		if j < i {
			switch s.Command {
			case "chmod", "chown", "chgrp", "install":
				return true
			}
		}
		for k := range s.Effects {
			if s.Effects[k].VisibleFrom <= i {
				return true
			}
		}
	}
	for j := range p.Nested {
		if n := &p.Nested[j].Plan; stirs(n, len(n.Segments)) {
			return true
		}
	}
	return false
}

// candidate is one Resolution per directory, and a single one for a word that
// depends on none.
func (s *segmentRun) candidate(j int, spots []spot, index []int) ([]Resolution, error) {
	c := &s.plan.Candidates[j]
	absolute := len(c.Raw) > 0 && c.Raw[0] == '/' && c.Into == nil
	if len(spots) == 0 {
		spots, index = []spot{{state: Unestablishable, reason: CwdUnknown}}, []int{-1}
	}
	if absolute {
		spots, index = spots[:1], []int{-1}
	}
	var out []Resolution
	for k := range spots {
		if !absolute && k > 0 && index[k] == index[k-1] && sameDir(spots[k-1:k], &spots[k]) {
			continue // two ways to read one cd, to one directory
		}
		from := []spot{spots[k]}
		if len(c.Chdir) > 0 {
			var err error
			if from, err = s.change(from, c.Chdir, s.shell, s.past); err != nil {
				return nil, err
			}
		}
		if absolute {
			from = from[:min(1, len(from))]
		}
		for i, f := range from {
			if sameDir(from[:i], &f) {
				continue
			}
			o := &operand{run: s.run, seg: s, c: c, from: f, shell: spots[k], out: Resolution{Candidate: j, Cwd: index[k]}}
			if s.readings++; s.readings > maxReads {
				o.fail(&failure{CapScan, "candidates of the whole plan"})
			} else if err := o.establish(); err != nil {
				if !s.exhausted() {
					return nil, err
				}
				o.fail(&failure{CapWork, exhaustedDetail})
			}
			s.spend(costResolution)
			o.out.AfterOpaque = s.past != nil && s.past.any
			out = append(out, o.out)
		}
	}
	return out, nil
}

// sameDir reports whether words are taken from one of these directories
// already; what PWD says there does not matter to them.
func sameDir(spots []spot, s *spot) bool {
	for i := range spots {
		if spots[i].state == s.state && spots[i].reason == s.reason && spots[i].path() == s.path() {
			return true
		}
	}
	return false
}
