package pybind

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

const jsonrpc = "2.0"

// Numbers of JSON-RPC for what went wrong before a method was found.
const (
	numberNoMethod  = -32601
	numberBadParams = -32602
)

// envelope is an answer: with ID and Version a message of JSON-RPC, else what
// Call returns.
type envelope struct {
	Version string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
	Log     string          `json:"log,omitempty"`
}

// fault is an error of JSON-RPC; Data is a failure.Failure.
type fault struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// misuse is a request that this package itself cannot take: another form than
// the methods have, or a runtime or token that is not live.
type misuse struct{ tool.ArgumentError }

func misused(argument, format string, args ...any) error {
	return &misuse{tool.ArgumentError{Argument: argument, Message: fmt.Sprintf(format, args...)}}
}

// misusedJSON is misused about a part of what was to be read.
func misusedJSON(name string, err error) error {
	var wrong *strictjson.Error
	if !errors.As(err, &wrong) {
		return misused(name, "%v", err)
	}
	if wrong.Path != "" {
		name = wrong.Path
	}
	return misused(name, "%s", wrong.Message)
}

// read decodes a form of this package. The error is a *misuse.
func read(text []byte, into any) error {
	if err := strictjson.UnmarshalEnvelope(text, into); err != nil {
		return misusedJSON("params", err)
	}
	return nil
}

// failed is the answer that is an error.
func failed(err error) envelope { return envelope{Error: faultOf(err)} }

// message is an answer as JSON-RPC has it; a nil id is one that could not be read.
func (e envelope) message(id json.RawMessage) envelope {
	if id == nil {
		id = json.RawMessage("null")
	}
	e.Version, e.ID = jsonrpc, id
	return e
}

func faultOf(err error) *fault {
	var unknown *dispatch.UnknownMethodError
	var bad *misuse
	switch {
	case errors.As(err, &unknown):
		return &fault{Code: numberNoMethod, Message: unknown.Error()}
	case errors.As(err, &bad):
		f := failure.Of(&bad.ArgumentError)
		return &fault{Code: numberBadParams, Message: f.Message, Data: f}
	}
	f := failure.Of(err)
	return &fault{Code: failure.Number(f.Code), Message: f.Message, Data: f}
}

// notice is the notification that carries a log.
func notice(log string) string {
	return envelope{Version: jsonrpc, Method: "runtime/log", Params: map[string]string{"text": log}}.text()
}

// text writes an envelope. It has no NUL and is UTF-8: JSON escapes the one, and
// encoding/json replaces what is not the other.
func (e envelope) text() string {
	text, err := dispatch.Marshal(e)
	if err != nil {
		e.Result, e.Error = nil, faultOf(fmt.Errorf("the answer has no JSON form: %w", err))
		text, _ = dispatch.Marshal(e) // numbers and text always have one
	}
	return string(text)
}
