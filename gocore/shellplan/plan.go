package shellplan

// Plan is one command text, read: the segments in the order the text has them,
// with the plans of nested command texts beside.
//
// The zero Plan has no segments and vouches for nothing: Validate refuses it
// unless Opaque says why it is empty.
type Plan struct {
	// Source is the command text, the bytes that every Span of this plan
	// counts in.
	Source []byte
	// Shell is the profile the text was read under.
	Shell Shell
	// Start is the absolute logical working directory (PWD) the command
	// starts in, when the planner was told; empty leaves it to the boundary
	// of the establishment. It is a spelling: nothing in it is resolved.
	Start []byte
	// Segments are the simple commands (and bare redirections) of the text.
	Segments []Segment
	// Nested are the plans of command texts inside this one.
	Nested []Nested
	// Opaque are reasons that hold for the whole text: it does not parse, it
	// is too large, an environment variable redirects the shell.
	Opaque []Opaque
}

// Nested is the plan of a command text that a segment carries: a command
// substitution, the operand of bash -c or eval, the command of find -exec.
// It runs in the directories its own segments name, which are complete: they
// start from the outermost plan's starting directory.
type Nested struct {
	// Segment is the index, in the plan that holds this value, of the
	// segment that runs the nested text.
	Segment int
	// How names the carrier: "$()", "<()", "bash -c", "eval", "find -exec".
	How string
	// Plan is the nested plan. Spans in it count in its own Source.
	Plan Plan
}

// Segment is one simple command, or the redirections of a compound one.
type Segment struct {
	// Command is the name that runs, wrappers removed: "grep" for
	// `timeout 5 grep`. Empty for bare redirections and assignments.
	Command string
	// Argv are the words that the command runs with, its name first, wrappers
	// removed and everything expanded. At most MaxArgv; an unknown one at the
	// end then stands for the rest.
	Argv []Argument
	// OwnEnv says that the text sets, changes or takes away variables in the
	// environment that the command gets.
	OwnEnv bool
	// Moved says that a wrapper changes the directory just before the command runs
	// (env -C), beyond what Cwds tell.
	Moved bool
	// Span covers the segment in the plan's Source.
	Span Span
	// Candidates are the words the segment may touch, in word order, each
	// once per access.
	Candidates []Candidate
	// Cwds are the directories the segment may run in: after `cd x; y` both
	// x and the old one, after `cd x && y` only x. At least one entry, unless
	// CwdUnknown; the empty Cwd is the starting directory.
	Cwds []Cwd
	// CwdUnknown says that the directory is not known: every candidate with
	// a relative spelling is then without an answer, absolute ones stay.
	CwdUnknown bool
	// Reach says whether the segment always runs when the text does.
	Reach Reach
	// Effects are the changes to names that the segment may leave behind for
	// others to walk through.
	Effects []Effect
	// Checks are looks at file contents that the plan asks the establishment
	// to make before it vouches for this segment.
	Checks []Check
	// Opaque are the reasons why the candidates are not the whole truth.
	Opaque []Opaque
}

// Argument is one word of a command line as the command gets it. The zero value
// is not known: it stands for any number of words.
type Argument struct {
	Text  string
	Known bool
}

// Reach says whether a segment runs whenever the text runs.
type Reach uint8

const (
	// ReachMaybe is a segment behind a condition or one that may run again: a
	// branch, the right side of && or ||, a loop with its condition, a
	// function. The zero value.
	ReachMaybe Reach = iota
	// ReachAlways is a segment on the straight line of the text, which runs
	// once.
	ReachAlways
)

// IsOpaque reports whether the plan, one of its segments or one of its nested
// plans says that it is not the whole truth.
func (p *Plan) IsOpaque() bool {
	if len(p.Opaque) > 0 {
		return true
	}
	for i := range p.Segments {
		if len(p.Segments[i].Opaque) > 0 {
			return true
		}
	}
	for i := range p.Nested {
		if p.Nested[i].Plan.IsOpaque() {
			return true
		}
	}
	return false
}
