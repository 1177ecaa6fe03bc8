package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Established is one plan with the place of each of its words. It holds no
// reference to the environment and travels as JSON.
type Established struct {
	// Plan is the plan that was established.
	Plan *shellplan.Plan
	// Boundary is the boundary as it was given.
	Boundary Boundary
	// LexicalOnly says that the environment is isolated and was not asked.
	LexicalOnly bool
	// CaseInsensitive says that names differing in case are one name there,
	// so paths must be compared that way.
	CaseInsensitive bool
	// ReadRoots, WriteRoots, DenyPaths and Homes are the paths of the
	// boundary where they lead, in its order; Homes is the home and then the
	// home views, when there are any, else the home alone.
	ReadRoots, WriteRoots, DenyPaths, Homes []Root
	// Segments has one entry per segment of the plan.
	Segments []Segment
	// Nested has one entry per nested plan; those have no roots of their own.
	Nested []*Established
}

// Root is one path of the boundary.
type Root struct {
	// Spelling is the path as it was given.
	Spelling string
	// Path is where it leads; for AbsentTail where it would. A root that is
	// Unestablishable vouches for nothing.
	Path   string
	State  State
	Reason Reason
}

// Segment holds the answers for one segment.
type Segment struct {
	Resolutions []Resolution
	Checks      []Check
}

// Resolution is one candidate as seen from one directory.
type Resolution struct {
	// Candidate is the index of the candidate in its segment.
	Candidate int
	// Cwd is the index of the segment's directory that the word was taken
	// from, -1 for a word whose place depends on none.
	Cwd int
	// State is the weakest state of all landings.
	State  State
	Reason Reason
	// Detail names what the reason is about: the directory, the link.
	Detail string
	// Landings are the paths: one for a literal, one per match of a pattern,
	// the root and the members of a walk. None for Unestablishable.
	Landings []Landing
	// Subtrees are the roots of walks, also of those that were too large to
	// enumerate.
	Subtrees []Subtree
	// AfterOpaque says that a program of unknown effect runs before this
	// segment, so what was found may be gone by then.
	AfterOpaque bool
}

// Landing is one path that a word leads to.
type Landing struct {
	// Path is canonical. It is empty when the kernel refuses the word by its
	// form alone, so that nothing is touched.
	Path string
	// Tail is the part of Path that does not exist, without a leading slash;
	// empty for an existing path.
	Tail string
	// Access is what happens to this path: the candidate's access, or AccessStat
	// for what is merely looked at on the way.
	Access shellplan.Access
	// Kind is what is there; Unknown where nobody had to ask.
	Kind execenv.Kind
	// DotDotInTail says that the spelling goes up again from a directory that
	// does not exist: an open fails, a program that makes directories first
	// lands here.
	DotDotInTail bool
	// Member says that a walk met the path.
	Member bool
	// Listed says that this directory is merely listed: by the shell, to
	// expand the pattern, or by a walk whose access is another one.
	Listed bool
	// Stream says that the path is one of the standard streams that the
	// command inherits; Path is its device.
	Stream bool
	// Name is the spelling that a pattern's match gives the command.
	Name string
	// Hops is how many links were read one by one to come here.
	Hops int
}

// IsDir reports whether the landing is known to be a directory.
func (l *Landing) IsDir() bool { return l.Kind == execenv.Dir }

// Subtree is the root of a walk. Whatever its access, the walk also lists the
// directories below it.
type Subtree struct {
	// Root is the canonical directory the walk starts from.
	Root string
	// Access is what happens below it.
	Access shellplan.Access
	// FollowsLinks says that links met below the root are opened, so that the
	// walk can leave it. Their landings are listed when Enumerated.
	FollowsLinks bool
	// Enumerated says that every member is among the landings.
	Enumerated bool
}

// Check is the answer to one check of a segment.
type Check struct {
	// Check is the index of the check in its segment.
	Check int
	State CheckState
	// Detail says what was found, or why nobody could look.
	Detail string
	// Files are the files that were looked at.
	Files []string
	// Found are those of a CheckAbsent that exist, where they lead.
	Found []string
}

// Target is the path of the first landing that the command itself is handed:
// where a literal word leads.
func (r Resolution) Target() string {
	for i := range r.Landings {
		if !r.Landings[i].Listed {
			return r.Landings[i].Path
		}
	}
	return ""
}
