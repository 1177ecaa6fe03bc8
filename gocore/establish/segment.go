package establish

import (
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// segmentRun establishes one segment.
type segmentRun struct {
	*run
	plan    *shellplan.Segment
	shell   *shellplan.Shell
	fds     map[int]string
	cwds    int
	earlier *earlier
	calm    func() bool // nothing before it can make a directory of now unreachable
}

// segment answers for every candidate from every directory the segment may run
// in, and for every check.
func (r *run) segment(p *shellplan.Plan, i int, before *earlier) (Segment, error) {
	s := &segmentRun{run: r, plan: &p.Segments[i], shell: &p.Shell, earlier: before}
	s.fds = descriptorsOf(s.plan)
	s.calm = sync.OnceValue(func() bool { r.compare(i); return r.calm(p, i) })
	cwds, index, err := s.where()
	if err != nil {
		return Segment{}, err
	}
	if len(cwds) == 0 && !s.plan.CwdUnknown {
		return Segment{}, nil // it does not run: each way to it rests on a cd that works
	}
	s.cwds = len(cwds)
	var out Segment
	for j := range s.plan.Candidates {
		if err := r.alive(); err != nil && !r.exhausted() {
			return Segment{}, err
		}
		resolutions, err := s.candidate(j, cwds, index)
		if err != nil {
			return Segment{}, err
		}
		out.Resolutions = append(out.Resolutions, resolutions...)
	}
	for j := range s.plan.Checks {
		c, err := s.check(j, cwds)
		if err != nil {
			return Segment{}, err
		}
		out.Checks = append(out.Checks, c)
	}
	return out, nil
}

// where lists the directories of the segment, with the index of the entry of
// Cwds that each came from. None when the directory is not known.
func (s *segmentRun) where() (cwds []resolve.Dir, index []int, err error) {
	if s.plan.CwdUnknown {
		return nil, nil, nil
	}
	for i := range s.plan.Cwds {
		if never, err := s.never(&s.plan.Cwds[i]); err != nil {
			return nil, nil, err
		} else if never {
			continue
		}
		to, err := s.directories(s.plan.Cwds[i].Steps, s.shell, s.earlier)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range to {
			cwds, index = append(cwds, t), append(index, i)
		}
	}
	return cwds, index, nil
}

// never reports whether a directory is ruled out: a change that has to have
// failed on the way there is sure to work.
func (s *segmentRun) never(c *shellplan.Cwd) (bool, error) {
	if len(c.Failed) == 0 || !s.calm() {
		return false, nil
	}
	for _, steps := range c.Failed {
		to, err := s.directories(steps, s.shell, s.earlier)
		if err != nil {
			return false, err
		}
		works := len(to) > 0
		for i := range to {
			if to[i].State != Canonical {
				works = false
				break
			}
			// `.` in it asks for the right to search it, and for a directory.
			p, err := s.resolve(&resolve.RootDir, to[i].Path()+"/.", resolve.Options{Follow: true, Reads: true})
			if err != nil {
				return false, err
			}
			works = works && p.State == Canonical
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
func (s *segmentRun) candidate(j int, cwds []resolve.Dir, index []int) ([]Resolution, error) {
	c := &s.plan.Candidates[j]
	absolute := len(c.Raw) > 0 && c.Raw[0] == '/' && c.Into == nil
	if len(cwds) == 0 {
		cwds, index = []resolve.Dir{{State: Unestablishable, Reason: CwdUnknown}}, []int{-1}
	}
	if absolute {
		cwds, index = cwds[:1], []int{-1}
	}
	var out []Resolution
	for k := range cwds {
		if !absolute && k > 0 && index[k] == index[k-1] && sameDir(cwds[k-1:k], &cwds[k]) {
			continue // two ways to read one cd, to one directory
		}
		from := []resolve.Dir{cwds[k]}
		if len(c.Chdir) > 0 {
			var err error
			if from, err = s.change(from, c.Chdir, s.shell, s.earlier); err != nil {
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
			o := &operand{run: s.run, seg: s, c: c, from: f, shell: cwds[k], out: Resolution{Candidate: j, Cwd: index[k]}}
			if s.readings++; s.readings > maxResolutions {
				o.fail(&failure{CapScan, "candidates of the whole plan"})
			} else if err := o.establish(); err != nil {
				if !s.exhausted() {
					return nil, err
				}
				o.fail(&failure{CapWork, exhaustedDetail})
			}
			s.spend(costResolution)
			o.out.AfterOpaque = s.earlier != nil && s.earlier.any
			out = append(out, o.out)
		}
	}
	return out, nil
}

// sameDir reports whether words are taken from one of these directories
// already; what PWD says there does not matter to them.
func sameDir(cwds []resolve.Dir, s *resolve.Dir) bool {
	for i := range cwds {
		if cwds[i].State == s.State && cwds[i].Reason == s.Reason && cwds[i].Path() == s.Path() {
			return true
		}
	}
	return false
}
