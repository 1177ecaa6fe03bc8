package search

import (
	"fmt"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/failure"
)

// Code is the stable name of a kind of search failure.
type Code string

// The codes of a failed search.
const (
	// InvalidPattern: ripgrep rejected the regular expression or the glob.
	InvalidPattern Code = failure.SearchInvalidPattern
	// Failed: the sidecar could not be run, the target could not be searched, or
	// the sidecar died or wrote what it never writes.
	Failed Code = failure.SearchFailed
	// RawOutputOverflow: ripgrep's output exceeded Config.RawOutputMaxBytes.
	RawOutputOverflow Code = failure.SearchRawOutputOverflow
	// Aborted: the deadline passed or the caller cancelled.
	Aborted Code = failure.SearchAborted
)

// Reasons in Details.Reason of an Aborted error, and of an incomplete result.
const (
	ReasonTimeout   = "timeout"
	ReasonCancelled = "cancelled"
	ReasonShutdown  = "shutdown"
	ReasonRawOutput = "rawOutputMaxBytes"
	// ReasonWithheld: the path lies in the folder of saved results.
	ReasonWithheld = "withheld"
	// ReasonUnanswered: so many looks at file systems have not come back that no
	// other is begun (supervise.MaxLost).
	ReasonUnanswered = "unanswered"
)

// Error is a failed search. Message is written for the model that made the call
// and says what to change.
type Error struct {
	Code    Code
	Message string
	Details Details
	// Err is the cause in this process, if there was one.
	Err error
}

// Details are the facts of a failure for programs.
type Details struct {
	// Reason is one of the Reason constants, or the code of a sidecar problem.
	Reason string `json:"reason,omitempty"`
	// Found counts the results that had been read when the search was given up.
	Found int `json:"found,omitempty"`
	// Path is what could not be searched, as the call spelled it.
	Path string `json:"path,omitempty"`
	// Suggestion is a pattern to use instead.
	Suggestion string `json:"suggestion,omitempty"`
	// Sidecar is the ripgrep executable, when it is at fault.
	Sidecar string `json:"sidecar,omitempty"`
	// ExitCode is the sidecar's exit status, when that is the fault.
	ExitCode int `json:"exitCode,omitempty"`
	// Signal names the signal that ended the sidecar.
	Signal string `json:"signal,omitempty"`
	// Stderr is the end of what the sidecar said.
	Stderr string `json:"stderr,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// FailureCode puts the error into the table of failures.
func (e *Error) FailureCode() string { return string(e.Code) }

// FailureDetails are the facts for programs.
func (e *Error) FailureDetails() any { return e.Details }

// FailureMender tells a path that the caller can write anew from a sidecar that
// it cannot mend.
func (e *Error) FailureMender() failure.Mender {
	switch {
	case e.Code == InvalidPattern, e.Code == RawOutputOverflow,
		e.Code == Aborted && e.Details.Reason == ReasonTimeout,
		e.Code == Failed && e.Details.Path != "":
		return failure.Caller
	case e.Code == Aborted:
		return failure.Program
	}
	return failure.Installation
}

func fail(code Code, details Details, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Details: details, Err: cause, Message: fmt.Sprintf(format, args...)}
}

// ArgumentError is a mistake in the arguments of a call: nothing was searched.
// Message says what to write instead.
type ArgumentError struct {
	// Argument is the name of the argument, as the model wrote it.
	Argument string
	Message  string
}

func (e *ArgumentError) Error() string { return fmt.Sprintf("%s: %s", e.Argument, e.Message) }

// FailureCode puts the error into the table of failures.
func (e *ArgumentError) FailureCode() string { return failure.ToolArgument }

// FailureDetails names the argument.
func (e *ArgumentError) FailureDetails() any { return map[string]string{"argument": e.Argument} }

// maxQuoted bounds how much of an argument a message repeats.
const maxQuoted = 120

// quote shows text inside a message: escaped, and cut when it is long.
func quote(text string) string {
	if len(text) <= maxQuoted {
		return fmt.Sprintf("%q", text)
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%q... (%d bytes)", text[:cut], len(text))
}
