package index

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/trigram"
)

const (
	// manyChanges is how many changed files are looked at beside the candidates.
	manyChanges = 2000
	// candidateShare is how much of what a plain search looks at the candidates may be,
	// in percent: at more the plain search is as fast.
	candidateShare = 40
	// fewCandidates are never too many: in a small tree there is little to lose.
	fewCandidates = 16
	// operandBytes bounds the operands together: half of what Linux accepts as the
	// arguments of a process at its usual limits.
	operandBytes = 1 << 20
)

// Select returns what has to be looked at, or why that is not known.
func (s *Set) Select(scope search.Scope) (*search.Selection, string) {
	r, rel, reason := s.find(scope.Workdir, scope.Dir)
	if r == nil {
		return nil, s.plain(reason)
	}
	plan := trigram.Make(trigram.Pattern{Text: scope.Pattern, Literal: scope.Literal, Insensitive: scope.Insensitive})
	tree, reason := r.current()
	if tree == nil {
		return nil, s.plain(reason)
	}
	defer tree.Unlock()
	defer r.poke()
	if reason = r.ready(tree); reason == "" && plan.All() {
		reason = ReasonPattern
	}
	if reason != "" {
		return nil, s.plain(reason)
	}
	dir := tree.At(rel)
	if dir == nil {
		return nil, s.plain(ReasonUnwalkedPath)
	}
	selection, reason := r.choose(tree, dir, rel, plan, &scope)
	if selection == nil {
		return nil, s.plain(reason)
	}
	return selection, ""
}

// choose makes the selection from a tree, which is locked.
func (r *root) choose(tree *fresh.Tree, dir *fresh.Dir, rel string, plan trigram.Plan, scope *search.Scope) (*search.Selection, string) {
	if r.counts.walked(tree, rel+"\x00", dir, nil) == 0 {
		return nil, ReasonUnwalkedPath
	}
	s := &search.Selection{Files: r.counts.walked(tree, rel+"\x00"+scope.Narrowing, dir, scope.Wants)}
	if s.Files == 0 {
		return nil, ReasonUnwalkedPath
	}
	c := chooser{dir: dir, wants: scope.Wants, chosen: map[*fresh.File]bool{}}
	for f := range tree.EachChanged() {
		if f.Note == noteUnwalked {
			continue
		}
		if len(c.walked) == manyChanges {
			return nil, ReasonManyChanges
		}
		c.walk(f)
	}
	for f := range r.special {
		is := textOf(f.Tag)
		if f.Gone() || f.Tag == 0 || is == 0 {
			delete(r.special, f)
			continue
		}
		if is&trigram.Opaque != 0 || is&trigram.Folds != 0 && plan.Folds || is&trigram.Binary != 0 && scope.Multiline {
			c.walk(f)
		}
	}
	most := max(fewCandidates, s.Files*candidateShare/100)
	found := make(map[uint32]trigram.Texts, len(r.segments))
	matching := 0
	for number, segment := range r.segments {
		found[number] = segment.index.Match(plan.Condition)
		if matching += found[number].Len(); scope.Wants == nil && dir == tree.Root() && matching > most+most/deadShare {
			return nil, ReasonManyCandidates // without a look at each
		}
	}
	for number, texts := range found {
		segment := r.segments[number]
		texts.Each(func(i int) {
			switch f := segment.files[i]; {
			case !alive(f, number, i):
			case textOf(f.Tag)&trigram.Binary != 0:
				c.walk(f)
			default:
				c.name(f)
			}
		})
		if len(c.named)+len(c.walked) > most+manyChanges {
			return nil, ReasonManyCandidates
		}
	}
	if len(c.named) > most || c.bytes > operandBytes {
		return nil, ReasonManyCandidates
	}
	// ripgrep says of a directory that it cannot read that it cannot, if it gets there.
	c.walked = append(c.walked, r.counts.unreadable(tree, rel, dir)...)
	s.Named, s.Walked = c.named, c.walked
	s.Confirm = r.confirm(tree, c.files)
	return s, ""
}

// confirm returns a function that reports whether nothing has happened to files.
func (r *root) confirm(tree *fresh.Tree, files []*fresh.File) func() bool {
	states := make([]fresh.State, len(files))
	for i, f := range files {
		states[i] = f.State()
	}
	return func() bool {
		if tree.Barrier() != "" {
			return false
		}
		tree.Lock()
		defer tree.Unlock()
		for i, f := range files {
			if !f.Still(states[i]) {
				return false
			}
		}
		return true
	}
}

// chooser collects paths relative to a directory.
type chooser struct {
	dir           *fresh.Dir
	wants         func(rel string) bool
	chosen        map[*fresh.File]bool
	named, walked []string
	files         []*fresh.File // named
	bytes         int           // of the operands
}

// rel returns the path of a file that lies beneath the directory and is wanted.
func (c *chooser) rel(f *fresh.File) (string, bool) {
	if c.chosen[f] {
		return "", false
	}
	c.chosen[f] = true
	parts := []string{f.Name}
	for d := f.Dir; d != c.dir; d = d.Parent {
		if d == nil {
			return "", false
		}
		parts = append(parts, d.Name)
	}
	slices.Reverse(parts)
	rel := strings.Join(parts, "/")
	return rel, c.wants == nil || c.wants(rel)
}

func (c *chooser) name(f *fresh.File) {
	if rel, ok := c.rel(f); ok {
		c.named, c.files = append(c.named, rel), append(c.files, f)
		c.bytes += len("./") + len(rel) + 1
	}
}

func (c *chooser) walk(f *fresh.File) {
	if rel, ok := c.rel(f); ok {
		c.walked = append(c.walked, rel)
	}
}
