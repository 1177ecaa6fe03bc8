package establish

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/pattern"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// operand is one candidate taken from one directory: it becomes one Resolution.
type operand struct {
	*run
	seg    *segmentRun
	c      *shellplan.Candidate
	from   resolve.Dir
	shell  resolve.Dir // from, before the candidate's own changes of directory
	budget budget
	out    Resolution
	record bool
	// filter is the compiled filter of the walk, one per reading; nil in it
	// takes every name.
	filter []*pattern.Pattern
	// skips are the compiled Skips of the walk, one list for each.
	skips [][]*pattern.Pattern
}

// found is one path that an operand's word leads to.
type found struct {
	place   resolve.Place
	spelled string
	matched bool // a pattern's match, not a literal
	// mirrored: a member of a tree that is copied to here.
	mirrored bool
}

// fail drops what was found: there are no partial answers. The roots of walks
// stay, they are where the operand starts whatever was not enumerated.
func (o *operand) fail(f *failure) {
	o.out.State, o.out.Reason, o.out.Detail = Unestablishable, f.reason, f.detail
	o.out.Landings = nil
}

func (o *operand) failed() bool { return o.out.State == Unestablishable && o.out.Reason != NoReason }

// lookThrough lists a directory in which names are looked for, and says where it is:
// its path may lead over links. One that is not there holds none; the operand fails
// with one that cannot be listed to its end, since what is in it may lead anywhere.
func (o *operand) lookThrough(dir string) (at resolve.Dir, entries []execenv.DirEntry, err error) {
	at = resolve.Dir{Base: dir, State: Canonical}
	entries, _, f, err := o.list(dir, &o.budget, o.budget.scan)
	if err != nil {
		return at, nil, err
	}
	if f != nil && f.reason == UnreadableDir { // as a link is
		p, err := o.resolve(&resolve.RootDir, dir, o.how(true))
		if err != nil || p.State == AbsentTail {
			return at, nil, err
		}
		if p.State == Canonical && p.Path != dir {
			at = p.Dir("")
			if entries, _, f, err = o.list(p.Path, &o.budget, o.budget.scan); err != nil {
				return at, nil, err
			}
		}
	}
	if f != nil {
		o.fail(f)
	}
	return at, entries, nil
}

// establish fills the Resolution. The error is only ever the end of the context.
func (o *operand) establish() error {
	o.out.State = Canonical
	o.budget = budget{bounds: o.bounds}
	o.record = o.seg.earlier.repoints()
	var err error
	switch o.c.Kind {
	case shellplan.KindUpward:
		err = o.ancestors()
	case shellplan.KindGitDir:
		err = o.gitDir()
	case shellplan.KindWorkTree:
		err = o.workTree()
	case shellplan.KindBeside:
		err = o.beside()
	default:
		err = o.word()
	}
	if err != nil {
		return err
	}
	if !o.failed() {
		o.spend(costLanding * len(o.out.Landings))
		if o.landings += len(o.out.Landings); o.landings > maxLandings {
			o.fail(&failure{CapScan, "landings of the whole plan"})
		}
	}
	return nil
}

func (o *operand) how(follow bool) resolve.Options {
	reads := !o.c.Access.IsWrite()
	fds := &resolve.Descriptors{
		Reads: o.c.Access == shellplan.AccessRead || o.c.Access == shellplan.AccessStat, Writes: o.c.Access == shellplan.AccessWrite,
		Words: o.seg.fds, Shell: &o.shell, From: &o.from, Several: o.seg.cwds > 1,
	}
	return resolve.Options{Follow: follow, Reads: reads, Record: o.record, Fds: fds}
}

// follows reports whether the last component of the word is followed.
func (o *operand) follows() bool {
	if t := o.c.Traversal; t != nil && !t.FollowRoot && o.c.Access != shellplan.AccessTree {
		return false
	}
	return o.c.Access != shellplan.AccessEntry && !o.c.NoFollow
}

// word handles KindWord.
func (o *operand) word() error {
	paths, err := o.paths(&o.c.Word, o.follows() && o.c.Into == nil && len(o.c.Names) == 0)
	if err != nil || o.failed() {
		return err
	}
	if o.c.Into != nil {
		if paths, err = o.destinations(paths); err != nil || o.failed() {
			return err
		}
	}
	if o.c.Resplit {
		for _, p := range paths {
			// A pattern without a match stays what it is when it is read again.
			if (p.matched || !o.c.Pattern) && resplits(p.spelled) {
				o.fail(&failure{Dynamic, p.spelled})
				return nil
			}
		}
	}
	if o.c.Script != "" {
		if err := o.scripts(paths); err != nil || o.failed() {
			return err
		}
	}
	for i := range paths {
		if paths[i].mirrored {
			if o.add(paths[i].place, Landing{Access: o.c.Access, Member: true}); !o.failed() {
				err = o.replaced(&paths[i])
			}
		} else if len(o.c.Names) > 0 {
			err = o.suffixed(&paths[i])
		} else {
			err = o.land(&paths[i])
		}
		if err != nil || o.failed() {
			o.roots(paths)
			return err
		}
	}
	return nil
}

