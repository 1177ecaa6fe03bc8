package establish

import (
	"context"
	"errors"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Code is a stable error code.
type Code string

// Codes of Error.
const (
	// CodeBadPlan: the plan handed in is malformed; Field names where.
	CodeBadPlan = Code(shellplan.CodeBadPlan)
	// CodeBadBoundary: the boundary is malformed; Field names where.
	CodeBadBoundary Code = "ESTABLISH_BAD_BOUNDARY"
	// CodeBadEstablished: an establishment handed back is malformed.
	CodeBadEstablished Code = "ESTABLISH_BAD_ESTABLISHED"
	// CodeAborted: the context ended first. There is no partial answer.
	CodeAborted Code = "ESTABLISH_ABORTED"
)

// Error is the package's error type.
type Error struct {
	Code Code
	// Field is the path of the wrong field in the JSON form, where one is.
	Field string
	// Message says what is wrong and what to change.
	Message string
	// Err is the cause, if there is one.
	Err error
}

func (e *Error) Error() string {
	if e.Field != "" {
		return fmt.Sprintf("%s: %s: %s", e.Code, e.Field, e.Message)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// FailureCode puts the error into the table of failures.
func (e *Error) FailureCode() string { return string(e.Code) }

// JSONField is the field and what is wrong with it.
func (e *Error) JSONField() (path, message string) { return e.Field, e.Message }

// FailureDetails names the field.
func (e *Error) FailureDetails() any {
	if e.Field == "" {
		return nil
	}
	return map[string]string{"field": e.Field}
}

// FailureText is the message without the code, which travels beside it.
func (e *Error) FailureText() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Is reports whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

func badPlan(err error) error {
	var e *shellplan.Error
	if errors.As(err, &e) {
		return &Error{Code: CodeBadPlan, Field: e.Field, Message: e.Message, Err: err}
	}
	return &Error{Code: CodeBadPlan, Message: err.Error(), Err: err}
}

func aborted(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &Error{Code: CodeAborted, Message: "the establishment was given up before it was complete", Err: err}
}
