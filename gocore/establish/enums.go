package establish

import (
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/resolve"
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

func nameOf[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%d", uint8(v))
}

func parseName[T ~uint8](what string, names []string, text []byte, v *T) error {
	for i, n := range names {
		if n == string(text) {
			*v = T(i)
			return nil
		}
	}
	return &Error{Code: CodeBadEstablished, Field: what, Message: fmt.Sprintf("%q is no %s", text, what)}
}

func (s CheckState) String() string { return nameOf(checkStateNames[:], s) }

func (s CheckState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *CheckState) UnmarshalText(t []byte) error {
	return parseName("check state", checkStateNames[:], t, s)
}
