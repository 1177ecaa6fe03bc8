package pybind

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// process is all state of this package: there is one host, and whatever it opens
// shares the machine.
var process = &host{open: openHarness, admission: dispatch.NewAdmission()}

// host is the tokens and the rooms of a process.
type host struct {
	tokens    tokens
	open      func(h *host, r *room) (backend, opened, error)
	admission *dispatch.Admission

	mu    sync.Mutex
	last  int64
	rooms map[int64]*room
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
		return h.openRoom(params).text()
	}
	var p callParams
	if err := read([]byte(params), &p); err != nil {
		return failed(err).text()
	}
	r, err := h.room(p.Runtime)
	if err != nil {
		return failed(err).text()
	}
	var answer envelope
	switch method {
	case "runtime/environ":
		answer = h.reopen(r, p.Environ)
	case "runtime/close":
		answer = envelope{Result: map[string]int{"running": h.closeRoom(p.Runtime, r, p.Abandon)}}
	default:
		answer = r.answer(ctx, method, json.RawMessage(p.Params))
	}
	answer.Log = r.journal.take()
	return answer.text()
}

func (h *host) room(number int64) (*room, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[number]; r != nil {
		return r, nil
	}
	return nil, misused("runtime", "%d is not open", number)
}

func (h *host) openRoom(params string) envelope {
	s, err := parseSetup(params)
	if err != nil {
		return failed(err)
	}
	r := newRoom(s)
	b, about, err := h.open(h, r)
	if err != nil {
		return failed(err)
	}
	r.use(b)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rooms == nil {
		h.rooms = map[int64]*room{}
	}
	h.last++
	h.rooms[h.last] = r
	about.Runtime = h.last
	return envelope{Result: about, Log: r.journal.take()}
}

// reopen gives a room another environment. What runs keeps the one that it began
// with.
func (h *host) reopen(r *room, environ []byte) envelope {
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

func (h *host) closeRoom(number int64, r *room, abandon bool) (running int) {
	running = r.close(abandon)
	if running == 0 || abandon { // else Wait tells when it is over
		h.forget(number)
	}
	return running
}

func (h *host) forget(number int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.rooms, number)
}

func (h *host) start(number, token int64, patience time.Duration, request string) string {
	r, err := h.room(number)
	ctx, live := h.tokens.context(token)
	if err != nil || !live || !r.enter() {
		h.tokens.free(token)
		return ""
	}
	early := newHandover()
	go func() {
		var answer envelope
		defer func() {
			if cause := recover(); cause != nil {
				answer = failed(panicked(cause)).message(nil)
			}
			h.tokens.free(token)
			if text := answer.text(); !early.give(text) {
				r.leave(text)
			}
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
	r, err := h.room(number)
	if err != nil {
		return ""
	}
	answers := r.wait()
	if answers == "" {
		h.forget(number)
	}
	return answers
}
