package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/pattern"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// match is one name that a pattern gives the command.
type match struct {
	spelled string
	place   place
	marks   marks
}

// globber expands one pattern from one directory. It lists each directory once
// for all readings, and resolves one by one only what is a link.
type globber struct {
	*run
	b        *budget
	readings []reading
	how      how
	comps    []component
	states   []globState
	past     *past
	// listed are the directories that the shell lists.
	listed []string
}

// globState is a directory the pattern has reached, under some readings.
type globState struct {
	dir     spot
	spelled string
	marks   marks
}

// expansion is what a pattern becomes.
type expansion struct {
	found []match
	// literal: the word itself may be handed over, too, because some reading
	// has no sure match.
	literal bool
	// listed are the directories that the shell lists.
	listed []string
}

// expand finds the matches of a pattern word. how says how the last component
// is resolved.
func (r *run) expand(from *spot, w *shellplan.Word, sh *shellplan.Shell, h how, b *budget, before *past) (out expansion, f *failure, err error) {
	readings := readingsOf(sh, w.Glob)
	comps, f := compile(w, readings)
	if f != nil {
		return out, f, nil
	}
	g := &globber{run: r, b: b, readings: readings, how: h, comps: comps, past: before}
	all := uint8(1)<<len(readings) - 1
	start := globState{dir: *from, marks: marks{all, all}}
	if len(w.Raw) > 0 && w.Raw[0] == '/' {
		start.dir, start.spelled = rootSpot, "/"
		g.comps = g.comps[1:]
	} else if from.state == Unestablishable {
		return out, &failure{from.reason, from.detail}, nil
	}
	g.states = []globState{start}
	out.found, f, err = g.run1()
	if f != nil || err != nil {
		return expansion{}, f, err
	}
	out.listed = g.listed
	var sure uint8
	for _, m := range out.found {
		sure |= m.marks.sure
	}
	for i, rd := range readings {
		out.literal = out.literal || rd.literal && sure&(1<<i) == 0
	}
	return out, nil, nil
}

// run1 takes the components in turn. Literal ones are kept until a pattern or
// the end needs them, so that a run of them costs one question.
func (g *globber) run1() ([]match, *failure, error) {
	pending := ""
	for i := range g.comps {
		c := &g.comps[i]
		last := i == len(g.comps)-1
		if c.pats == nil {
			pending += c.raw
			if !last {
				pending += "/"
			}
			continue
		}
		if f, err := g.descend(pending); f != nil || err != nil {
			return nil, f, err
		}
		pending = ""
		if last {
			return g.finish(c)
		}
		// What follows takes directories only; a slash belongs to the
		// spelling.
		if f, err := g.middle(c); f != nil || err != nil {
			return nil, f, err
		}
	}
	return g.tail(pending)
}

// descend takes a run of literal components, each state to the directory it
// leads to. A state without one is dropped: nothing matches there.
func (g *globber) descend(run string) (*failure, error) {
	below := strings.TrimLeft(run, "/")
	if below == "" {
		for i := range g.states {
			g.states[i].spelled += run
		}
		return nil, nil
	}
	var next []globState
	for _, s := range g.states {
		p, err := g.resolve(&s.dir, below, how{follow: true, reads: true, record: g.how.record, fds: g.how.fds})
		if err != nil {
			return nil, err
		}
		keep, f := usable(p)
		if f != nil {
			return f, nil
		}
		if keep {
			next = append(next, globState{p.asSpot(""), s.spelled + run, s.marks})
		}
	}
	g.states = next
	return nil, nil
}

// usable reports whether a place exists, so that a pattern can go on from it.
// What surely is not there is passed over, as the shell does; what nobody can
// say ends the operand.
func usable(p place) (bool, *failure) {
	switch p.state {
	case Canonical:
		return true, nil
	case AbsentTail:
		return false, nil
	case Lexical:
		return false, &failure{NoAuthoritativeAnswer, p.detail}
	}
	if p.reason == LinkHops {
		return false, nil // ELOOP for the shell, too
	}
	return false, &failure{p.reason, p.detail}
}

// entries lists the directory of a state and adds `.` and `..` where a reading
// matches them. ok is false when there is nothing to list.
func (g *globber) entries(s *globState, c *component) ([]execenv.DirEntry, bool, *failure, error) {
	if s.dir.state == Lexical {
		return nil, false, &failure{NoAuthoritativeAnswer, s.dir.path()}, nil
	}
	if g.how.record && g.past.touches(place{passed: s.dir.passed}, &s.dir) {
		return nil, false, &failure{MutatedEarlier, s.dir.path()}, nil
	}
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
		return place{state: AbsentTail, passed: s.dir.passed}.at(s.dir.dir, append(append([]string(nil), s.dir.missing...), e.Name)), nil
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

// ambiguous reports whether every reading is sure to see more than one match: a
// redirection then opens nothing.
func ambiguous(found []match, readings int) bool {
	for i := range readings {
		n := 0
		for _, m := range found {
			if m.marks.sure&(1<<i) != 0 {
				n++
			}
		}
		if n < 2 {
			return false
		}
	}
	return true
}

// matchesName tells whether a word used as a filter takes a name, a leading dot
// being an ordinary character. What is not modelled takes every name.
func matchesName(w *shellplan.Word, sh *shellplan.Shell, name string) bool {
	if !w.Pattern {
		return string(w.Raw) == name
	}
	for _, r := range readingsOf(sh, w.Glob) {
		r.Options.Dot = true
		p, err := pattern.Compile(w.Raw, w.Mask, r.Options)
		if err != nil || p.Match(name) != pattern.No {
			return true
		}
	}
	return strings.ContainsRune(string(w.Raw), '/')
}
