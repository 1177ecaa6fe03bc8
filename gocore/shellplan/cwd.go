package shellplan

// MaxCwds is how many directories a segment may be in before the plan answers
// that it is not known. Each one multiplies the establishment of every relative
// word; real commands have one or two.
const MaxCwds = 8

// Cwd is one directory that a segment may run in: the starting directory of the
// outermost plan and the changes since, in order. The planner has no file
// system, so it keeps the words and lets the establishment walk them: both the
// logical PWD (for a later logical cd) and the directory itself.
type Cwd struct {
	Steps []CwdStep
	// Failed are changes that were tried on the way here and failed, each as
	// the steps to where it would have led: the segment does not run in this
	// directory when one of them is sure to work (`cd a || cd b; cat x`).
	Failed [][]CwdStep
}

// CwdStep is one change of directory.
type CwdStep struct {
	Word
	// Mode says how the word is resolved.
	Mode CwdMode
	// CDPath are the directories of CDPATH that are tried in order for an
	// operand that does not start with `/`, `.` or `..`; an empty entry is
	// the current directory. Nil for no CDPATH.
	CDPath [][]byte
	// Span is where the operand stands in the plan's Source.
	Span Span
}

// CwdMode says how a change of directory treats `..` and links.
type CwdMode uint8

const (
	// CwdLogical is the shell's cd: the operand is joined to PWD and `..`
	// removes the component before it, links unseen. The zero value.
	CwdLogical CwdMode = iota
	// CwdPhysical is cd -P: `..` is the parent of the directory itself, and
	// PWD becomes the canonical path.
	CwdPhysical
	// CwdProcess is chdir(2) in a child process (`git -C`, `env -C`): the
	// kernel's walk; the child has no logical PWD to keep.
	CwdProcess
)
