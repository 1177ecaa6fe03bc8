package dispatch

import (
	"context"
	"errors"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Refusal is a request that was not admitted.
type Refusal struct {
	Code    string
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// FailureCode puts the refusal into the table of failures.
func (r *Refusal) FailureCode() string { return r.Code }

// Is reports whether target is a *Refusal of the same code.
func (r *Refusal) Is(target error) bool {
	t, ok := target.(*Refusal)
	return ok && t.Code == r.Code
}

// ended is the error of a search whose context was done before it had begun, or
// which was not waited for any longer.
func ended(cause error, begun bool) error {
	reason, said := search.ReasonCancelled, "the search was cancelled"
	switch {
	case errors.Is(cause, search.ErrShutdown):
		if !begun {
			return &Refusal{failure.ShuttingDown, "the runtime is shutting down"}
		}
		reason, said = search.ReasonShutdown, "the runtime is shutting down"
	case errors.Is(cause, context.DeadlineExceeded) && !begun:
		reason, said = search.ReasonTimeout, "the search did not begin within its time limit: others were running; ask for less at once, or allow more time"
	case errors.Is(cause, context.DeadlineExceeded):
		reason, said = search.ReasonTimeout, "the search did not finish within its time limit; narrow path, include or pattern"
	}
	return &search.Error{Code: search.Aborted, Message: said, Details: search.Details{Reason: reason}, Err: cause}
}
