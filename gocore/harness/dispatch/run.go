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

// What a call reserves before it begins. Until its answer is there nobody knows
// how large that is; it is counted as soon as it is.
const (
	// reserveBase is for the work and the answer of a command of everyday length.
	reserveBase = 512 << 10
	// reserveCommand is how many bytes the work on a command needs for each of its
	// own, measured with long lists of short commands (20 MB for 55 KB), and
	// reserveValue the same for a plan or an establishment that is handed back.
	reserveCommand = 256
	reserveValue   = 16
	// reserveText is for a range of a saved result.
	reserveText = answerCopies * MaxSpillRead
	// reserveSearch is for a page of matches; the output of ripgrep is bounded by
	// the number of searches at once.
	reserveSearch = 1 << 20
	// answerCopies is how often an answer is in memory until it is read: as it was
	// made, as the protocol's library wrote it, and as a line.
	answerCopies = 3
	// maxErrorHeld is for an error: its text and its details.
	maxErrorHeld = answerCopies * 2 * failure.MaxTextBytes
)

// Door is the part that a door takes in a call. The zero value takes none.
type Door struct {
	// Claim is what the call holds of the door's budget. The door frees it when the
	// answer has been read.
	Claim *Claim
	// Progress tells of a call under a token of its client's, until stop; begun is
	// called when the call has had its turn.
	Progress func(ctx context.Context, token any) (begun, stop func())
}

// work is what a request asks for.
type work[T any] struct {
	// searches is set for what runs the sidecar: it waits for its turn.
	searches bool
	// reserve is how many bytes are held before it begins, size what its answer has.
	reserve int
	size    func(T) int
	do      func(ctx context.Context, c call) (T, error)
	// ended is the error of work that was not waited for any longer; begun tells
	// whether it had started.
	ended func(cause error, begun bool) error
}

// run does the work of a request: within its context and time, when its turn
// has come, and with its progress told. A panic is an error.
func run[T any](ctx context.Context, d *Dispatcher, meta map[string]any, door Door, w work[T]) (value T, err error) {
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

	// A search is not held back before its turn: by then others have made their
	// answers.
	hold := func() error {
		err := door.Claim.Take(ctx, c.Owner, w.reserve)
		if refusal := (*Refusal)(nil); err != nil && !errors.As(err, &refusal) {
			return w.ended(err, false)
		}
		return err
	}
	if !w.searches {
		if err := hold(); err != nil {
			return none, err
		}
	}
	defer func() {
		if err != nil {
			door.Claim.Settle(maxErrorHeld)
			return
		}
		door.Claim.Settle(answerCopies * w.size(value))
	}()

	var place slot
	defer place.leave()
	grace := func(cause error) time.Duration { return d.lateness(c, cause) }
	value, err = supervise.Run(ctx, d.runtime.Pool(), grace, func() (T, error) {
		return perform(ctx, d, &c, &place, w, hold, begin)
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

// perform does the work of a call that may be left at any point: in its place
// among the searches, and with what it holds.
func perform[T any](ctx context.Context, d *Dispatcher, c *call, place *slot, w work[T], hold func() error, begin func()) (value T, err error) {
	var none T
	d.running.add(1)
	defer d.running.add(-1)
	defer func() {
		if cause := recover(); cause != nil {
			d.log.Error("a call panicked", "panic", cause)
			err = fmt.Errorf("internal error: %v", cause)
		}
	}()
	if err := d.checkWorkdir(c); err != nil {
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
		if err := hold(); err != nil {
			return none, err
		}
	}
	begin()
	return w.do(ctx, *c)
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
