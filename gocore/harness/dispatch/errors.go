package dispatch

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// Codes of this package.
const (
	CodeBusy         = "RUNTIME_BUSY"
	CodeShuttingDown = "RUNTIME_SHUTTING_DOWN"
	// CodeInternal is for faults of our own.
	CodeInternal = "RUNTIME_INTERNAL"
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

// ErrorNumbers are the JSON-RPC numbers of our codes, outside the range that
// JSON-RPC keeps for itself (-32768..-32000). Programs go by the code in the
// error's data. docs/protocol.md lists them.
var ErrorNumbers = map[string]int64{
	tool.CodeArgument:                    1001,
	harness.CodeConfig:                   1002,
	CodeBusy:                             1003,
	CodeShuttingDown:                     1004,
	CodeInternal:                         1005,
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

// MaxErrorBytes bounds the text of an error: what a client sent, or what the
// sidecar said, may stand in it. Details keep more.
const MaxErrorBytes = 4000

// ErrorNumber is the JSON-RPC number of a code.
func ErrorNumber(code string) int64 {
	if number, numbered := ErrorNumbers[code]; numbered {
		return number
	}
	return ErrorNumbers[CodeInternal]
}

// FailureOf describes any error of a call for programs.
func FailureOf(err error) *tool.Failure {
	var (
		refusal  *Refusal
		config   *harness.ConfigError
		argument *tool.ArgumentError
		searched *search.Error
		stored   *spill.Error
	)
	if f := shellFailure(err); f != nil {
		f.Message = Shorten(f.Message)
		return f
	}
	f := &tool.Failure{Details: json.RawMessage(`{}`), Message: err.Error()}
	switch {
	case errors.As(err, &argument), errors.As(err, &searched):
		f = tool.FailureOf(err)
	case errors.As(err, &refusal):
		f.Name, f.Code, f.Retryable = "RuntimeError", refusal.Code, refusal.Code == CodeBusy
	case errors.As(err, &config):
		f.Name, f.Code, f.Details = "ConfigError", harness.CodeConfig, details("key", config.Key)
	case errors.As(err, &stored):
		f.Name, f.Code, f.Retryable = "SpillError", string(stored.Code), stored.Code == spill.Quota
	default:
		f.Name, f.Code = "RuntimeError", CodeInternal
	}
	f.Message = Shorten(f.Message)
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

// ended is the error of a search whose context was done before it had begun, or
// which was not waited for any longer.
func ended(cause error, begun bool) error {
	reason, said := search.ReasonCancelled, "the search was cancelled"
	switch {
	case errors.Is(cause, search.ErrShutdown):
		if !begun {
			return &Refusal{CodeShuttingDown, "the runtime is shutting down"}
		}
		reason, said = search.ReasonShutdown, "the runtime is shutting down"
	case errors.Is(cause, context.DeadlineExceeded) && !begun:
		reason, said = search.ReasonTimeout, "the search did not begin within its time limit: others were running; ask for less at once, or allow more time"
	case errors.Is(cause, context.DeadlineExceeded):
		reason, said = search.ReasonTimeout, "the search did not finish within its time limit; narrow path, include or pattern"
	}
	return &search.Error{Code: search.Aborted, Message: said, Details: search.Details{Reason: reason}, Err: cause}
}

// shellFailure describes an error of the shell half, or returns nil.
func shellFailure(err error) *tool.Failure {
	var wrong *harness.ShellError
	var found *establish.Error
	var planned *shellplan.Error
	switch {
	case errors.As(err, &wrong):
		return tool.FailureOf(&tool.ArgumentError{Argument: wrong.Field, Message: wrong.Message})
	case errors.As(err, &found):
		return establishFailure(string(found.Code), found.Field, found.Message, found)
	case errors.As(err, &planned):
		return establishFailure(string(planned.Code), planned.Field, planned.Message, planned)
	}
	return nil
}

func establishFailure(code, field, message string, err error) *tool.Failure {
	switch {
	case errors.As(err, new(*json.UnmarshalTypeError)):
		message = DescribeJSON(err)
	case field != "":
		message = field + ": " + message
	}
	return &tool.Failure{Name: "EstablishError", Code: code, Message: message, Details: details("field", field)}
}
