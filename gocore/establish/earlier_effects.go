package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Earlier segments of a text can re-point names that later ones use, and
// nothing has moved yet when the text is looked at. So a plan is established
// twice where it matters: once as the file system is, which says where the
// effects land, and then each segment that an effect reaches once more, every
// component of its words held against what may have been re-pointed.

func (p *earlier) merge(q *earlier) {
	p.entries = append(p.entries, q.entries...)
	p.trees = append(p.trees, q.trees...)
	p.links = append(p.links, q.links...)
	p.moved = append(p.moved, q.moved...)
	p.madePaths = append(p.madePaths, q.madePaths...)
	p.removed = p.removed || q.removed
	p.any = p.any || q.any
	p.fold = p.fold || q.fold
}

// effect is what one effect of an established segment re-points, given what the
// segment itself finds done.
func effect(e *shellplan.Effect, s *Segment, before *earlier) *earlier {
	p := &earlier{}
	if e.Kind == shellplan.EffectAny {
		p.any = true
		return p
	}
	to, unknown := landingsOf(s, e.Candidate)
	if unknown && len(walked(s, e.Candidate)) == 0 {
		p.trees = []string{"/"} // no telling what was re-pointed
	}
	p.removed = e.Kind == shellplan.EffectRemove || e.Kind == shellplan.EffectMove
	switch e.Kind {
	case shellplan.EffectLink:
		p.entries = everyPath(to)
		p.trees = append(p.trees, unlisted(s, e.Candidate)...)
	case shellplan.EffectTree:
		p.trees = append(p.trees, paths(to)...)
	case shellplan.EffectReplace:
		p.entries = paths(only(to, execenv.Link))
	case shellplan.EffectRemove:
		p.entries = paths(only(to, execenv.Link))
		p.links = append(p.links, paths(only(to, execenv.Dir))...)
		p.links = append(p.links, walked(s, e.Candidate)...)
	case shellplan.EffectMove, shellplan.EffectCopy:
		p.carry(e, s, to, before)
	default:
		p.any = true
	}
	return p
}

// carry is a move or a copy: a link or a directory that is carried to a name
// re-points it, a plain file put over what is no link does not. What the text
// re-pointed before is no plain file, whatever it is now.
func (p *earlier) carry(e *shellplan.Effect, s *Segment, to []Landing, before *earlier) {
	plain := true
	for _, i := range e.From {
		from, unknown := landingsOf(s, i)
		plain = plain && !unknown && len(unlisted(s, i)) == 0
		if unknown && e.Kind == shellplan.EffectMove {
			p.trees = append(p.trees, "/")
		}
		for _, l := range from {
			if l.Listed {
				continue
			}
			plain = plain && !before.within(l.Path)
			if l.Member {
				// The name may be a link though its target was looked at.
				if l.Kind == execenv.Link || l.Hops > 0 {
					plain = false
				}
				continue
			}
			switch l.Kind {
			case execenv.File:
			case execenv.Dir:
				if e.Kind == shellplan.EffectMove || !enumerated(s, i) {
					plain = false
				}
			default:
				plain = false
			}
			if e.Kind == shellplan.EffectMove {
				switch l.Kind {
				case execenv.Link:
					p.entries = append(p.entries, l.Path)
				case execenv.File:
				default:
					p.moved = append(p.moved, l.Path)
					p.links = append(p.links, l.Path)
				}
			}
		}
	}
	if len(e.From) == 0 || !plain {
		// Below the destination as well: a directory that is copied into one
		// that is there brings its links.
		p.entries = append(p.entries, everyPath(to)...)
		p.trees = append(p.trees, everyPath(to)...)
		p.trees = append(p.trees, unlisted(s, e.Candidate)...)
		return
	}
	p.entries = append(p.entries, paths(only(to, execenv.Link))...)
}

// landingsOf are the landings of a candidate from every directory; unknown says
// that one of them has no answer.
func landingsOf(s *Segment, candidate int) (out []Landing, unknown bool) {
	for i := range s.Resolutions {
		r := &s.Resolutions[i]
		if r.Candidate != candidate {
			continue
		}
		if r.State == Unestablishable || r.State == Lexical {
			unknown = true
		}
		out = append(out, r.Landings...)
	}
	return out, unknown
}

// walked are the roots of a candidate's walks.
func walked(s *Segment, candidate int) (out []string) {
	for i := range s.Resolutions {
		if s.Resolutions[i].Candidate == candidate {
			for _, t := range s.Resolutions[i].Subtrees {
				out = append(out, t.Root)
			}
		}
	}
	return out
}

// unlisted are the roots of a candidate's walks whose members are not known.
func unlisted(s *Segment, candidate int) (out []string) {
	for i := range s.Resolutions {
		if s.Resolutions[i].Candidate == candidate {
			for _, t := range s.Resolutions[i].Subtrees {
				if !t.Enumerated {
					out = append(out, t.Root)
				}
			}
		}
	}
	return out
}

func enumerated(s *Segment, candidate int) bool {
	any := false
	for i := range s.Resolutions {
		if s.Resolutions[i].Candidate == candidate {
			for _, t := range s.Resolutions[i].Subtrees {
				if any = true; !t.Enumerated {
					return false
				}
			}
		}
	}
	return any
}

func only(list []Landing, kind execenv.Kind) (out []Landing) {
	for _, l := range list {
		if l.Kind == kind {
			out = append(out, l)
		}
	}
	return out
}

func paths(list []Landing) (out []string) {
	for _, l := range list {
		if l.Path != "" && !l.Member && !l.Listed {
			out = append(out, l.Path)
		}
	}
	return out
}

// everyPath is paths with the members of walks: what a command run for each of
// them does, it does to all.
func everyPath(list []Landing) (out []string) {
	for _, l := range list {
		if l.Path != "" && !l.Listed {
			out = append(out, l.Path)
		}
	}
	return out
}

// madeBy are the paths that a segment creates.
func madeBy(p *shellplan.Segment, s *Segment) (out []string) {
	for i := range s.Resolutions {
		if !p.Candidates[s.Resolutions[i].Candidate].Access.IsWrite() {
			continue
		}
		for _, l := range s.Resolutions[i].Landings {
			if l.Tail != "" && !l.Listed {
				out = append(out, l.Path)
			}
		}
	}
	return out
}
