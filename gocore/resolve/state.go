package resolve

import "github.com/hydraharness/harness-runtime/gocore/strictjson"

// State is how much is known about where a word lands.
type State uint8

const (
	// Unestablishable: not known; Reason says why. The zero value.
	Unestablishable State = iota
	// Lexical: the spelling, because the environment is isolated or nobody
	// answered and none is the authority.
	Lexical
	// AbsentTail: the end of the path does not exist now; it lands where the
	// existing part leads, joined with the missing tail.
	AbsentTail
	// Canonical: established; the kernel's own answer.
	Canonical
)

var stateNames = [...]string{"unestablishable", "lexical", "absentTail", "established"}

// Reason says why a path, or the word that it comes from, has its state. The set is
// closed: the walk gives some of them, establishment the others.
type Reason uint8

const (
	// NoReason: nothing to say; with Unestablishable it still counts as one.
	NoReason Reason = iota
	// UnreadableDir: a directory that must be listed cannot be.
	UnreadableDir
	// UnmodelledPattern: the shell gives the pattern a meaning that is not
	// followed here.
	UnmodelledPattern
	// CapDirs: more directories than a word may list.
	CapDirs
	// CapMatches: more names than a word may match.
	CapMatches
	// CapScan: more names to look through than a word may, or more landings in
	// one establishment than it may report.
	CapScan
	// NoAuthoritativeAnswer: the environment did not answer.
	NoAuthoritativeAnswer
	// LinkUnreadable: a link on the way cannot be read.
	LinkUnreadable
	// LinkHops: more links than one path may pass.
	LinkHops
	// PathTooLong: longer than the kernel takes.
	PathTooLong
	// SearchDenied: a directory on the way may not be searched.
	SearchDenied
	// ProcMagic: the path depends on the process that opens it.
	ProcMagic
	// NameBecomesOption: a matched name starts with a dash, so the command
	// takes it for an option.
	NameBecomesOption
	// MutatedEarlier: an earlier part of the same text re-points a name on
	// the way.
	MutatedEarlier
	// UnknownShellOption: an option that changes the expansion is not
	// followed here.
	UnknownShellOption
	// CwdUnknown: the word is relative and the directory is not known.
	CwdUnknown
	// Dynamic: a name that was found is read again as words.
	Dynamic
	// NotDirectory: a component that must be a directory is none; the kernel
	// refuses. The landing is that component.
	NotDirectory
	// EmptyWord: the empty path names nothing.
	EmptyWord
	// AmbiguousRedirect: the target of a redirection matches more than one
	// name; the shell opens none.
	AmbiguousRedirect
	// ScriptNotRead: the file is a program for the command, and it does more
	// than transform its input, cannot be read, or is written by the same
	// text.
	ScriptNotRead
	// NoRepository: there is no git repository, so no path.
	NoRepository
	// CapWork: the plan as a whole asks for more work than one establishment
	// does.
	CapWork
)

var reasonNames = [...]string{
	"", "unreadableDir", "unmodelledPattern", "capDirs", "capMatches", "capScan",
	"noAuthoritativeAnswer", "linkUnreadable", "linkHops", "pathTooLong", "searchDenied",
	"procMagic", "nameBecomesOption", "mutatedEarlier", "unknownShellOption", "cwdUnknown",
	"dynamic", "notDirectory", "emptyWord", "ambiguousRedirect", "scriptNotRead", "noRepository",
	"capWork",
}

func (s State) String() string  { return strictjson.EnumName(stateNames[:], s) }
func (r Reason) String() string { return strictjson.EnumName(reasonNames[:], r) }

func (s State) MarshalText() ([]byte, error)  { return []byte(s.String()), nil }
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

func (s *State) UnmarshalText(t []byte) error {
	return strictjson.ParseEnum("state", stateNames[:], t, s)
}

func (r *Reason) UnmarshalText(t []byte) error {
	return strictjson.ParseEnum("reason", reasonNames[:], t, r)
}
