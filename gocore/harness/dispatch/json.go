package dispatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Marshal is json.Marshal without the escapes for HTML, which make source code
// half as long again. A value with a JSON method writes itself and is not read
// through again.
func Marshal(value any) (json.RawMessage, error) {
	if own, ok := value.(interface {
		JSON() (json.RawMessage, error)
	}); ok {
		return own.JSON()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// DescribeJSON says what is wrong with a value, without Go's names of types.
func DescribeJSON(err error) string {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		place := "it"
		if mistyped.Field != "" {
			place = strings.TrimPrefix(mistyped.Field, ".")
		}
		if slices.Contains([]string{"number", "string", "bool", "object", "array"}, mistyped.Value) {
			return fmt.Sprintf("%s is a JSON %s, which does not belong there", place, mistyped.Value)
		}
		return place + " is of a type that does not belong there"
	}
	return "it cannot be read: " + strings.TrimPrefix(Innermost(err), "json: ")
}

// Innermost is the last of the errors that an error wraps, in words.
func Innermost(err error) string {
	for {
		switch wraps := err.(type) {
		case interface{ Unwrap() error }:
			if next := wraps.Unwrap(); next != nil {
				err = next
				continue
			}
		case interface{ Unwrap() []error }:
			if all := wraps.Unwrap(); len(all) > 0 {
				err = all[len(all)-1]
				continue
			}
		}
		return err.Error()
	}
}

// HalfSurrogate reports whether decoding replaced an escape that is no
// character: encoding/json then puts U+FFFD, and the text would be another.
func HalfSurrogate(raw json.RawMessage, decoded string) bool {
	meant := strings.Count(string(raw), "\ufffd") + strings.Count(strings.ToLower(string(raw)), `\ufffd`)
	return strings.Count(decoded, string(utf8.RuneError)) > meant
}

// TypeName says what kind of value a JSON text is.
func TypeName(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
