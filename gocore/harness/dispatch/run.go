package dispatch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/supervise"
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

	var place slot
	defer place.leave()
	grace := func(cause error) time.Duration { return d.lateness(c, cause) }
	value, err := supervise.Run(ctx, d.runtime.Pool(), grace, func() (value T, err error) {
		d.running.add(1)
		defer d.running.add(-1)
		defer func() {
			if cause := recover(); cause != nil {
				d.log.Error("a call panicked", "panic", cause)
				err = fmt.Errorf("internal error: %v", cause)
			}
		}()
		if err := d.checkWorkdir(&c); err != nil {
			return none, err
		}
		if w.searches {
			release, err := d.admission.acquire(ctx, c.Owner)
			if err != nil {
				return none, err
			}
			if !place.take(release) {
				return none, w.ended(context.Cause(ctx), false)
			}
			defer place.leave()
			c.Searched = place.leave
		}
		// Not before: by the time of its turn others have made their answers.
		if door.Room != nil {
			if cause := door.Room(ctx); cause != nil {
				return none, w.ended(cause, false)
			}
		}
		begin()
		return w.do(ctx, c)
	})
	// The work stopped when ctx was done, or was left: a sidecar that does not
	// end has a grace, and a file system that does not answer has all time.
	var left *supervise.Left
	switch {
	case errors.Is(err, supervise.ErrFull):
		return none, &Refusal{failure.Busy, err.Error()}
	case errors.As(err, &left):
		return none, w.ended(left.Cause, begun.Load())
	}
	return value, err
}

// slot is the place of a call among the searches. Whoever is first gives it
// back: the work that ends, or the call that leaves its work behind.
type slot struct {
	mu      sync.Mutex
	release func()
	left    bool
}

// take keeps a place; it reports false, and gives the place back, when the call
// has left meanwhile.
func (s *slot) take(release func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		release()
		return false
	}
	s.release = release
	return true
}

func (s *slot) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
	if s.release != nil {
		s.release()
		s.release = nil
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
