package establish

import (
	"context"
	"fmt"
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Change is what moved since an establishment.
type Change struct {
	// Changed are the words that lead elsewhere now.
	Changed []Moved
	// ChangedRoots are the paths of the boundary that do.
	ChangedRoots []MovedRoot
	// ChangedChecks are the checks that held and hold no more.
	ChangedChecks []MovedCheck
	// Now is the establishment as it would be now.
	Now *Established
}

// Any reports whether something moved.
func (c *Change) Any() bool {
	return len(c.Changed) > 0 || len(c.ChangedRoots) > 0 || len(c.ChangedChecks) > 0
}

// Moved is one read that changed. Nested is the way to its plan, an index into
// Nested at each level; empty for the outermost.
type Moved struct {
	Nested  []int
	Segment int
	Before  Resolution
	Now     Resolution
}

// MovedRoot is one path of the boundary that changed. List names which:
// "readRoots", "writeRoots", "denyPaths", "homes".
type MovedRoot struct {
	List   string
	Index  int
	Before Root
	Now    Root
}

// MovedCheck is one check that held before.
type MovedCheck struct {
	Nested  []int
	Segment int
	Now     Check
}

// Reestablish establishes the plan of an earlier answer again and reports what
// moved: the last look before the command starts. It recomputes everything,
// roots included. A path whose existence alone changed has not moved; another
// inode at the same path cannot be told. What was lexical or had no answer is
// not compared, as nothing was established that could move, but for the roots
// of walks. An error is an *Error as from Establish.
func (e *Establisher) Reestablish(ctx context.Context, previous *Established) (*Change, error) {
	if previous == nil || previous.Plan == nil {
		return nil, &Error{Code: CodeBadEstablished, Message: "there is no establishment to compare with"}
	}
	if field, same := sameBoundary(&previous.Boundary, &e.boundary); !same {
		return nil, &Error{Code: CodeBadBoundary, Field: field, Message: "the establishment was made for another boundary; give the same one"}
	}
	if err := checkPlan(previous.Plan, &e.boundary); err != nil {
		return nil, err
	}
	if err := previous.fits(previous.Plan); err != nil {
		return nil, err
	}
	if e.LexicalOnly() {
		return &Change{Now: previous}, nil
	}
	at, err := e.resolveRoots(ctx)
	if err != nil {
		return nil, err
	}
	now, err := e.establish(ctx, previous.Plan, at)
	if err != nil {
		return nil, err
	}
	c := &Change{Now: now}
	for _, l := range []struct {
		name        string
		before, now []Root
	}{
		{"readRoots", previous.ReadRoots, at.read}, {"writeRoots", previous.WriteRoots, at.write},
		{"denyPaths", previous.DenyPaths, at.deny}, {"homes", previous.Homes, at.homes},
	} {
		if len(l.before) != len(l.now) {
			return nil, &Error{Code: CodeBadEstablished, Field: l.name, Message: fmt.Sprintf("has %d entries for a boundary of %d", len(l.before), len(l.now))}
		}
		for i := range l.now {
			if l.before[i].Path != l.now[i].Path || l.now[i].State == Unestablishable && l.before[i].State != Unestablishable {
				c.ChangedRoots = append(c.ChangedRoots, MovedRoot{l.name, i, l.before[i], l.now[i]})
			}
		}
	}
	c.compare(previous, now, nil)
	return c, nil
}

func sameBoundary(a, b *Boundary) (string, bool) {
	la, lb := a.lists(), b.lists()
	for i := range la {
		if !slices.Equal(*la[i].list, *lb[i].list) {
			return la[i].field, false
		}
	}
	switch {
	case a.Home != b.Home:
		return "home", false
	case a.Cwd != b.Cwd:
		return "cwd", false
	case a.RootsCanonical != b.RootsCanonical:
		return "rootsCanonical", false
	}
	return "", true
}

// fits reports whether an establishment has the shape of its plan.
func (e *Established) fits(p *shellplan.Plan) error {
	bad := func(field string, n, want int) error {
		return &Error{Code: CodeBadEstablished, Field: field, Message: fmt.Sprintf("has %d entries for a plan of %d", n, want)}
	}
	if len(e.Segments) != len(p.Segments) {
		return bad("segments", len(e.Segments), len(p.Segments))
	}
	if len(e.Nested) != len(p.Nested) {
		return bad("nested", len(e.Nested), len(p.Nested))
	}
	for i := range e.Segments {
		for j := range e.Segments[i].Resolutions {
			if c := e.Segments[i].Resolutions[j].Candidate; c < 0 || c >= len(p.Segments[i].Candidates) {
				return bad(fmt.Sprintf("segments[%d].resolutions[%d].candidate", i, j), c, len(p.Segments[i].Candidates))
			}
		}
	}
	for i, n := range e.Nested {
		if n == nil {
			return &Error{Code: CodeBadEstablished, Field: fmt.Sprintf("nested[%d]", i), Message: "is missing"}
		}
		if err := n.fits(&p.Nested[i].Plan); err != nil {
			return err
		}
	}
	return nil
}

func (c *Change) compare(before, now *Established, nested []int) {
	for i := range now.Segments {
		old, new := &before.Segments[i], &now.Segments[i]
		for j := range new.Resolutions {
			if b := moved(old.Resolutions, new.Resolutions, &new.Resolutions[j]); b != nil {
				c.Changed = append(c.Changed, Moved{slices.Clone(nested), i, *b, new.Resolutions[j]})
			}
		}
		for j := range new.Checks {
			held := j < len(old.Checks) && old.Checks[j].State == Holds
			if held && new.Checks[j].State != Holds {
				c.ChangedChecks = append(c.ChangedChecks, MovedCheck{slices.Clone(nested), i, new.Checks[j]})
			}
		}
	}
	for i := range now.Nested {
		c.compare(before.Nested[i], now.Nested[i], append(slices.Clone(nested), i))
	}
}

// moved compares one read with all earlier ones of the same word and directory:
// it moved when it leads to a path, with an access, that none of them led to, or has
// no answer any more. It returns the earlier read it is compared with.
func moved(before, after []Resolution, now *Resolution) *Resolution {
	type at struct {
		path   string
		access shellplan.Access
	}
	var first *Resolution
	landings, trees := map[at]bool{}, map[at]bool{}
	established := false
	for i := range before {
		b := &before[i]
		if b.Candidate != now.Candidate || b.Cwd != now.Cwd {
			continue
		}
		if b.State == Lexical {
			return nil
		}
		if first == nil {
			first = b
		}
		established = established || b.State != Unestablishable
		for _, l := range b.Landings {
			landings[at{l.Path, l.Access}] = true
		}
		for _, t := range b.Subtrees {
			trees[at{t.Root, t.Access}] = true
		}
	}
	if first == nil {
		return &Resolution{Candidate: now.Candidate, Cwd: now.Cwd} // a directory more than before
	}
	if established {
		// One word may be taken from several directories that share an
		// index, some without an answer from the start.
		if now.State == Unestablishable && unanswered(after, now) > unanswered(before, now) {
			return first
		}
		for _, l := range now.Landings {
			if l.Member && l.Kind == execenv.Link && l.Access == shellplan.AccessRead {
				continue // a walk passes over it
			}
			if !landings[at{l.Path, l.Access}] {
				return first
			}
		}
	}
	if established || len(trees) > 0 {
		for _, t := range now.Subtrees {
			if !trees[at{t.Root, t.Access}] {
				return first
			}
		}
	}
	return nil
}

// unanswered counts the reads of the same word and directory without an answer.
func unanswered(resolutions []Resolution, like *Resolution) (n int) {
	for i := range resolutions {
		r := &resolutions[i]
		if r.Candidate == like.Candidate && r.Cwd == like.Cwd && r.State == Unestablishable {
			n++
		}
	}
	return n
}
