package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// Codes of this package.
const (
	codeBusy         = "RUNTIME_BUSY"
	codeShuttingDown = "RUNTIME_SHUTTING_DOWN"
	// codeInternal is for faults of our own.
	codeInternal = "RUNTIME_INTERNAL"
)

// Refusal is a request that was not admitted.
type Refusal struct {
	Code    string
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Is reports whether target is a *Refusal of the same code.
func (r *Refusal) Is(target error) bool {
	t, ok := target.(*Refusal)
	return ok && t.Code == r.Code
}

// errorNumbers are the JSON-RPC numbers of our codes, outside the range that
// JSON-RPC keeps for itself (-32768..-32000). Programs go by the code in the
// error's data. docs/protocol.md lists them.
var errorNumbers = map[string]int64{
	tool.CodeArgument:                    1001,
	harness.CodeConfig:                   1002,
	codeBusy:                             1003,
	codeShuttingDown:                     1004,
	codeInternal:                         1005,
	string(search.InvalidPattern):        1101,
	string(search.Failed):                1102,
	string(search.RawOutputOverflow):     1103,
	string(search.Aborted):               1104,
	string(spill.NotFound):               1201,
	string(spill.Failed):                 1202,
	string(spill.Quota):                  1203,
	string(establish.CodeBadPlan):        1301,
	string(establish.CodeBadBoundary):    1302,
	string(establish.CodeBadEstablished): 1303,
	string(establish.CodeAborted):        1304,
}

// maxErrorBytes bounds the text of an error: what a client sent, or what the
// sidecar said, may stand in it. Details keep more.
const maxErrorBytes = 4000

// failureOf describes any error of a call for programs.
func failureOf(err error) *tool.Failure {
	var (
		refusal  *Refusal
		config   *harness.ConfigError
		argument *tool.ArgumentError
		searched *search.Error
		stored   *spill.Error
	)
	if f := shellFailure(err); f != nil {
		f.Message = shorten(f.Message)
		return f
	}
	f := &tool.Failure{Details: json.RawMessage(`{}`), Message: err.Error()}
	switch {
	case errors.As(err, &argument), errors.As(err, &searched):
		f = tool.FailureOf(err)
	case errors.As(err, &refusal):
		f.Name, f.Code, f.Retryable = "RuntimeError", refusal.Code, refusal.Code == codeBusy
	case errors.As(err, &config):
		f.Name, f.Code, f.Details = "ConfigError", harness.CodeConfig, details("key", config.Key)
	case errors.As(err, &stored):
		f.Name, f.Code, f.Retryable = "SpillError", string(stored.Code), stored.Code == spill.Quota
	default:
		f.Name, f.Code = "RuntimeError", codeInternal
	}
	f.Message = shorten(f.Message)
	return f
}

func details(name, value string) json.RawMessage {
	if value == "" {
		return json.RawMessage(`{}`)
	}
	text, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return text
}

// shorten cuts a message at a character.
func shorten(message string) string {
	message = strings.ToValidUTF8(message, "\ufffd")
	if len(message) <= maxErrorBytes {
		return message
	}
	cut := maxErrorBytes
	for !utf8.RuneStart(message[cut]) {
		cut--
	}
	return message[:cut] + "..."
}

// wireError writes an error for the wire: never a bare one, which the SDK would
// send with the number 0.
func wireError(err error) *jsonrpc.Error {
	var known *jsonrpc.Error
	if errors.As(err, &known) && known.Code != 0 {
		return known
	}
	failure := failureOf(err)
	data, marshalErr := json.Marshal(failure)
	if marshalErr != nil {
		data = json.RawMessage(`{}`)
	}
	number, numbered := errorNumbers[failure.Code]
	if !numbered {
		number = errorNumbers[codeInternal]
	}
	return &jsonrpc.Error{Code: number, Message: failure.Message, Data: data}
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
		return &jsonrpc.Error{Code: wire.Code, Message: shorten(err.Error())}
	case wire == nil && said == err.Error():
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: shorten(said)}
	}
	return invalidParams("params", describeJSON(err))
}

// isOurs reports whether an error carries a Failure.
func isOurs(wire *jsonrpc.Error) bool {
	var failure tool.Failure
	return wire.Code != 0 && json.Unmarshal(wire.Data, &failure) == nil && failure.Code != ""
}

func invalidParams(argument, message string) *jsonrpc.Error {
	return argumentRefusal(nil, argument, message).err
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

// ended is the error of a search whose context was done before it had begun, or
// which was not waited for any longer.
func ended(cause error, begun bool) error {
	reason, said := search.ReasonCancelled, "the search was cancelled"
	switch {
	case errors.Is(cause, search.ErrShutdown):
		if !begun {
			return &Refusal{codeShuttingDown, "the runtime is shutting down"}
		}
		reason, said = search.ReasonShutdown, "the runtime is shutting down"
	case errors.Is(cause, context.DeadlineExceeded) && !begun:
		reason, said = search.ReasonTimeout, "the search did not begin within its time limit: others were running; ask for less at once, or allow more time"
	case errors.Is(cause, context.DeadlineExceeded):
		reason, said = search.ReasonTimeout, "the search did not finish within its time limit; narrow path, include or pattern"
	}
	return &search.Error{Code: search.Aborted, Message: said, Details: search.Details{Reason: reason}, Err: cause}
}
