package pybind

import (
	"context"
	"sync"
)

// tokens are the live tokens. Numbers are never given twice, so that a stale one
// is only ever unknown.
type tokens struct {
	mu   sync.Mutex
	last int64
	live map[int64]*token
}

type token struct {
	ctx    context.Context
	cancel context.CancelFunc
}

func (ts *tokens) add() int64 {
	t := &token{}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.live == nil {
		ts.live = map[int64]*token{}
	}
	ts.last++
	ts.live[ts.last] = t
	return ts.last
}

// context is that of a live token.
func (ts *tokens) context(number int64) (context.Context, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.live[number]; t != nil {
		return t.ctx, true
	}
	return nil, false
}

func (ts *tokens) cancel(number int64) bool {
	ts.mu.Lock()
	t := ts.live[number]
	ts.mu.Unlock()
	if t != nil {
		t.cancel()
	}
	return t != nil
}

func (ts *tokens) free(number int64) bool {
	ts.mu.Lock()
	t := ts.live[number]
	delete(ts.live, number)
	ts.mu.Unlock()
	if t != nil {
		t.cancel()
	}
	return t != nil
}
