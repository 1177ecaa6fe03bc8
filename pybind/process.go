package pybind

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// process is all state of this package: there is one host, and whatever it opens
// shares the machine.
var process = &host{open: openHarness, admission: dispatch.NewAdmission()}

// host is the tokens and the instances of a process.
type host struct {
	tokens    tokens
	open      func(h *host, r *instance) (backend, opened, error)
	admission *dispatch.Admission

	mu        sync.Mutex
	last      int64
	instances map[int64]*instance
}

// callParams are the parameters of Call; each method has its own of them.
type callParams struct {
	Runtime int64          `json:"runtime"`
	Params  strictjson.Raw `json:"params"`
	Environ []byte         `json:"environ"`
	Abandon bool           `json:"abandon"`
}

func (h *host) call(token int64, method, params string) (out string) {
	defer func() {
		if cause := recover(); cause != nil {
			out = failed(panicked(cause)).text()
		}
	}()
	ctx, live := h.tokens.context(token)
	if !live {
		return failed(misused("token", "%d is not live; make one for each call", token)).text()
	}
	if method == "runtime/open" {
		return h.openInstance(params).text()
	}
	var p callParams
	if err := read([]byte(params), &p); err != nil {
		return failed(err).text()
	}
	r, err := h.instance(p.Runtime)
	if err != nil {
		return failed(err).text()
	}
	var answer envelope
	switch method {
	case "runtime/environ":
		answer = h.reopen(r, p.Environ)
	case "runtime/close":
		answer = envelope{Result: map[string]int{"running": h.closeInstance(p.Runtime, r, p.Abandon)}}
	default:
		answer = r.answer(ctx, method, json.RawMessage(p.Params))
	}
	answer.Log = r.journal.take()
	return answer.text()
}

func (h *host) instance(number int64) (*instance, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.instances[number]; r != nil {
		return r, nil
	}
	return nil, misused("runtime", "%d is not open", number)
}

func (h *host) openInstance(params string) envelope {
	s, err := parseSetup(params)
	if err != nil {
		return failed(err)
	}
	r := newInstance(s)
	b, about, err := h.open(h, r)
	if err != nil {
		return failed(err)
	}
	r.use(b)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.instances == nil {
		h.instances = map[int64]*instance{}
	}
	h.last++
	h.instances[h.last] = r
	about.Runtime = h.last
	return envelope{Result: about, Log: r.journal.take()}
}

// reopen gives an instance another environment. What runs keeps the one that it began
// with.
func (h *host) reopen(r *instance, environ []byte) envelope {
	r.opening.Lock()
	defer r.opening.Unlock()
	r.setup.Environ = environ
	b, _, err := h.open(h, r)
	if err != nil {
		return failed(err)
	}
	r.use(b)
	return envelope{Result: struct{}{}}
}

func (h *host) closeInstance(number int64, r *instance, abandon bool) (running int) {
	running = r.close(abandon)
	if running == 0 || abandon { // else Wait tells when it is over
		h.forget(number)
	}
	return running
}

func (h *host) forget(number int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.instances, number)
}

func (h *host) start(number, token int64, patience time.Duration, request string) string {
	r, err := h.instance(number)
	ctx, live := h.tokens.context(token)
	if err != nil || !live || !r.enter() {
		h.tokens.free(token)
		return ""
	}
	early, claim := newHandover(), r.budget.Claim()
	ctx = context.WithValue(ctx, claimKey{}, claim)
	go func() {
		var answer envelope
		defer func() {
			if cause := recover(); cause != nil {
				answer = failed(panicked(cause)).message(nil)
			}
			h.tokens.free(token)
			text := answer.text()
			if early.give(text) {
				claim.Free()
				return
			}
			r.leave(reply{text, claim})
		}()
		answer = r.request(ctx, request)
	}()
	text, given := early.take(patience)
	if given {
		r.answered(1)
	}
	return text
}

func (h *host) wait(number int64) string {
	r, err := h.instance(number)
	if err != nil {
		return ""
	}
	answers := r.wait()
	if answers == "" {
		h.forget(number)
	}
	return answers
}
