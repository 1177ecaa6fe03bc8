package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// State is how much is known about where a word lands, and Reason why: see package
// resolve, which knows it of a path.
type (
	State  = resolve.State
	Reason = resolve.Reason
)

// The states.
const (
	Unestablishable = resolve.Unestablishable
	Lexical         = resolve.Lexical
	AbsentTail      = resolve.AbsentTail
	Canonical       = resolve.Canonical
)

// The reasons.
const (
	NoReason              = resolve.NoReason
	UnreadableDir         = resolve.UnreadableDir
	UnmodelledPattern     = resolve.UnmodelledPattern
	CapDirs               = resolve.CapDirs
	CapMatches            = resolve.CapMatches
	CapScan               = resolve.CapScan
	NoAuthoritativeAnswer = resolve.NoAuthoritativeAnswer
	LinkUnreadable        = resolve.LinkUnreadable
	LinkHops              = resolve.LinkHops
	PathTooLong           = resolve.PathTooLong
	SearchDenied          = resolve.SearchDenied
	ProcMagic             = resolve.ProcMagic
	NameBecomesOption     = resolve.NameBecomesOption
	MutatedEarlier        = resolve.MutatedEarlier
	UnknownShellOption    = resolve.UnknownShellOption
	CwdUnknown            = resolve.CwdUnknown
	Dynamic               = resolve.Dynamic
	NotDirectory          = resolve.NotDirectory
	EmptyWord             = resolve.EmptyWord
	AmbiguousRedirect     = resolve.AmbiguousRedirect
	ScriptNotRead         = resolve.ScriptNotRead
	NoRepository          = resolve.NoRepository
	CapWork               = resolve.CapWork
)

// CheckState is the answer of a check. The zero value: nobody could look.
type CheckState uint8

const (
	// CouldNotLook: the environment cannot read files, or the look failed.
	CouldNotLook CheckState = iota
	// Fails: the files say that a program runs or the repository is left.
	Fails
	// Holds: they do not.
	Holds
)

var checkStateNames = [...]string{"couldNotLook", "fails", "holds"}

func (s CheckState) String() string { return strictjson.EnumName(checkStateNames[:], s) }

func (s CheckState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *CheckState) UnmarshalText(t []byte) error {
	return strictjson.ParseEnum("check state", checkStateNames[:], t, s)
}
