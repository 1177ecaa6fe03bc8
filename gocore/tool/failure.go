package tool

import (
	"encoding/json"
	"errors"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// ArgumentError is a mistake in the arguments of a call.
type ArgumentError = search.ArgumentError

// CodeArgument is the code of an ArgumentError on the wire.
const CodeArgument = "TOOL_ARGUMENT"

// Failure is a failed call as programs see it.
type Failure struct {
	// Name is the class of the failure: ToolArgumentError or SearchError.
	Name string `json:"name"`
	// Code is CodeArgument or one of the SEARCH_ codes.
	Code string `json:"code"`
	// Retryable tells that other arguments can mend it.
	Retryable bool `json:"retryable"`
	// Details are a JSON object.
	Details json.RawMessage `json:"details"`
	// Message is the text without the "Error: " that a model sees.
	Message string `json:"-"`
}

// FailureOf describes an error of a search.
func FailureOf(err error) *Failure {
	var argument *ArgumentError
	if errors.As(err, &argument) {
		return &Failure{
			Name: "ToolArgumentError", Code: CodeArgument, Retryable: true, Message: argument.Error(),
			Details: object(map[string]string{"argument": argument.Argument}),
		}
	}
	f := &Failure{Name: "SearchError", Code: string(search.Failed), Details: json.RawMessage(`{}`), Message: err.Error()}
	var failure *search.Error
	if errors.As(err, &failure) {
		f.Code, f.Details = string(failure.Code), object(failure.Details)
		f.Retryable = mendable(failure)
	}
	return f
}

// mendable reports whether the model can do something about a failure.
func mendable(e *search.Error) bool {
	switch e.Code {
	case search.InvalidPattern, search.RawOutputOverflow:
		return true
	case search.Aborted:
		return e.Details.Reason == search.ReasonTimeout
	}
	return e.Details.Path != ""
}

func object(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return text
}

// maxErrorBytes bounds the text of a failure: the sidecar's diagnostics, of
// which Details keep more, may stand in it.
const maxErrorBytes = 4000

func failed(err error) Result {
	failure := FailureOf(err)
	return Result{Text: "Error: " + render.Shorten(failure.Message, maxErrorBytes), Failure: failure}
}

// Refusal is the result of a call whose session is at fault.
func Refusal(err error) Result { return failed(err) }
