package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// entries lists the directory of a state and adds `.` and `..` where a reading
// matches them. ok is false when there is nothing to list.
func (g *globber) entries(s *globState, c *component) ([]execenv.DirEntry, bool, *failure, error) {
	if s.dir.state == Lexical {
		return nil, false, &failure{NoAuthoritativeAnswer, s.dir.path()}, nil
	}
	if g.how.record && g.past.touches(place{passed: s.dir.passed}, &s.dir) {
		return nil, false, &failure{MutatedEarlier, s.dir.path()}, nil
	}
	g.compare(g.past.size() + (1+len(s.dir.passed.entries))*g.past.size()/4)
	matches := func(name string) bool { return c.match(name, g.readings).may != 0 }
	if f := g.past.meets(s.dir.path(), matches); f != nil {
		return nil, false, f, nil
	}
	made := g.past.made(s.dir.path(), matches)
	var list []execenv.DirEntry
	if len(s.dir.missing) == 0 {
		var ok bool
		var f *failure
		var err error
		if list, ok, f, err = g.list(s.dir.dir, g.b, g.b.scan); f != nil || err != nil || !ok {
			return nil, false, f, err
		}
		g.listed = append(g.listed, s.dir.dir)
	}
	g.compare(len(list) * (len(c.raw) + perUnit/2) / 8)
	if made = without(made, list); len(made) > 0 {
		list = append(list, made...)
	}
	for _, dots := range []string{".", ".."} {
		if len(list) > 0 && matches(dots) {
			list = append(list, execenv.DirEntry{Name: dots, Kind: execenv.Dir})
		}
	}
	return list, true, nil, nil
}

// without drops the entries that are listed already.
func without(made, listed []execenv.DirEntry) []execenv.DirEntry {
	if len(made) == 0 {
		return nil
	}
	seen := make(map[string]bool, len(listed))
	for _, e := range listed {
		seen[e.Name] = true
	}
	var out []execenv.DirEntry
	for _, e := range made {
		if !seen[e.Name] {
			seen[e.Name] = true
			out = append(out, e)
		}
	}
	return out
}

// middle takes a pattern component with more behind it: directories, links to
// directories included.
func (g *globber) middle(c *component) (*failure, error) {
	var next []globState
	accepted := 0
	for i := range g.states {
		s := &g.states[i]
		list, ok, f, err := g.entries(s, c)
		if f != nil || err != nil {
			return f, err
		}
		if !ok {
			continue
		}
		for n, e := range list {
			if n%1024 == 0 {
				if err := g.alive(); err != nil {
					return nil, err
				}
			}
			m := g.marksOf(s, c, e)
			if m.may == 0 || e.Kind == execenv.File || e.Kind == execenv.Other {
				continue
			}
			dir, keep, f, err := g.enter(s, e)
			if f != nil || err != nil {
				return f, err
			}
			if !keep {
				continue
			}
			if accepted++; accepted > g.b.matches {
				return &failure{CapMatches, s.dir.dir}, nil
			}
			next = append(next, globState{dir, s.spelled + e.Name + "/", m})
		}
	}
	g.states = next
	return nil, nil
}

// marksOf is under which readings an entry matches. A name that an earlier
// segment makes is only ever possible.
func (g *globber) marksOf(s *globState, c *component, e execenv.DirEntry) marks {
	m := s.marks.and(c.match(e.Name, g.readings))
	if e.Kind == madeEntry {
		m.sure = 0
	}
	return m
}

// enter is the directory that an entry leads to. A link may still turn out to
// lead to a file; listing it or looking below it says so.
func (g *globber) enter(s *globState, e execenv.DirEntry) (spot, bool, *failure, error) {
	if e.Kind == madeEntry {
		d := s.dir
		d.state, d.missing = AbsentTail, append(append([]string(nil), d.missing...), e.Name)
		if g.how.record {
			d.passed.entries = append(d.passed.entries[:len(d.passed.entries):len(d.passed.entries)], d.path())
		}
		return d, true, nil, nil
	}
	if e.Kind == execenv.Dir && e.Name != "." && e.Name != ".." {
		d := spot{dir: join(s.dir.dir, e.Name), state: Canonical, passed: s.dir.passed}
		if g.how.record {
			d.passed.entries = append(d.passed.entries[:len(d.passed.entries):len(d.passed.entries)], d.dir)
		}
		return d, true, nil, nil
	}
	p, err := g.resolve(&s.dir, e.Name+"/", how{follow: true, reads: true, record: g.how.record, fds: g.how.fds})
	if err != nil {
		return spot{}, false, nil, err
	}
	keep, f := usable(p)
	return p.asSpot(""), keep && f == nil, f, nil
}

