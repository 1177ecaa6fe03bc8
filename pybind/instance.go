package pybind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// backend answers requests; methods is the one that is not a test's.
type backend interface {
	// answer returns a value with a JSON form.
	answer(ctx context.Context, method string, meta map[string]any, params json.RawMessage) (any, error)
	// running is how much goes on, idle is closed when nothing does.
	running() int
	idle() <-chan struct{}
}

// maxUnread is how many bytes the requests of an instance may hold, by what they are
// going to answer and by what Wait has not given yet, before another is begun.
const maxUnread = 16 << 20

// reply is an answer that Wait still has to give, and what it holds.
type reply struct {
	text  string
	claim *dispatch.Claim
}

// claimKey is the context key of what a request holds.
type claimKey struct{}

// instance is one runtime of this process, with what runs on it.
type instance struct {
	journal journal
	budget  *dispatch.Budget
	opening sync.Mutex // guards setup
	setup   setup

	// base ends when the instance is closed; every request is bound to it.
	base context.Context
	end  context.CancelCauseFunc

	mu        sync.Mutex // guards what follows
	drop      func()     // what the backend keeps beside its calls
	backend   backend
	former    []backend // those before it that still run something
	started   int       // requests that Wait still has to answer
	answers   []reply   // of those, the finished ones
	quiet     bool      // closed, and nothing runs any more
	abandoned bool      // nobody waits for what runs
	changed   chan struct{}
}

func newInstance(s setup) *instance {
	r := &instance{setup: s, budget: dispatch.NewBudget(maxUnread), changed: make(chan struct{}, 1)}
	r.base, r.end = context.WithCancelCause(context.Background())
	return r
}

// use makes b answer the requests that begin from now on.
func (r *instance) use(b backend) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.backend != nil {
		r.former = append(r.former, r.backend)
	}
	r.former = slices.DeleteFunc(r.former, func(b backend) bool { return b.running() == 0 })
	r.backend = b
}

// keep has drop called when the backend that is being opened is replaced, or the
// instance closed: calls that still run can do without what it drops.
func (r *instance) keep(drop func()) {
	r.mu.Lock()
	former := r.drop
	r.drop = drop
	r.mu.Unlock()
	if former != nil {
		former()
	}
	context.AfterFunc(r.base, drop)
}

func (r *instance) current() backend {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.backend
}

// rpcRequest is a request of JSON-RPC.
type rpcRequest struct {
	Version string         `json:"jsonrpc"`
	ID      strictjson.Raw `json:"id"`
	Method  string         `json:"method"`
	Params  strictjson.Raw `json:"params"`
}

// request runs one request of JSON-RPC.
func (r *instance) request(ctx context.Context, text string) envelope {
	var q rpcRequest
	if err := read([]byte(text), &q); err != nil {
		return failed(err).message(nil)
	}
	return r.answer(ctx, q.Method, json.RawMessage(q.Params)).message(json.RawMessage(q.ID))
}

// answer runs one request. A panic is an error of it.
func (r *instance) answer(ctx context.Context, method string, params json.RawMessage) (e envelope) {
	defer func() {
		if cause := recover(); cause != nil {
			e = failed(panicked(cause))
		}
	}()
	if strictjson.IsNull(params) {
		params = json.RawMessage(`{}`)
	}
	meta, err := metaOf(params)
	var wrong *tool.ArgumentError
	if errors.As(err, &wrong) && !strings.HasPrefix(method, "hydra/") {
		err = &misuse{*wrong} // as the server answers it for the methods of MCP
	}
	if err != nil {
		return failed(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.base, func() { cancel(context.Cause(r.base)) })()
	value, err := r.current().answer(ctx, method, meta, params)
	if err != nil {
		return failed(err)
	}
	return envelope{Result: value}
}

// metaOf reads the _meta of parameters.
func metaOf(params json.RawMessage) (map[string]any, error) {
	members, err := strictjson.Outline(params)
	if err != nil {
		return nil, misusedJSON("params", err)
	}
	var meta map[string]any
	for _, m := range members {
		if m.Name != "_meta" {
			continue
		}
		if err := dispatch.CheckMeta(json.RawMessage(m.Value)); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(m.Value, &meta); err != nil {
			return nil, misused("_meta", "it cannot be read: %v", err)
		}
	}
	return meta, nil
}

func panicked(cause any) error { return fmt.Errorf("internal error: %v", cause) }

// enter counts a request that is about to start, unless the instance is closed.
func (r *instance) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.base.Err() != nil {
		return false
	}
	r.started++
	return true
}

// leave hands over the answer of a request that entered.
func (r *instance) leave(a reply) {
	r.mu.Lock()
	r.answers = append(r.answers, a)
	r.mu.Unlock()
	r.nudge()
}

// answered takes note of answers that Wait does not give.
func (r *instance) answered(n int) {
	r.mu.Lock()
	r.started -= n
	r.mu.Unlock()
	r.nudge()
}

func (r *instance) nudge() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// close ends everything that runs, and says how much that is: Wait tells when it
// is over. What is abandoned is not waited for.
func (r *instance) close(abandon bool) (running int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.base.Err() == nil
	r.end(search.ErrShutdown)
	all := append(slices.Clone(r.former), r.backend)
	for _, b := range all {
		running += b.running()
	}
	if r.abandoned = r.abandoned || abandon; r.abandoned {
		r.nudge()
	}
	if first {
		go r.settle(all)
	}
	return max(running, r.started)
}

// settle waits until nothing runs any more.
func (r *instance) settle(all []backend) {
	defer func() {
		_ = recover() // only a test's backend panics, and then nothing is waited for
		r.mu.Lock()
		r.quiet = true
		r.mu.Unlock()
		r.nudge()
	}()
	for _, b := range all {
		<-b.idle()
	}
}

// wait returns the answers that there are, or "" at the end.
func (r *instance) wait() string {
	for {
		r.mu.Lock()
		answers := r.answers
		r.answers = nil
		r.started -= len(answers)
		over := r.abandoned || r.quiet && r.started == 0
		r.mu.Unlock()
		switch {
		case len(answers) > 0:
			var texts []string
			for _, a := range answers {
				texts = append(texts, a.text)
				a.claim.Free()
			}
			if log := r.journal.take(); log != "" {
				texts = append(texts, notice(log))
			}
			return strings.Join(texts, "\n")
		case over:
			r.nudge() // for another thread that waits here
			return ""
		}
		<-r.changed
	}
}
