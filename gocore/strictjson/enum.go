package strictjson

import "fmt"

// EnumName is the name of a value whose type counts the names up from zero; of a
// value without one it is the number.
func EnumName[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%d", uint8(v))
}

// ParseEnum sets the value that has the name in the text; what says what it is that
// has no such name otherwise.
func ParseEnum[T ~uint8](what string, names []string, text []byte, v *T) error {
	for i, n := range names {
		if n == string(text) {
			*v = T(i)
			return nil
		}
	}
	return &Error{Kind: Type, Message: fmt.Sprintf("%q is no %s", text, what)}
}
