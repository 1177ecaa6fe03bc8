package pattern

import "fmt"

// Code is a stable error code.
type Code string

// Codes of Error.
const (
	// CodeNotModelled: the shell gives the construct a meaning that this
	// package does not follow. The names it matches are not known.
	CodeNotModelled Code = "PATTERN_NOT_MODELLED"
	// CodeBadMask: the mask is neither empty nor as long as the pattern.
	CodeBadMask Code = "PATTERN_BAD_MASK"
)

// Error is the package's error type.
type Error struct {
	Code Code
	// Offset is the byte of the component where the construct starts.
	Offset int
	// Construct names what is not modelled, for a message to a person.
	Construct string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s at byte %d", e.Code, e.Construct, e.Offset)
}

// Is reports whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}
