package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// lateShare is the part of the time kept for the answer that a call may use up
// to end by itself: it then tells how much it had found.
const lateShare = 0.5

// work is what a request asks for.
type work[T any] struct {
	// searches is set for what runs the sidecar: it waits for its turn.
	searches bool
	do       func(ctx context.Context, c call) (T, error)
	// ended is the error of work that was not waited for any longer; begun tells
	// whether it had started.
	ended func(cause error, begun bool) error
}

// run does the work of a request: within its context and time, when its turn
// has come, and with its progress told. A panic is an error.
func run[T any](ctx context.Context, s *Server, session *mcp.ServerSession, meta map[string]any, w work[T]) (T, error) {
	var none T
	c, err := s.call(meta)
	if err != nil {
		return none, err
	}
	ctx, cancel := s.contextOf(ctx, c)
	defer cancel()
	told := s.progress(ctx, session, c.progress)
	defer told.stop()

	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	s.running.add(1)
	go func() {
		defer s.running.add(-1)
		var o outcome
		defer func() {
			if cause := recover(); cause != nil {
				s.log.Error("a call panicked", "panic", cause)
				o.err = fmt.Errorf("internal error: %v", cause)
			}
			done <- o
		}()
		if o.err = s.conn.out.room(ctx); o.err != nil {
			o.err = w.ended(o.err, false)
			return
		}
		if w.searches {
			release, err := s.admission.acquire(ctx, c.Owner)
			if err != nil {
				o.err = err
				return
			}
			defer release()
		}
		told.begun.Store(true)
		o.value, o.err = w.do(ctx, c)
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	// The work stops now. A sidecar that does not has a grace, which the caller
	// may not have.
	timer := time.NewTimer(c.lateness(context.Cause(ctx)))
	defer timer.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-timer.C:
		return none, w.ended(context.Cause(ctx), told.begun.Load())
	}
}

// lateness is how long a call whose context is done may take to end by itself.
func (c call) lateness(cause error) time.Duration {
	switch {
	case errors.Is(cause, search.ErrShutdown):
		return time.Duration(lateShare * float64(stopWait))
	case errors.Is(cause, context.DeadlineExceeded):
		return time.Duration(lateShare * float64(time.Until(c.deadline)))
	}
	return 0 // cancelled: the answer is dropped
}

// contextOf is the context that a call runs in: it ends with the request, the
// connection and the call's deadline.
func (s *Server) contextOf(ctx context.Context, c call) (context.Context, context.CancelFunc) {
	ctx, release := s.bound(ctx)
	ctx, cancel := c.context(ctx)
	return ctx, func() { cancel(); release() }
}

// bound is a context that ends with ctx and with the connection.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.base, func() { cancel(context.Cause(s.base)) })
	return ctx, func() { stop(); cancel(nil) }
}
