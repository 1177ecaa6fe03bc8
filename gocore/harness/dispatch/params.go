package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// takes makes a method of its parameters' type, a struct: the one place that
// says which there are. A parameter that is null is left out.
func takes[P any](do func(ctx context.Context, c call, p *P) (any, error)) method {
	return method{
		params: reflect.TypeFor[P](),
		parse:  func(body json.RawMessage) error { return read(body, new(P)) },
		do: func(ctx context.Context, c call, body json.RawMessage) (any, error) {
			p := new(P)
			if err := read(body, p); err != nil {
				return nil, err
			}
			return do(ctx, c, p)
		},
	}
}

// none is the parameters of a method without.
type none struct{}

// metaMember is the member of the parameters that call has read.
const metaMember = "_meta"

// read decodes the parameters of a method. The error is a *tool.ArgumentError,
// or that of a value that has a code of its own.
func read(body json.RawMessage, into any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	plain, err := withoutMeta(body)
	if err == nil {
		err = strictjson.Unmarshal(plain, into, strictjson.NullIsAbsent)
	}
	var wrong *strictjson.Error
	if !errors.As(err, &wrong) {
		return err
	}
	if coded := valueError(wrong); coded != nil {
		return coded
	}
	bad := &tool.ArgumentError{Argument: wrong.Path, Message: wrong.Message}
	switch {
	case wrong.Path == "":
		bad.Argument = "params"
	case wrong.Kind == strictjson.Unknown && !strings.ContainsAny(wrong.Path, ".["):
		bad.Message = "there is no such parameter; the method takes " + strings.Join(wrong.Takes, ", ")
		if len(wrong.Takes) == 0 {
			bad.Message = "there is no such parameter; the method takes none"
		}
	}
	return bad
}

// withoutMeta is the parameters but for what they say of the call itself, where
// other rules hold: a host may put its own keys there.
func withoutMeta(body json.RawMessage) (json.RawMessage, error) {
	members, err := strictjson.Outline(body)
	if err != nil || !slices.ContainsFunc(members, func(m strictjson.Member) bool { return m.Name == metaMember }) {
		return body, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range members {
		if m.Name == metaMember {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, err := Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// valueCodes are the codes of parameters that are values of their own.
var valueCodes = map[string]establish.Code{
	"plan":          establish.CodeBadPlan,
	"boundary":      establish.CodeBadBoundary,
	"previous":      establish.CodeBadEstablished,
	"establishment": establish.CodeBadEstablished,
}

// valueError is the error of a parameter that has a code of its own, or nil.
func valueError(wrong *strictjson.Error) error {
	root := wrong.Path
	if end := strings.IndexAny(root, ".["); end >= 0 {
		root = root[:end]
	}
	code, coded := valueCodes[root]
	if !coded || wrong.Kind == strictjson.Twice && root == wrong.Path {
		return nil
	}
	var plan *shellplan.Error
	var found *establish.Error
	switch {
	case errors.As(wrong.Err, &plan):
		code = establish.Code(plan.Code)
	case errors.As(wrong.Err, &found):
		code = found.Code
	}
	return &establish.Error{Code: code, Field: wrong.Path, Message: wrong.Message, Err: wrong}
}

// argumentError puts an error of reading JSON under the name of what was read.
func argumentError(name string, err error) error {
	var wrong *strictjson.Error
	if !errors.As(err, &wrong) {
		return &tool.ArgumentError{Argument: name, Message: err.Error()}
	}
	return &tool.ArgumentError{Argument: strictjson.Join(name, wrong.Path), Message: wrong.Message}
}

// either is a text, or the exact bytes from the parameter beside it: a value of
// an answer may be handed back with both.
func either(text string, exact []byte) string {
	if len(exact) > 0 {
		return string(exact)
	}
	return text
}
