package dispatch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// lateShare is the part of the time kept for the answer that a call may use up
// to end by itself: it then tells how much it had found.
const lateShare = 0.5

// Door is the part that a door takes in a call. The zero value takes none.
type Door struct {
	// Room waits until there is room for one more answer. Its error is why the
	// call is given up.
	Room func(ctx context.Context) error
	// Progress tells of a call under a token of its client's, until stop; begun is
	// called when the call has had its turn.
	Progress func(ctx context.Context, token any) (begun, stop func())
}

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
func run[T any](ctx context.Context, d *Dispatcher, meta map[string]any, door Door, w work[T]) (T, error) {
	var none T
	c, err := d.call(meta)
	if err != nil {
		return none, err
	}
	ctx, cancel := c.context(ctx)
	defer cancel()
	var begun atomic.Bool
	begin := func() { begun.Store(true) }
	if door.Progress != nil && c.progress != nil {
		told, stop := door.Progress(ctx, c.progress)
		defer stop()
		begin = func() { begun.Store(true); told() }
	}

	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	d.running.add(1)
	go func() {
		defer d.running.add(-1)
		var o outcome
		defer func() {
			if cause := recover(); cause != nil {
				d.log.Error("a call panicked", "panic", cause)
				o.err = fmt.Errorf("internal error: %v", cause)
			}
			done <- o
		}()
		if w.searches {
			release, err := d.admission.acquire(ctx, c.Owner)
			if err != nil {
				o.err = err
				return
			}
			defer release()
		}
		// Not before: by the time of its turn others have made their answers.
		if door.Room != nil {
			if cause := door.Room(ctx); cause != nil {
				o.err = w.ended(cause, false)
				return
			}
		}
		begin()
		o.value, o.err = w.do(ctx, c)
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	// The work stops now. A sidecar that does not has a grace, which the caller
	// may not have.
	timer := time.NewTimer(d.lateness(c, context.Cause(ctx)))
	defer timer.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-timer.C:
		return none, w.ended(context.Cause(ctx), begun.Load())
	}
}

// lateness is how long a call whose context is done may take to end by itself.
func (d *Dispatcher) lateness(c call, cause error) time.Duration {
	switch {
	case errors.Is(cause, search.ErrShutdown):
		return time.Duration(lateShare * float64(d.options.StopTime))
	case errors.Is(cause, context.DeadlineExceeded):
		return time.Duration(lateShare * float64(time.Until(c.deadline)))
	}
	return 0 // cancelled: the answer is dropped
}
