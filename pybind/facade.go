package pybind

import "time"

// version is set by the linker.
var version = "unset"

// Version is the version of the distribution that this was built for.
func Version() string { return version }

// Call answers a request in the calling thread: params and answer are JSON
// objects, the answer {"result":...} or {"error":{"code","message","data"}},
// with "log" beside it when the runtime logged something. It runs until its
// token is cancelled or its runtime closed, at the latest.
//
//	runtime/open     {"workdir","ripgrep","environ","config","owner"} -> {"runtime","version","guidance"}
//	runtime/environ  {"runtime","environ"}                            -> {}, for requests from now on
//	runtime/close    {"runtime","abandon"}                            -> {"running"}
//	any other        {"runtime","params":{...,"_meta":{...}}}         -> as harness.Dispatcher.Call
func Call(token int64, method string, params string) string {
	return process.call(token, method, params)
}

// Start begins to answer a request of JSON-RPC, {"id","method","params"}. It
// returns the answer when that is there within patience microseconds, else "",
// and Wait gives it. There is never one when the runtime or the token is not
// live. The token is freed with the answer.
//
// A short patience saves two changes of thread, which cost more than a small
// request does.
func Start(runtime int64, token int64, patience int64, request string) string {
	return process.start(runtime, token, time.Duration(patience)*time.Microsecond, request)
}

// Wait blocks until requests that were started on a runtime have been answered,
// and returns the answers, a JSON-RPC message a line; with them may come the
// notification "runtime/log" with what the runtime logged, {"text"}. It returns ""
// when the runtime is closed and nothing runs on it any more, or what runs was
// abandoned, and from then on.
func Wait(runtime int64) string { return process.wait(runtime) }

// NewToken makes a token for one request.
func NewToken() int64 { return process.tokens.add() }

// Cancel ends the request that runs under a token, and says whether the token
// was live.
func Cancel(token int64) int64 { return truth(process.tokens.cancel(token)) }

// FreeToken forgets a token, and says whether it was live. What runs under it is
// cancelled.
func FreeToken(token int64) int64 { return truth(process.tokens.free(token)) }

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
