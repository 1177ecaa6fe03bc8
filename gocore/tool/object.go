package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/failure"
)

// Member is one member of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// ErrNotObject is the error of Members for text that is another JSON value.
var ErrNotObject = errors.New("it is not a JSON object")

// DuplicateError is the error of Members for a name that stands twice: which of
// its values was meant cannot be known, and parsers differ in the one they take.
type DuplicateError struct{ Name string }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("the name %q is given twice", failure.Clip(e.Name))
}

// Members reads a JSON object, strictly: valid UTF-8, one value, no name twice.
// Other errors are those of encoding/json, whose offsets count from the start
// of text.
func Members(text []byte) ([]Member, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not valid UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	if whole = bytes.TrimSpace(whole); whole[0] != '{' {
		return nil, ErrNotObject
	}
	dec := json.NewDecoder(bytes.NewReader(whole))
	_, _ = dec.Token() // "{": whole is valid JSON, so that nothing below fails
	var members []Member
	seen := map[string]bool{}
	for dec.More() {
		token, _ := dec.Token()
		name, _ := token.(string)
		if seen[name] {
			return nil, &DuplicateError{Name: name}
		}
		seen[name] = true
		var m Member
		if err := dec.Decode(&m.Value); err != nil {
			return nil, err
		}
		m.Name = name
		members = append(members, m)
	}
	return members, nil
}
