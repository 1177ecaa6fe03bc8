package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// entries lists the directory of a state and adds `.` and `..` where a reading
// matches them. ok is false when there is nothing to list.
func (g *globber) entries(s *globState, c *component) ([]execenv.DirEntry, bool, *failure, error) {
	if s.dir.State == Lexical {
		return nil, false, &failure{NoAuthoritativeAnswer, s.dir.Path()}, nil
	}
	if g.how.Record && g.earlier.touches(resolve.Place{Passed: s.dir.Passed}, &s.dir) {
		return nil, false, &failure{MutatedEarlier, s.dir.Path()}, nil
	}
	g.compare((1 + len(s.dir.Passed.Entries)) * g.earlier.size())
	matches := func(name string) bool { return c.match(name, g.readings).may != 0 }
	if f := g.earlier.meets(s.dir.Path(), matches); f != nil {
		return nil, false, f, nil
	}
	made := g.earlier.made(s.dir.Path(), matches)
	var list []execenv.DirEntry
	if len(s.dir.Missing) == 0 {
		var ok bool
		var f *failure
		var err error
		if list, ok, f, err = g.list(s.dir.Base, g.b, g.b.scan); f != nil || err != nil || !ok {
			return nil, false, f, err
		}
		g.listed = append(g.listed, s.dir.Base)
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
				return &failure{CapMatches, s.dir.Base}, nil
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
func (g *globber) enter(s *globState, e execenv.DirEntry) (resolve.Dir, bool, *failure, error) {
	if e.Kind == madeEntry {
		d := s.dir
		d.State, d.Missing = AbsentTail, append(append([]string(nil), d.Missing...), e.Name)
		if g.how.Record {
			d.Passed.Entries = append(d.Passed.Entries[:len(d.Passed.Entries):len(d.Passed.Entries)], d.Path())
		}
		return d, true, nil, nil
	}
	if e.Kind == execenv.Dir && e.Name != "." && e.Name != ".." {
		d := resolve.Dir{Base: resolve.Join(s.dir.Base, e.Name), State: Canonical, Passed: s.dir.Passed}
		if g.how.Record {
			d.Passed.Entries = append(d.Passed.Entries[:len(d.Passed.Entries):len(d.Passed.Entries)], d.Base)
		}
		return d, true, nil, nil
	}
	p, err := g.resolve(&s.dir, e.Name+"/", resolve.Options{Follow: true, Reads: true, Record: g.how.Record, Fds: g.how.Fds})
	if err != nil {
		return resolve.Dir{}, false, nil, err
	}
	keep, f := usable(p)
	return p.Dir(""), keep && f == nil, f, nil
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
				return nil, &failure{CapMatches, s.dir.Base}, nil
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
func (g *globber) entry(s *globState, e execenv.DirEntry) (resolve.Place, error) {
	if e.Kind == madeEntry {
		p := resolve.Place{State: AbsentTail, Entry: !g.how.Follow, Passed: s.dir.Passed}.At(s.dir.Base, append(append([]string(nil), s.dir.Missing...), e.Name))
		if g.how.Record {
			p.Passed.Entries = append(p.Passed.Entries[:len(p.Passed.Entries):len(p.Passed.Entries)], p.Path)
		}
		return p, nil
	}
	plain := e.Kind == execenv.File || e.Kind == execenv.Dir || e.Kind == execenv.Other
	if e.Name == "." || e.Name == ".." || e.Kind == execenv.Unknown || e.Kind == execenv.Link && g.how.Follow ||
		resolve.Magic(s.dir.Base) || s.dir.Base == "/proc" || s.dir.Base == "/dev" {
		return g.resolve(&s.dir, e.Name, g.how)
	}
	p := resolve.Place{State: Canonical, Path: resolve.Join(s.dir.Base, e.Name), Kind: e.Kind, Entry: !g.how.Follow}
	if !plain {
		p.Kind = execenv.Link
	}
	if g.how.Record {
		p.Passed.Entries = append(append([]string(nil), s.dir.Passed.Entries...), p.Path)
		p.Passed.Links = s.dir.Passed.Links
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
			return nil, &failure{CapMatches, s.dir.Base}, nil
		}
		if p.Kind == execenv.Link && g.how.Follow {
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
func (g *globber) below(s *globState, rest string) (resolve.Place, bool, *failure, error) {
	if rest == "" {
		p := resolve.Place{State: s.dir.State, Kind: execenv.Dir, Passed: s.dir.Passed}
		return p.At(s.dir.Base, s.dir.Missing), true, nil, nil
	}
	p, err := g.resolve(&s.dir, rest, resolve.Options{Reads: true, Record: g.how.Record, Fds: g.how.Fds})
	if err != nil {
		return resolve.Place{}, false, nil, err
	}
	if len(s.dir.Missing) > 0 && p.State == AbsentTail && p.Reason == NoReason {
		return p, true, nil, nil // below what an earlier segment makes
	}
	keep, f := usable(p)
	return p, keep && f == nil, f, nil
}
