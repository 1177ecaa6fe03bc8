package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
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
	value    any // *string, or *int64 for a whole number from 0 on
}

// wants says what an argument takes.
func (a argument) wants() string {
	if _, number := a.value.(*int64); number {
		return "a whole number from 0 on"
	}
	return "a string"
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

// decode reads a JSON object of strings and whole numbers. Unknown names, names that stand twice
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
	members, err := strictjson.Members(raw)
	var wrong *strictjson.Error
	if errors.As(err, &wrong) {
		return unreadable(wrong, args)
	}
	given := map[string]strictjson.Raw{}
	for _, m := range members {
		if !slices.ContainsFunc(args, func(a argument) bool { return a.name == m.Name }) {
			return bad(whole, "there is no argument %q; %s", failure.Clip(m.Name), takes(args))
		}
		given[m.Name] = m.Value
	}
	for _, a := range args {
		value, ok := given[a.name]
		if !ok || strictjson.IsNull(value) {
			if a.required {
				return bad(a.name, "it is missing; %s", takes(args))
			}
			continue
		}
		err := strictjson.Unmarshal(value, a.value)
		number, whole := a.value.(*int64)
		switch kind := strictjson.TypeName(value); {
		case err == nil && (!whole || *number >= 0):
		case whole && kind == "a number":
			return bad(a.name, "it is %s; write a whole number from 0 on", failure.Clip(string(value)))
		default:
			return bad(a.name, "it is %s; write %s", kind, a.wants())
		}
	}
	return nil
}

// unreadable is the error of arguments that are no JSON, or could be read in two
// ways.
func unreadable(wrong *strictjson.Error, args []argument) error {
	bad := &ArgumentError{Argument: whole, Message: fmt.Sprintf("they cannot be read as JSON (%v); %s", wrong, takes(args))}
	switch named := slices.ContainsFunc(args, func(a argument) bool { return a.name == wrong.Path }); {
	case wrong.Kind == strictjson.Twice:
		bad.Message = fmt.Sprintf("%q is given twice; give it once", wrong.Path)
	case wrong.Kind == strictjson.NotObject:
		bad.Message = "they are not a JSON object; " + takes(args)
	case wrong.Kind == strictjson.NotUnicode && named:
		bad.Argument, bad.Message = wrong.Path, wrong.Message
	}
	return bad
}

func takes(args []argument) string {
	var names []string
	for _, a := range args {
		name := a.name + " (" + a.wants() + ")"
		if !a.required {
			name = a.name + " (" + a.wants() + ", optional)"
		}
		names = append(names, name)
	}
	return "the tool takes " + strings.Join(names, ", ")
}
