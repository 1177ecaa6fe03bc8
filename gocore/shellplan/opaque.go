package shellplan

// Opaque is one reason why a plan or a segment is not the whole truth.
type Opaque struct {
	// Code is the kind of reason.
	Code OpaqueCode
	// Word is the spelling that caused it, as it stands in the source.
	Word []byte
	// Detail is one clause in English that completes "not known because":
	// what the word does and what would make it known.
	Detail string
	// Needs is what the command needs that a sandbox takes away, so that it would
	// fail in one; empty for nothing that is known.
	Needs Need
	// Span is where the word stands in the plan's Source.
	Span Span
}

// Need is a closed set. The zero value is nothing that is known.
type Need uint8

const (
	NeedNothing Need = iota
	// NeedNetwork: other machines.
	NeedNetwork
	// NeedRights: another user's rights.
	NeedRights
	// NeedService: a service of this machine (containers, packages, mounts).
	NeedService
	// NeedTerminal: a person at a terminal.
	NeedTerminal
)

// OpaqueCode is a closed set of reasons. The zero value is OpaqueUnstated, so
// that a reason nobody filled in still counts as one.
type OpaqueCode uint8

const (
	// OpaqueUnstated is a reason without a kind.
	OpaqueUnstated OpaqueCode = iota
	// OpaqueSyntax: the text does not parse in the declared dialect.
	OpaqueSyntax
	// OpaqueTooLarge: a bound of the planner is passed.
	OpaqueTooLarge
	// OpaqueConstruct: a shell construct that the planner does not model.
	OpaqueConstruct
	// OpaqueDynamic: the word is made of something only the running command
	// knows (a substitution, an unknown variable, input).
	OpaqueDynamic
	// OpaqueCommandUnknown: the command is not in the table.
	OpaqueCommandUnknown
	// OpaqueOption: the option is not in the table, or its abbreviation fits
	// more than one.
	OpaqueOption
	// OpaqueRole: a pattern or a variable shifts the operands, so which word
	// is which is not known.
	OpaqueRole
	// OpaqueInterpreter: the word is a program in a language the planner does
	// not read (python, perl, node, ed).
	OpaqueInterpreter
	// OpaqueProgram: a file or a tool that runs code of its own choice
	// (./script, make, npm, pytest, sudo, a hook).
	OpaqueProgram
	// OpaqueScript: a sed script or an awk program that writes files, runs
	// commands or reads names the text does not give.
	OpaqueScript
	// OpaqueNames: the names come from the content of a file or of the
	// standard input (xargs, -T, --files0-from, tar x, patch).
	OpaqueNames
	// OpaqueShellOption: the state of a shell option or of a variable that
	// steers expansion (IFS, GLOBIGNORE) is not known or not modelled.
	OpaqueShellOption
	// OpaqueEnvironment: a variable of the environment makes a program read,
	// write or run more than its words say (BASH_ENV, TAR_OPTIONS).
	OpaqueEnvironment
	// OpaqueCwd: the working directory is not known.
	OpaqueCwd
	// OpaqueShadowed: the command name may be a function, an alias or a file
	// that PATH finds first.
	OpaqueShadowed
	// OpaquePattern: a pattern construct that is not modelled.
	OpaquePattern
	// OpaqueAfter: an earlier opaque segment of the same text may have
	// changed what this one meets.
	OpaqueAfter
)
