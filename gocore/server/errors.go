package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// codeInternal is for faults of our own.
const codeInternal = "RUNTIME_INTERNAL"

// errorNumbers are the JSON-RPC numbers of our codes, outside the range that
// JSON-RPC keeps for itself (-32768..-32000). Programs go by the code in the
// error's data.
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

// failureOf describes any error of a call for programs.
func failureOf(err error) *tool.Failure {
	var refusal *Refusal
	var stored *spill.Error
	switch {
	case errors.As(err, &refusal):
		return &tool.Failure{Name: "RuntimeError", Code: refusal.Code, Retryable: refusal.Code == codeBusy, Message: refusal.Message, Details: json.RawMessage(`{}`)}
	case errors.As(err, &stored):
		return &tool.Failure{Name: "SpillError", Code: string(stored.Code), Message: stored.Error(), Details: json.RawMessage(`{}`)}
	}
	if failure := shellFailure(err); failure != nil {
		return failure
	}
	return tool.FailureOf(err)
}

// wireError writes an error for the wire: never a bare one, which the SDK would
// send with the number 0.
func wireError(err error) error {
	var known *jsonrpc.Error
	if errors.As(err, &known) {
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

// waitEnded is the error of a search whose context ended while it waited.
func waitEnded(cause error) error {
	if errors.Is(cause, search.ErrShutdown) {
		return &Refusal{codeShuttingDown, "the runtime is shutting down"}
	}
	reason, said := search.ReasonCancelled, "the search was cancelled before it started"
	if errors.Is(cause, context.DeadlineExceeded) {
		reason, said = search.ReasonTimeout, "the search did not start within its time limit: others were running"
	}
	return &search.Error{Code: search.Aborted, Message: said, Details: search.Details{Reason: reason}, Err: cause}
}
