package dispatch

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// field binds a parameter's name to where its value goes: a *string, *bool,
// *int, *int64, *[]byte (in base64), *map[string]string, or a pointer to a value that
// reads itself.
type field struct {
	name   string
	target any
}

// decode reads the parameters of a method, strictly: names that there are not
// or that stand twice and values of another type are errors, and null leaves a
// parameter out. The error is a *tool.ArgumentError.
func decode(body json.RawMessage, fields ...field) error {
	bad := func(argument, format string, args ...any) error {
		return &tool.ArgumentError{Argument: argument, Message: fmt.Sprintf(format, args...)}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	members, err := tool.Members(body)
	var twice *tool.DuplicateError
	switch {
	case errors.As(err, &twice):
		return bad("params", "%q is given twice; give it once", failure.Clip(twice.Name))
	case err != nil:
		return bad("params", "they cannot be read: %v", err)
	}
	for _, m := range members {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == m.Name })
		switch {
		case m.Name == "_meta":
		case i < 0:
			return bad(failure.Clip(m.Name), "there is no such parameter; %s", takes(fields))
		case string(m.Value) == "null":
		default:
			problem, err := assign(m.Value, fields[i].target)
			switch {
			case err != nil && failure.Of(err).Code != failure.Internal:
				return err // it says more of itself
			case err != nil:
				return bad(m.Name, "%s", DescribeJSON(err))
			case problem != "":
				return bad(m.Name, "%s", problem)
			}
		}
	}
	return nil
}

// assign puts a value where it belongs, or says what is wrong with it; err is
// that of a value which reads itself.
func assign(value json.RawMessage, target any) (problem string, err error) {
	switch target := target.(type) {
	case *bool:
		if json.Unmarshal(value, target) != nil {
			return "it is " + TypeName(value) + "; write true or false", nil
		}
	case *int64:
		if json.Unmarshal(value, target) != nil || *target < 0 {
			return "it is not a whole number from 0 on; write one", nil
		}
	case *int:
		if json.Unmarshal(value, target) != nil || *target < 0 {
			return "it is not a whole number from 0 on; write one", nil
		}
	case *string:
		if value[0] != '"' || json.Unmarshal(value, target) != nil {
			return "it is " + TypeName(value) + "; write a string", nil
		}
		if HalfSurrogate(value, *target) {
			return `it holds half of a surrogate pair, such as "\ud83d" alone, which is no character`, nil
		}
	case *[]byte:
		var text string
		if value[0] != '"' || json.Unmarshal(value, &text) != nil {
			return "it is " + TypeName(value) + "; write a string in base64", nil
		}
		exact, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return "it is not base64; write the bytes in the standard alphabet, padded", nil
		}
		*target = exact
	case *map[string]string:
		if json.Unmarshal(value, target) != nil {
			return "it is not an object of strings; write one", nil
		}
	default:
		dec := json.NewDecoder(bytes.NewReader(value))
		dec.DisallowUnknownFields()
		return "", dec.Decode(target)
	}
	return "", nil
}

// either is a text, or the exact bytes from the parameter beside it: a value of
// an answer may be handed back with both.
func either(text string, exact []byte) string {
	if len(exact) > 0 {
		return string(exact)
	}
	return text
}

func takes(fields []field) string {
	if len(fields) == 0 {
		return "the method takes none"
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return "the method takes " + strings.Join(names, ", ")
}