// finish takes a pattern as the last component.
func (g *globber) finish(c *component) ([]match, *failure, error) {
	var found []match
	for i := range g.states {
		s := &g.states[i]
		list, ok, f, err := g.entries(s, c)
		if f != nil || err != nil {
			return nil, f, err
		}
		if !ok {
			continue
		}
		for n, e := range list {
			if n%1024 == 0 {
				if err := g.alive(); err != nil {
					return nil, nil, err
				}
			}
			m := g.marksOf(s, c, e)
			if m.may == 0 {
				continue
			}
			if len(found) >= g.b.matches {
				return nil, &failure{CapMatches, s.dir.dir}, nil
			}
			p, err := g.entry(s, e)
			if err != nil {
				return nil, nil, err
			}
			found = append(found, match{s.spelled + e.Name, p, m})
		}
	}
	return found, nil, nil
}

// entry is where a listed name leads. Only a link needs a question of its own.
func (g *globber) entry(s *globState, e execenv.DirEntry) (place, error) {
	if e.Kind == madeEntry {
		p := place{state: AbsentTail, entry: !g.how.follow, passed: s.dir.passed}.at(s.dir.dir, append(append([]string(nil), s.dir.missing...), e.Name))
		if g.how.record {
			p.passed.entries = append(p.passed.entries[:len(p.passed.entries):len(p.passed.entries)], p.path)
		}
		return p, nil
	}
	plain := e.Kind == execenv.File || e.Kind == execenv.Dir || e.Kind == execenv.Other
	if e.Name == "." || e.Name == ".." || e.Kind == execenv.Unknown || e.Kind == execenv.Link && g.how.follow ||
		magicPath(s.dir.dir) || s.dir.dir == "/proc" || s.dir.dir == "/dev" {
		return g.resolve(&s.dir, e.Name, g.how)
	}
	p := place{state: Canonical, path: join(s.dir.dir, e.Name), kind: e.Kind, entry: !g.how.follow}
	if !plain {
		p.kind = execenv.Link
	}
	if g.how.record {
		p.passed.entries = append(append([]string(nil), s.dir.passed.entries...), p.path)
		p.passed.links = s.dir.passed.links
	}
	return p, nil
}

// tail takes literal components after the last pattern: those states match
// where that path exists, its last component not followed for the test.
func (g *globber) tail(run string) ([]match, *failure, error) {
	below := strings.TrimLeft(run, "/")
	var found []match
	for i := range g.states {
		s := &g.states[i]
		if s.spelled+run == "" {
			continue // `**/` does not name the directory it starts from
		}
		p, keep, f, err := g.below(s, below)
		if f != nil || err != nil {
			return nil, f, err
		}
		if !keep {
			continue
		}
		if len(found) >= g.b.matches {
			return nil, &failure{CapMatches, s.dir.dir}, nil
		}
		if p.kind == execenv.Link && g.how.follow {
			if p, err = g.resolve(&s.dir, below, g.how); err != nil {
				return nil, nil, err
			}
		}
		found = append(found, match{s.spelled + run, p, s.marks})
	}
	return found, nil, nil
}

// below is what the literal end of a pattern leads to from a state, and whether
// it is there. An empty end is the directory itself: the word ended in a slash.
func (g *globber) below(s *globState, rest string) (place, bool, *failure, error) {
	if rest == "" {
		p := place{state: s.dir.state, kind: execenv.Dir, passed: s.dir.passed}
		return p.at(s.dir.dir, s.dir.missing), true, nil, nil
	}
	p, err := g.resolve(&s.dir, rest, how{reads: true, record: g.how.record, fds: g.how.fds})
	if err != nil {
		return place{}, false, nil, err
	}
	if len(s.dir.missing) > 0 && p.state == AbsentTail && p.reason == NoReason {
		return p, true, nil, nil // below what an earlier segment makes
	}
	keep, f := usable(p)
	return p, keep && f == nil, f, nil
}
