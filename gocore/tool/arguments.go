package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// MaxArgumentBytes bounds the JSON of one call's arguments: the longest pattern,
// include and path, each escaped as badly as JSON allows.
const MaxArgumentBytes = 2 << 20

// Names of the arguments.
const (
	Pattern = "pattern"
	Path    = "path"
	Include = "include"
)

// whole is the Argument of an ArgumentError about all of them.
const whole = "arguments"

// argument binds a name to where its value goes.
type argument struct {
	name     string
	required bool
	value    *string
}

func decodeGlob(raw json.RawMessage) (search.GlobRequest, error) {
	var req search.GlobRequest
	return req, decode(raw, argument{Pattern, true, &req.Pattern}, argument{Path, false, &req.Path})
}

func decodeGrep(raw json.RawMessage) (search.GrepRequest, error) {
	var req search.GrepRequest
	return req, decode(raw,
		argument{Pattern, true, &req.Pattern}, argument{Path, false, &req.Path}, argument{Include, false, &req.Include})
}

// decode reads a JSON object of strings. Unknown names, names that stand twice
// and other types are errors that say what the tool takes; null leaves an
// optional argument out, as strict schemas make models write.
func decode(raw json.RawMessage, args ...argument) error {
	bad := func(argument, format string, values ...any) error {
		return &ArgumentError{Argument: argument, Message: fmt.Sprintf(format, values...)}
	}
	if len(raw) > MaxArgumentBytes {
		return bad(whole, "they have %d bytes, at most %d are accepted; write a shorter pattern", len(raw), MaxArgumentBytes)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage(`{}`)
	}
	members, err := Members(raw)
	var twice *DuplicateError
	switch {
	case errors.As(err, &twice):
		return bad(whole, "%q is given twice; give it once", failure.Clip(twice.Name))
	case errors.Is(err, ErrNotObject):
		return bad(whole, "they are not a JSON object; %s", takes(args))
	case err != nil:
		return bad(whole, "they cannot be read as JSON (%v); %s", err, takes(args))
	}
	given := map[string]json.RawMessage{}
	for _, m := range members {
		if !slices.ContainsFunc(args, func(a argument) bool { return a.name == m.Name }) {
			return bad(whole, "there is no argument %q; %s", failure.Clip(m.Name), takes(args))
		}
		given[m.Name] = m.Value
	}
	for _, a := range args {
		value, ok := given[a.name]
		if !ok || string(value) == "null" {
			if a.required {
				return bad(a.name, "it is missing; %s", takes(args))
			}
			continue
		}
		if value[0] != '"' {
			return bad(a.name, "it is %s; write a string", typeName(value))
		}
		if err := json.Unmarshal(value, a.value); err != nil {
			return bad(a.name, "it is not a JSON string; write one")
		}
		if halfSurrogate(value, *a.value) {
			return bad(a.name, `it holds half of a surrogate pair, such as "\ud83d" alone, which is no character; write the character itself`)
		}
	}
	return nil
}

// halfSurrogate reports whether decoding replaced an escape that is no
// character: encoding/json then puts U+FFFD, and the search would be another.
func halfSurrogate(raw json.RawMessage, decoded string) bool {
	meant := strings.Count(string(raw), "\ufffd") + strings.Count(strings.ToLower(string(raw)), `\ufffd`)
	return strings.Count(decoded, string(utf8.RuneError)) > meant
}

func takes(args []argument) string {
	var names []string
	for _, a := range args {
		name := a.name + " (a string)"
		if !a.required {
			name = a.name + " (a string, optional)"
		}
		names = append(names, name)
	}
	return "the tool takes " + strings.Join(names, ", ")
}

func typeName(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}
