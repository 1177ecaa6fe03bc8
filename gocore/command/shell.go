package command

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// Shell is all that a row sees of the shell that runs the command. A row reports
// what the command does and asks what is known; nothing here lets it change the
// shell, its variables, its directory or its descriptors.
type Shell interface {
	reports
	facts
	runs
}

// reports is what a row says of its command.
type reports interface {
	// Candidate adds a word that the command may touch and gives its index; -1
	// when the word is no path or its reason was added instead.
	Candidate(f shellword.Field, c shellplan.Candidate) int
	// Opaque adds a reason at a place of the source, AddReason one that is made
	// already.
	Opaque(code shellplan.OpaqueCode, span shellplan.Span, detail string)
	AddReason(why shellplan.Opaque)
	// Why is a reason that is not added yet; Reason gives one that was found
	// elsewhere the place of the word that meets it.
	Why(code shellplan.OpaqueCode, span shellplan.Span, detail string) *shellplan.Opaque
	Reason(why *shellplan.Opaque, span shellplan.Span) *shellplan.Opaque
	// Effect records a change to names that the command leaves behind.
	Effect(e shellplan.Effect)
	// Check asks the establishment to look at the content of files.
	Check(c shellplan.Check)
	// Entitle names the command in the plan: "git diff".
	Entitle(command string)
	// Print adds what the command prints on its standard output.
	Print(o shellword.Output)
}

// facts is what a row may ask.
type facts interface {
	// Variable is what the process gets for a name; ValueUnset for one that is
	// not exported. Inherited reports whether the process gets it just as the
	// shell got it: what the environment held before the text is the user's own.
	Variable(name string) shellword.Value
	Inherited(name string) bool
	// Exported lists what the process gets, sorted by name within each kind.
	Exported() []Exported
	// Loaders are the variables among them that steer the dynamic loader.
	Loaders() []string
	// Globs reports whether patterns may be expanded; GlobOf are the options
	// that hold for a word as a pattern.
	Globs() bool
	GlobOf(f *shellword.Field) shellplan.Glob
	// Directory identifies the directories that the command may run in; names
	// taken in one are only used in the same.
	Directory() string
	// Descriptor says what a descriptor of the command leads to.
	Descriptor(fd int) Descriptor
	// Candidates are those of the command so far.
	Candidates() []shellplan.Candidate
	// MayHaveWritten reports whether a command that ran before this one, or runs
	// beside it, may have written files of any name.
	MayHaveWritten() bool
	// Sh is the shell that `sh` runs, 0 when that is not known.
	Sh() shellplan.Dialect
	// ShellOption reports whether an option is known, and why turning it on
	// ends the model; empty when it does not.
	ShellOption(o ShellOption) (known bool, why string)
	// ExportedFunctions is the reason when functions were exported to the
	// shells below; nil when none were.
	ExportedFunctions() *shellplan.Opaque
}

// runs is how a row has something else read.
type runs interface {
	// Again runs words as a command in place of this one.
	Again(words []shellword.Field)
	// Aside runs words as a command of its own, whose output nobody follows.
	Aside(words []shellword.Field, stdin shellword.Input)
	// AsBuiltin reads the command as the shell's builtin of the same name.
	AsBuiltin()
	// Nest reads a text as a shell of its own.
	Nest(n NestedShell)
}

// Exported is a variable that a process gets.
type Exported struct {
	Name      string
	Value     shellword.Value
	Inherited bool
}

// Descriptor is what a descriptor leads to.
type Descriptor uint8

const (
	// DescriptorOther is anything else, or not known. The zero value.
	DescriptorOther Descriptor = iota
	// DescriptorOwn is what the shell itself was given.
	DescriptorOwn
	// DescriptorPipe is a pipe, DescriptorFile a file that the text opens.
	DescriptorPipe
	DescriptorFile
)

// ShellOption is an option of a shell on its command line: a letter, or the name
// of an option of set -o or shopt.
type ShellOption struct {
	Letter byte
	Name   string
	Shopt  bool
	On     bool
}

// NestedShell is a shell that a command starts.
type NestedShell struct {
	Dialect shellplan.Dialect
	Text    []byte
	Args    []shellword.Field // $0, $1 and so on
	Options []ShellOption     // those that hold while it runs
	Stdin   shellword.Input
}
