package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Lexically is the establishment of a plan by its spelling alone: what an
// isolated environment gets, and what can be said with no environment at hand.
// It asks nothing of anybody. Patterns and walks are taken as they are spelled.
func Lexically(plan *shellplan.Plan, b Boundary) (*Established, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	if err := checkPlan(plan, &b); err != nil {
		return nil, err
	}
	return lexically(plan, &b), nil
}

func lexically(plan *shellplan.Plan, b *Boundary) *Established {
	out := lexicalPlan(plan, b)
	out.Boundary = *b
	for _, l := range []struct {
		from []string
		to   *[]Root
	}{{b.ReadRoots, &out.ReadRoots}, {b.WriteRoots, &out.WriteRoots}, {b.DenyPaths, &out.DenyPaths}, {b.homes(), &out.Homes}} {
		for _, s := range l.from {
			*l.to = append(*l.to, Root{Spelling: s, Path: resolve.Clean(s), State: Lexical})
		}
	}
	return out
}

func lexicalPlan(p *shellplan.Plan, b *Boundary) *Established {
	out := &Established{Plan: p, LexicalOnly: true}
	start := b.Cwd
	if start == "" {
		start = string(p.Start)
	}
	for i := range p.Segments {
		s := &p.Segments[i]
		var seg Segment
		for j := range s.Candidates {
			c := &s.Candidates[j]
			for k, dir := range lexicalDirs(s, start) {
				seg.Resolutions = append(seg.Resolutions, lexicalResolution(s, c, j, k, dir))
			}
			if s.CwdUnknown || start == "" {
				seg.Resolutions = append(seg.Resolutions, lexicalResolution(s, c, j, -1, ""))
			}
		}
		for j := range s.Checks {
			seg.Checks = append(seg.Checks, Check{Check: j, Detail: "an isolated environment is not looked into"})
		}
		out.Segments = append(out.Segments, seg)
	}
	for i := range p.Nested {
		n := p.Nested[i].Plan
		if len(n.Start) == 0 {
			n.Start = []byte(start)
		}
		sub := lexicalPlan(&n, b)
		sub.Plan = &p.Nested[i].Plan
		out.Nested = append(out.Nested, sub)
	}
	return out
}

// lexicalDirs are the directories of a segment as texts, one per entry of Cwds.
func lexicalDirs(s *shellplan.Segment, start string) []string {
	if s.CwdUnknown || start == "" {
		return nil
	}
	var out []string
	for i := range s.Cwds {
		out = append(out, lexicalSteps(start, s.Cwds[i].Steps))
	}
	return out
}

func lexicalSteps(dir string, steps []shellplan.CwdStep) string {
	for i := range steps {
		if w := string(steps[i].Raw); w != "" {
			dir = lexicalJoin(dir, w)
		}
	}
	return dir
}

func lexicalJoin(dir, word string) string {
	if strings.HasPrefix(word, "/") {
		return resolve.Clean(word)
	}
	return resolve.Clean(dir + "/" + word)
}

func lexicalResolution(s *shellplan.Segment, c *shellplan.Candidate, j, cwd int, dir string) Resolution {
	r := Resolution{Candidate: j, Cwd: cwd, State: Lexical}
	word := string(c.Raw)
	switch {
	case word == "":
		r.State, r.Reason = AbsentTail, EmptyWord
		r.Landings = []Landing{{Access: c.Access}}
		return r
	case dir == "" && word[0] != '/':
		r.State, r.Reason = Unestablishable, CwdUnknown
		return r
	}
	dir = lexicalSteps(dir, c.Chdir)
	add := func(path string) { r.Landings = append(r.Landings, Landing{Path: path, Access: c.Access}) }
	at := lexicalJoin(dir, word)
	switch {
	case c.Kind == shellplan.KindUpward:
		for d := at; ; d = resolve.Parent(d) {
			for _, n := range c.Names {
				add(lexicalJoin(d, string(n)))
			}
			if d == "/" {
				break
			}
		}
	case len(c.Names) > 0:
		for _, n := range c.Names {
			add(lexicalJoin(dir, word+string(n)))
		}
	default:
		add(at)
	}
	if c.Into != nil {
		for _, n := range lexicalNames(s, c.Into) {
			add(lexicalJoin(at, n))
		}
	}
	if t := c.Traversal; t != nil || c.Access == shellplan.AccessTree || c.Kind == shellplan.KindGitDir {
		r.Subtrees = []Subtree{{Root: at, Access: c.Access, FollowsLinks: t == nil || t.Links != shellplan.LinksSkip}}
	}
	return r
}

func lexicalNames(s *shellplan.Segment, into *shellplan.Into) (out []string) {
	for _, n := range into.Names {
		out = append(out, lastName(string(n)))
	}
	for _, i := range into.From {
		out = append(out, lastName(string(s.Candidates[i].Raw)))
	}
	return out
}
