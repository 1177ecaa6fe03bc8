// Package supervise lets a call leave work behind that does not come back.
//
// A look at a file system may never end: a FUSE server that is gone, a dead NFS
// mount, a folder whose lock nobody gives up. No signal reaches a thread in
// such a call, so the only cure is to leave it: Run returns when its context is
// done, whatever the work does, and the caller's places and answers are free
// again. The thread is then lost until the kernel lets go of it.
//
// It decides how many may be lost at once and counts them. It does not decide
// how long anything may take (the context does), nor what an answer without the
// work means (the caller does).
//
// Known limit: work that was left goes on if its system call does come back. It
// has to look at its context before it does anything that others would see.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// MaxLost is how many pieces of work a Pool leaves behind at once. Each holds a
// thread of the system, with its stack; the Go runtime ends the process at
// 10,000 threads, and a user's limit may be a few hundred. With so many lost
// the file system in question is known not to answer.
const MaxLost = 64

// ErrFull is the refusal of a Pool that has left MaxLost pieces of work behind:
// nothing new is begun that might be lost, too.
var ErrFull = errors.New("a file system does not answer: " +
	fmt.Sprint(MaxLost) + " looks at it have not come back; bring it back or unmount it (umount -l), then try again")

// Left says that work was left behind. Unwrap gives the cause of the context.
type Left struct{ Cause error }

func (e *Left) Error() string { return "the work did not end in its time: " + e.Cause.Error() }

// Unwrap returns the cause of the context.
func (e *Left) Unwrap() error { return e.Cause }

// Pool counts what has been left. The zero value is ready to use; a nil Pool
// counts nothing.
type Pool struct {
	mu   sync.Mutex
	lost int
}

// Lost is how many pieces of work have been left and have not come back.
func (p *Pool) Lost() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

// Grace says how long work may take to end by itself once its context is done.
type Grace func(cause error) time.Duration

// Within is the same grace whatever the cause.
func Within(d time.Duration) Grace { return func(error) time.Duration { return d } }

// Run does work, and returns what it returns. When ctx is done, and the work is
// not within grace of that, the error is a *Left. A Pool that is full refuses
// with ErrFull. The work has a goroutine of its own; its panic is the caller's,
// unless it was left.
func Run[T any](ctx context.Context, p *Pool, grace Grace, work func() (T, error)) (T, error) {
	var none T
	if p.Lost() >= MaxLost {
		return none, ErrFull
	}
	back := make(chan outcome[T], 1)
	w := &piece{pool: p}
	go func() {
		var o outcome[T]
		defer func() {
			o.panicked = recover()
			w.returned()
			back <- o
		}()
		o.value, o.err = work()
	}()
	select {
	case o := <-back:
		return o.result()
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	timer := time.NewTimer(max(0, grace(cause)))
	defer timer.Stop()
	select {
	case o := <-back:
		return o.result()
	case <-timer.C:
	}
	w.leave()
	return none, &Left{cause}
}

type outcome[T any] struct {
	value    T
	err      error
	panicked any
}

func (o outcome[T]) result() (T, error) {
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.value, o.err
}

// piece is one piece of work: it may come back while it is being left.
type piece struct {
	pool       *Pool
	left, done bool // guarded by pool.mu
}

func (w *piece) leave() {
	if w.pool == nil {
		return
	}
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	if !w.done {
		w.left = true
		w.pool.lost++
	}
}

func (w *piece) returned() {
	if w.pool == nil {
		return
	}
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.done = true
	if w.left {
		w.pool.lost--
	}
}
