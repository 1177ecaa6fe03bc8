package execenv

import (
	"context"
	"errors"
	"fmt"
)

// Problem is why a question has no ordinary answer.
type Problem uint8

const (
	// NoAnswer: a time-out, a broken connection, an error of the device,
	// anything not listed below. The zero value.
	NoAnswer Problem = iota
	// NotExist: a component is not there.
	NotExist
	// NotDir: a component that must be a directory is none.
	NotDir
	// Loop: more links than one path may pass, or a link that depends on the
	// process that asks.
	Loop
	// TooLong: a component or the whole path is longer than the kernel takes.
	TooLong
	// Denied: this process may not look there. Another one might.
	Denied
)

var problemNames = [...]string{"NO_ANSWER", "NOT_EXIST", "NOT_DIR", "LOOP", "TOO_LONG", "DENIED"}

// String is the stable code of the problem.
func (p Problem) String() string {
	if int(p) < len(problemNames) {
		return problemNames[p]
	}
	return problemNames[NoAnswer]
}

// Error is the package's error type.
type Error struct {
	Problem Problem
	// Op is the question: "canonical", "lstat", "readlink", "list", "read".
	Op string
	// Path is what was asked about.
	Path string
	// Err is the cause, if there is one.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s %q: %v", e.Problem, e.Op, e.Path, e.Err)
	}
	return fmt.Sprintf("%s: %s %q", e.Problem, e.Op, e.Path)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error with the same problem.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Problem == e.Problem
}

// ProblemOf is the problem that an error of an Env carries; NoAnswer for an
// error that carries none.
func ProblemOf(err error) Problem {
	var e *Error
	if errors.As(err, &e) {
		return e.Problem
	}
	return NoAnswer
}

// Cancelled reports whether the error came from the context and is therefore no
// word about the file system.
func Cancelled(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
