package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// walkDown lists the directories below each state, links to directories not
// entered, and hands every entry that `**` takes to visit. With links a link to
// a directory is a directory for what stands behind the `**`, as it is for bash
// when something stands before it or only a slash behind it.
func (g *globber) walkDown(c *component, links bool, visit func(s *globState, e execenv.DirEntry, m marks) (*failure, error)) (*failure, error) {
	queue := append([]globState(nil), g.states...)
	var linked []globState
	for n := 0; n < len(queue); n++ {
		s := queue[n]
		list, ok, f, err := g.entries(&s, c)
		if f != nil || err != nil {
			return f, err
		}
		if !ok {
			continue
		}
		for _, e := range list {
			if err := g.alive(); err != nil {
				return nil, err
			}
			m := g.marksOf(&s, c, e)
			if m.may == 0 || e.Name == "." || e.Name == ".." {
				continue
			}
			if e.Kind == execenv.Unknown {
				return &failure{UnmodelledPattern, "** over entries of unknown kind"}, nil
			}
			if f, err := visit(&s, e, m); f != nil || err != nil {
				return f, err
			}
			link := e.Kind == execenv.Link && links
			if e.Kind != execenv.Dir && e.Kind != madeEntry && !link {
				continue
			}
			dir, keep, f, err := g.enter(&s, e)
			if f != nil || err != nil {
				return f, err
			}
			if len(queue) > g.b.matches {
				return &failure{CapMatches, s.dir.Base}, nil
			}
			next := globState{dir, s.spelled + e.Name + "/", m}
			switch {
			case keep && link:
				linked = append(linked, next)
			case keep:
				queue = append(queue, next)
			}
		}
	}
	g.states = append(queue, linked...)
	return nil, nil
}

// deeper takes `**` with more behind it: every directory below, and the one it
// starts from. slash says that nothing but a slash stands behind it.
func (g *globber) deeper(c *component, slash bool) (*failure, error) {
	for i := range g.states {
		slash = slash || g.states[i].spelled != ""
	}
	return g.walkDown(c, slash, func(*globState, execenv.DirEntry, marks) (*failure, error) { return nil, nil })
}

// everything takes `**` at the end: all that lies below, and the directory it
// starts from when the word names one.
func (g *globber) everything(c *component) ([]match, *failure, error) {
	var found []match
	for i := range g.states {
		if s := &g.states[i]; s.spelled != "" {
			p := resolve.Place{State: s.dir.State, Kind: execenv.Dir, Passed: s.dir.Passed}
			found = append(found, match{s.spelled, p.At(s.dir.Base, s.dir.Missing), marks{may: s.marks.may}})
		}
	}
	f, err := g.walkDown(c, false, func(s *globState, e execenv.DirEntry, m marks) (*failure, error) {
		if len(found) >= g.b.matches {
			return &failure{CapMatches, s.dir.Base}, nil
		}
		p, err := g.entry(s, e)
		if err == nil {
			found = append(found, match{s.spelled + e.Name, p, m})
		}
		return nil, err
	})
	return found, f, err
}
