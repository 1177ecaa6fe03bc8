package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// MaxArgumentBytes bounds the JSON of one call's arguments: the longest pattern,
// include and path, each escaped as badly as JSON allows.
const MaxArgumentBytes = 2 << 20

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

// Names of the arguments.
const (
	Pattern = "pattern"
	Path    = "path"
	Include = "include"
)

// decode reads a JSON object of strings. Unknown names and other types are
// errors that say what the tool takes; null leaves an optional argument out, as
// strict schemas make models write.
func decode(raw json.RawMessage, args ...argument) error {
	if len(raw) > MaxArgumentBytes {
		return &ArgumentError{Argument: "arguments", Message: fmt.Sprintf("they have %d bytes, at most %d are accepted", len(raw), MaxArgumentBytes)}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage(`{}`)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		return &ArgumentError{Argument: "arguments", Message: "they are not a JSON object; " + expected(args)}
	}
	for name := range given {
		if !slices.ContainsFunc(args, func(a argument) bool { return a.name == name }) {
			return &ArgumentError{Argument: "arguments", Message: fmt.Sprintf("there is no argument %q; %s", clip(name), expected(args))}
		}
	}
	for _, a := range args {
		value, ok := given[a.name]
		if !ok || string(value) == "null" {
			if a.required {
				return &ArgumentError{Argument: a.name, Message: "it is missing; " + expected(args)}
			}
			continue
		}
		if err := json.Unmarshal(value, a.value); err != nil {
			return &ArgumentError{Argument: a.name, Message: fmt.Sprintf("it is %s; write a string", typeName(value))}
		}
	}
	return nil
}

func expected(args []argument) string {
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

// maxName bounds how much of a wrong name a message repeats.
const maxName = 60

func clip(name string) string {
	runes := []rune(name)
	if len(runes) > maxName {
		return string(runes[:maxName]) + "..."
	}
	return name
}
