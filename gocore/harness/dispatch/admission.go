package dispatch

import (
	"context"
	"runtime"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/failure"
)

const (
	// MaxSidecars is how many searches run at once on a machine with cores
	// enough: each ripgrep already uses every core, and more only fight.
	MaxSidecars = 4
	// MaxQueuedByOwner is how many searches of one owner may wait. A client with
	// more than this in flight is better told so than kept waiting beyond every
	// time limit; and each that waits holds some 20 KB.
	MaxQueuedByOwner = 512
	// MaxQueued is how many may wait together: one owner's flood leaves room for
	// the searches of others.
	MaxQueued = 2 * MaxQueuedByOwner
)

// Admission lets a bounded number of searches run. Those that wait are taken in
// turn by owner, so that one session's flood does not hold up another's call.
type Admission struct {
	mu      sync.Mutex
	free    int
	waiting int
	queues  map[string][]chan struct{}
	turn    []string // owners with a queue, the next first
}

// Slots is how many searches run at once on this machine.
func Slots() int { return min(MaxSidecars, runtime.NumCPU()) }

// NewAdmission returns an admission for this machine.
func NewAdmission() *Admission {
	return &Admission{free: Slots(), queues: map[string][]chan struct{}{}}
}

// Load is how many searches have a slot, and how many wait for one.
func (a *Admission) Load() (running, waiting int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Slots() - a.free, a.waiting
}

// acquire waits for a slot; release gives it back. The error is a *Refusal, or
// that of ended.
func (a *Admission) acquire(ctx context.Context, owner string) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, ended(context.Cause(ctx), false)
	}
	a.mu.Lock()
	if a.free > 0 {
		a.free--
		a.mu.Unlock()
		return a.release, nil
	}
	if a.waiting >= MaxQueued || len(a.queues[owner]) >= MaxQueuedByOwner {
		a.mu.Unlock()
		return nil, &Refusal{failure.Busy, "too many searches are waiting; try again when some have been answered"}
	}
	slot := make(chan struct{})
	if len(a.queues[owner]) == 0 {
		a.turn = append(a.turn, owner)
	}
	a.queues[owner] = append(a.queues[owner], slot)
	a.waiting++
	a.mu.Unlock()

	select {
	case <-slot:
		return a.release, nil
	case <-ctx.Done():
	}
	if !a.leave(owner, slot) {
		a.release() // it was handed over at the same moment
	}
	return nil, ended(context.Cause(ctx), false)
}

// leave takes a waiting slot out of its queue, unless it has just been served.
func (a *Admission) leave(owner string, slot chan struct{}) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	queue := a.queues[owner]
	for i, waiting := range queue {
		if waiting == slot {
			a.setQueue(owner, append(queue[:i:i], queue[i+1:]...))
			a.waiting--
			return true
		}
	}
	return false
}

// setQueue keeps the turn free of owners that wait for nothing.
func (a *Admission) setQueue(owner string, queue []chan struct{}) {
	if len(queue) > 0 {
		a.queues[owner] = queue
		return
	}
	delete(a.queues, owner)
	for i, name := range a.turn {
		if name == owner {
			a.turn = append(a.turn[:i:i], a.turn[i+1:]...)
			return
		}
	}
}

// release hands the slot to the next owner in turn.
func (a *Admission) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.turn) == 0 {
		a.free++
		return
	}
	owner := a.turn[0]
	queue := a.queues[owner]
	a.turn = append(a.turn[1:], owner) // to the end of the line
	a.setQueue(owner, queue[1:])
	a.waiting--
	close(queue[0])
}