// roots keeps where a walk without an answer starts, every path of the word: what
// was not enumerated may be allowed by its roots alone, files and links to them
// included.
func (o *operand) roots(paths []found) {
	if o.c.Traversal == nil || len(paths) < 2 {
		return
	}
	for i := range paths {
		p := &paths[i].place
		tree := Subtree{Root: p.Path, Access: o.c.Access, FollowsLinks: o.c.Traversal.Links != shellplan.LinksSkip || p.State == Unestablishable}
		if p.State == Unestablishable {
			tree.Root = "/"
		}
		if tree.Root != "" && !slices.Contains(o.out.Subtrees, tree) {
			o.out.Subtrees = append(o.out.Subtrees, tree)
		}
	}
}

// paths expands a word into the places it leads to.
func (o *operand) paths(w *shellplan.Word, follow bool) ([]found, error) {
	h := o.how(follow)
	literal := func() (found, error) {
		p, err := o.resolve(&o.from, string(w.Raw), h)
		return found{place: p, spelled: string(w.Raw)}, err
	}
	if !w.Pattern {
		p, err := literal()
		return []found{p}, err
	}
	ex, f, err := o.expand(&o.from, w, o.seg.shell, h, &o.budget, o.seg.earlier)
	if err != nil {
		return nil, err
	}
	if f != nil {
		o.fail(f)
		return nil, nil
	}
	for _, dir := range ex.listed {
		o.listed(dir)
	}
	if r := o.c.Redirect; r != nil && r.OneMatch && w == &o.c.Word && o.alone && ambiguous(ex.found, len(readingsOf(o.seg.shell, w.Glob))) {
		o.out.State, o.out.Reason = AbsentTail, AmbiguousRedirect
		return nil, nil
	}
	var out []found
	for _, m := range ex.found {
		if strings.HasPrefix(m.spelled, "-") && !o.c.OptionSafe && o.c.Redirect == nil && w.Raw[0] != '-' {
			o.fail(&failure{NameBecomesOption, m.spelled})
			return nil, nil
		}
		out = append(out, found{place: m.place, spelled: m.spelled, matched: true})
	}
	if ex.literal || o.seg.earlier.loses() {
		p, err := literal()
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// resplits reports whether a name that is read again as words is not one word
// any more, or another one: white space, the quotes of xargs, pattern characters.
func resplits(name string) bool { return strings.ContainsAny(name, " \t\n\r\v\f'\"\\*?[(") }

// pieces reports the words that a name with blanks becomes when it is read
// again, in place of none: `notes.md` of `my notes.md`. Where the name becomes
// more than words, or only the names are wanted, there is no answer.
func (o *operand) pieces(name string, namesOnly bool) (*failure, error) {
	if namesOnly || strings.Trim(name, " \t\n") != name || strings.ContainsAny(name, "\r\v\f'\"\\*?[(") {
		return &failure{Dynamic, name}, nil
	}
	for _, piece := range strings.Fields(name) {
		if piece[0] == '-' {
			return &failure{NameBecomesOption, name}, nil
		}
		p, err := o.resolve(&o.from, piece, o.how(o.follows()))
		if err != nil {
			return nil, err
		}
		isDir, err := o.isDir(&p)
		if err != nil {
			return nil, err
		}
		if isDir { // a walk below it would be another one
			return &failure{Dynamic, name}, nil
		}
		if o.add(p, Landing{Access: o.c.Access, Name: piece, Member: true}); o.failed() {
			return &failure{o.out.Reason, o.out.Detail}, nil
		}
	}
	return nil, nil
}

// suffixed handles the names that a path found gets: the candidate is then
// those names and not the path.
func (o *operand) suffixed(p *found) error {
	spelled := []string{p.spelled}
	if o.c.Traversal != nil {
		walked, err := o.walkNames(p)
		if err != nil || o.failed() {
			return err
		}
		spelled = walked
	}
	for _, s := range spelled {
		if o.c.Resplit && resplits(s) && s != p.spelled {
			o.fail(&failure{Dynamic, s})
			return nil
		}
		for _, suffix := range o.c.Names {
			q, err := o.resolve(&o.from, s+string(suffix), o.how(o.follows()))
			if err != nil {
				return err
			}
			if o.add(q, Landing{Access: o.c.Access, Name: s + string(suffix)}); o.failed() {
				return nil
			}
		}
	}
	return nil
}
