package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/pattern"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// queued is a directory that a walk has still to list.
type queued struct {
	dir     string
	depth   int
	spelled string
}

// walkBelow enumerates what lies below a root, bounded. Only links cost a
// question of their own, and only where the command opens what they lead to.
func (o *operand) walkBelow(p *found, t *shellplan.Traversal) error {
	if p.place.Stream || p.place.Path == "" || p.place.Kind == execenv.Link {
		return nil
	}
	tree := Subtree{Root: p.place.Path, Access: o.c.Access, FollowsLinks: t.Links != shellplan.LinksSkip}
	if p.place.Kind == execenv.File || p.place.Kind == execenv.Other {
		if o.seg.earlier.loses() { // it may be a directory by then
			o.out.Subtrees = append(o.out.Subtrees, tree)
		}
		return nil
	}
	if o.seg.earlier.within(tree.Root) && tree.FollowsLinks {
		o.out.Subtrees = append(o.out.Subtrees, tree)
		o.fail(&failure{MutatedEarlier, tree.Root})
		return nil
	}
	// Names that nobody looked at may be other words when they are read again.
	tree.FollowsLinks = tree.FollowsLinks || o.c.Resplit
	if p.place.State != Canonical || p.place.Tail != "" {
		// Nothing is there now; whatever is made lies below the root.
		tree.Enumerated = p.place.State == AbsentTail && !o.seg.earlier.within(tree.Root)
		if p.place.Reason != NotDirectory {
			o.out.Subtrees = append(o.out.Subtrees, tree)
		}
		return nil
	}
	isDir, err := o.isDir(&p.place)
	if err != nil || !isDir {
		return err
	}
	at := len(o.out.Subtrees)
	o.out.Subtrees = append(o.out.Subtrees, tree)
	f, err := o.enumerate(p, t, nil)
	if err != nil {
		return err
	}
	if f != nil {
		o.fail(f)
		return nil
	}
	o.out.Subtrees[at].Enumerated = true
	return nil
}

// walkNames are the spellings a walk gives the command, root first.
func (o *operand) walkNames(p *found) ([]string, error) {
	names := []string{p.spelled}
	if o.seg.earlier.within(p.place.Path) {
		o.fail(&failure{MutatedEarlier, p.place.Path})
		return nil, nil
	}
	isDir, err := o.isDir(&p.place)
	if err != nil || !isDir {
		return names, err
	}
	o.out.Subtrees = append(o.out.Subtrees, Subtree{Root: p.place.Path, Access: o.c.Access, FollowsLinks: true})
	f, err := o.enumerate(p, o.c.Traversal, &names)
	if err != nil {
		return nil, err
	}
	if f != nil {
		o.fail(f)
	}
	return names, nil
}

// enumerate lists the tree below a root breadth first. With names the members'
// spellings are collected and no landing is reported.
func (o *operand) enumerate(p *found, t *shellplan.Traversal, names *[]string) (*failure, error) {
	queue := []queued{{p.place.Path, 0, p.spelled}}
	visited := map[string]bool{p.place.Path: true}
	for len(queue) > 0 {
		q := queue[0]
		queue = queue[1:]
		if t.MaxDepth > 0 && q.depth >= t.MaxDepth {
			continue
		}
		left := o.budget.matches - o.budget.members
		entries, ok, f, err := o.list(q.dir, &o.budget, left)
		if f != nil || err != nil {
			return f, err
		}
		if !ok {
			continue // gone since it was listed; a walk passes over it, too
		}
		if names == nil && o.c.Access != shellplan.AccessRead {
			o.listed(q.dir)
		}
		for _, e := range entries {
			if !t.Hidden && strings.HasPrefix(e.Name, ".") {
				continue
			}
			if o.budget.members++; o.budget.members > o.budget.matches {
				return &failure{CapMatches, q.dir}, nil
			}
			next, f, err := o.member(&q, e, t, names, visited)
			if f != nil || err != nil {
				return f, err
			}
			if next != nil {
				queue = append(queue, *next)
			}
		}
	}
	return nil, nil
}

