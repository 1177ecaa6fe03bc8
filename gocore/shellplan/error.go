package shellplan

import "fmt"

// Code is a stable error code.
type Code string

// CodeBadPlan says that a plan handed in is malformed; Error.Field names where.
const CodeBadPlan Code = "ESTABLISH_BAD_PLAN"

// Error is the package's error type.
type Error struct {
	Code Code
	// Field is the path of the field that is wrong, in the JSON form:
	// "segments[2].candidates[0].access". Empty when the text is no JSON.
	Field string
	// Message says what is wrong and what to change.
	Message string
	// Err is the cause, if there is one.
	Err error
}

func (e *Error) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s: %s", e.Code, e.Field, e.Message)
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

// Is reports whether target is an *Error with the same code, so that
// errors.Is(err, &Error{Code: CodeBadPlan}) holds for every field.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

func badPlan(field, format string, args ...any) *Error {
	return &Error{Code: CodeBadPlan, Field: field, Message: fmt.Sprintf(format, args...)}
}

func fieldPath(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}
