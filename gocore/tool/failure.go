package tool

import (
	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// ArgumentError is a mistake in the arguments of a call.
type ArgumentError = search.ArgumentError

func failed(err error) Result {
	f := failure.Of(err)
	if f.Code == failure.Internal { // of a search, whatever it was
		f = failure.Of(&search.Error{Code: search.Failed, Message: err.Error(), Err: err})
	}
	return Result{Text: "Error: " + f.Message, Failure: f}
}

// Refusal is the result of a call whose session is at fault.
func Refusal(err error) Result { return failed(err) }