// member handles one entry that a walk meets, and returns the directory it
// goes on into, if it does.
//
// Long because a link, a directory and a file part ways more than once: for what the
// filter takes, for what is followed, and for what an earlier part may have changed.
func (o *operand) member(q *queued, e execenv.DirEntry, t *shellplan.Traversal, names *[]string, visited map[string]bool) (*queued, *failure, error) {
	p := resolve.Place{State: Canonical, Path: resolve.Join(q.dir, e.Name), Kind: e.Kind}
	spelled := strings.TrimSuffix(q.spelled, "/") + "/" + e.Name
	if p.Kind == execenv.Unknown {
		k, err := o.env.Lstat(o.ctx, p.Path)
		if err != nil {
			if err := o.gone(err); err != nil {
				return nil, nil, err
			}
			if execenv.ProblemOf(err) != execenv.NotExist {
				return nil, &failure{UnreadableDir, q.dir}, nil
			}
		}
		p.Kind = k
	}
	link := p.Kind == execenv.Link
	if link && t.Links != shellplan.LinksSkip {
		from := resolve.Dir{Base: q.dir, State: Canonical}
		var err error
		if p, err = o.resolve(&from, e.Name, o.how(true)); err != nil {
			return nil, nil, err
		}
		p.Hops = max(p.Hops, 1)
		switch {
		case p.State == Unestablishable && p.Reason == LinkHops:
			p = resolve.Place{State: Canonical, Path: resolve.Join(q.dir, e.Name), Kind: execenv.Link}
		case p.State == Unestablishable:
			return nil, &failure{p.Reason, p.Detail}, nil
		case t.Links == shellplan.LinksFollow:
			if _, err := o.isDir(&p); err != nil {
				return nil, nil, err
			}
		}
	}
	if link && t.Links == shellplan.LinksOpen && o.c.Access == shellplan.AccessTree && t.MaxDepth > 0 {
		// A name that is made up may be that of the link, and what is copied
		// onto a link to a directory goes into the directory.
		into, err := o.isDir(&p)
		if err != nil {
			return nil, nil, err
		}
		if into && p.Path != "" {
			o.out.Subtrees = append(o.out.Subtrees, Subtree{Root: p.Path, Access: o.c.Access})
		}
	}
	l := Landing{Access: o.c.Access, Member: true}
	isDir := p.Kind == execenv.Dir
	enter := true
	if len(t.Skips) > 0 && (!link || t.Links != shellplan.LinksOpen) {
		switch o.skipped(t, e.Name, spelled, isDir) {
		case shellplan.SkipFile, shellplan.SkipDir:
			return nil, nil, nil
		case shellplan.SkipBelow:
			enter = false
			if t.DirsOnly {
				isDir = false // looked at, not opened
			}
		}
	}
	if t.DirsOnly && (!isDir || t.MaxDepth > 0 && q.depth+1 >= t.MaxDepth) {
		l.Access = shellplan.AccessStat // looked at, not opened
	}
	taken := o.takes(t, e.Name)
	if taken && o.c.Resplit && resplits(spelled) {
		if f, err := o.pieces(spelled, names != nil); f != nil || err != nil {
			return nil, f, err
		}
	}
	switch {
	case names != nil && taken:
		*names = append(*names, spelled)
	case names != nil:
	case taken:
		if o.add(p, l); o.failed() {
			return nil, &failure{o.out.Reason, o.out.Detail}, nil
		}
	case isDir && !link && l.Access != shellplan.AccessStat && o.c.Access == shellplan.AccessRead:
		o.listed(p.Path)
	}
	if enter && isDir && (!link || t.Links == shellplan.LinksFollow) && !visited[p.Path] {
		visited[p.Path] = true
		return &queued{p.Path, q.depth + 1, spelled}, nil, nil
	}
	return nil, nil, nil
}

// listed reports a directory that is merely listed.
func (o *operand) listed(dir string) {
	o.out.Landings = append(o.out.Landings, Landing{Path: dir, Access: shellplan.AccessRead, Kind: execenv.Dir, Listed: true})
}

// skipped is what the walk surely leaves out of a member, 0 for nothing.
func (o *operand) skipped(t *shellplan.Traversal, name, spelled string, isDir bool) shellplan.SkipWhat {
	o.compare(perUnit / 4 * len(t.Skips))
	for i := range t.Skips {
		s := &t.Skips[i]
		if (s.What == shellplan.SkipFile) == isDir {
			continue
		}
		if !s.Pattern {
			if string(s.Raw) == name || string(s.Raw) == spelled {
				return s.What
			}
			continue
		}
		sure := !strings.ContainsRune(string(s.Raw), '/')
		for _, p := range o.skip(t, i) {
			sure = sure && p != nil && p.Match(name) == pattern.Yes
		}
		if sure {
			return s.What
		}
	}
	return 0
}

// skip is a pattern of the walk's Skips under each reading, nil where it is not
// modelled.
func (o *operand) skip(t *shellplan.Traversal, i int) []*pattern.Pattern {
	if o.skips == nil {
		o.skips = make([][]*pattern.Pattern, len(t.Skips))
	}
	if o.skips[i] == nil {
		for _, r := range readingsOf(o.seg.shell, t.Skips[i].Glob) {
			r.Options.Dot = true
			p, err := pattern.Compile(t.Skips[i].Raw, t.Skips[i].Mask, r.Options)
			if err != nil {
				p = nil
			}
			o.skips[i] = append(o.skips[i], p)
		}
	}
	return o.skips[i]
}

// takes reports whether the access of a walk applies to a name: its filter takes
// it, or there is none. A leading dot is an ordinary character there. What is
// not modelled takes every name.
func (o *operand) takes(t *shellplan.Traversal, name string) bool {
	w := t.Match
	if w == nil {
		return true
	}
	if !w.Pattern {
		return string(w.Raw) == name
	}
	if o.filter == nil {
		for _, r := range readingsOf(o.seg.shell, w.Glob) {
			r.Options.Dot = true
			p, err := pattern.Compile(w.Raw, w.Mask, r.Options)
			if err != nil || strings.ContainsRune(string(w.Raw), '/') {
				o.filter = append(o.filter, nil)
				continue
			}
			o.filter = append(o.filter, p)
		}
	}
	for _, p := range o.filter {
		if p == nil || p.Match(name) != pattern.No {
			return true
		}
	}
	return false
}
