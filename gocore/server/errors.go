package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// wireError writes an error for the wire: never a bare one, which the SDK would
// send with the number 0.
func wireError(err error) *jsonrpc.Error {
	var known *jsonrpc.Error
	if errors.As(err, &known) && known.Code != 0 {
		return known
	}
	f := failure.Of(err)
	data, marshalErr := json.Marshal(f)
	if marshalErr != nil {
		data = json.RawMessage(`{}`)
	}
	return &jsonrpc.Error{Code: failure.Number(f.Code), Message: f.Message, Data: data}
}

// argumentRefusal answers parameters that are of no use to any method.
func argumentRefusal(id json.RawMessage, argument, message string) *refusal {
	wire := wireError(&tool.ArgumentError{Argument: argument, Message: message})
	wire.Code = jsonrpc.CodeInvalidParams
	return &refusal{id, wire}
}

// sdkError is an error that reached the SDK, or is its own: with a number, in
// our form, and without the Go types that something was decoded into.
func sdkError(method string, err error) *jsonrpc.Error {
	wire, plain := err.(*jsonrpc.Error)
	var mistyped *json.UnmarshalTypeError
	switch {
	case plain && isOurs(wire):
		return wire
	case plain && wire.Code == jsonrpc.CodeInvalidParams && method == "resources/read":
		missing := wireError(&spill.Error{Code: spill.NotFound, Op: "read", Message: "there is no such resource"})
		missing.Code = wire.Code
		return missing
	case plain && wire.Code == jsonrpc.CodeInvalidParams:
		return invalidParams("params", wire.Message)
	case plain && wire.Code != 0:
		return wire
	case errors.As(err, &mistyped):
		return invalidParams("params", describeJSON(err))
	}
	said := innermost(err)
	wire = nil
	switch errors.As(err, &wire); {
	case wire != nil && wire.Code != 0 && wire.Code != jsonrpc.CodeInvalidParams:
		return &jsonrpc.Error{Code: wire.Code, Message: failure.Shorten(err.Error())}
	case wire == nil && said == err.Error():
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: failure.Shorten(said)}
	}
	return invalidParams("params", describeJSON(err))
}

// isOurs reports whether an error carries a Failure.
func isOurs(wire *jsonrpc.Error) bool { return wire.Code != 0 && failureCode(wire) != "" }

// failureCode is the code of the Failure that an error carries, "" for none.
func failureCode(wire *jsonrpc.Error) string {
	var f failure.Failure
	if json.Unmarshal(wire.Data, &f) != nil {
		return ""
	}
	return f.Code
}

func invalidParams(argument, message string) *jsonrpc.Error {
	return argumentRefusal(nil, argument, message).err
}

// describeJSON says what the SDK found wrong with a value, without Go's names of types.
func describeJSON(err error) string {
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
	return "it cannot be read: " + strings.TrimPrefix(innermost(err), "json: ")
}

// innermost is the last of the errors that an error wraps, in words.
func innermost(err error) string {
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
