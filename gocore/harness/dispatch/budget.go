package dispatch

import (
	"context"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/failure"
)

// Budget bounds the bytes that calls hold, from before their work begins until
// somebody has read their answers: what a call may need is reserved first, made
// the size of its answer when that is there, and given back when it is gone. Calls
// that wait are taken in turn by owner.
type Budget struct {
	size int

	mu      sync.Mutex
	free    int // below 0 when answers were larger than what was reserved
	held    int // claims that hold something
	waiting int
	queues  map[string][]*Claim
	turn    []string // owners with a queue, the next first
}

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int) *Budget {
	return &Budget{size: bytes, free: bytes, queues: map[string][]*Claim{}}
}

// Claim returns the claim of one call, which holds nothing yet.
func (b *Budget) Claim() *Claim { return &Claim{budget: b} }

// Load is how many calls hold something, and how many wait.
func (b *Budget) Load() (holding, waiting int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held, b.waiting
}

// Claim is what one call holds. Its zero value, and nil, bound nothing.
type Claim struct {
	budget *Budget

	// Guarded by the budget.
	owner   string
	bytes   int  // asked for, or held
	held    bool // a call may be given up, and its claim freed, while it waits
	freed   bool
	granted chan struct{} // closed when bytes are held
}

// Take waits until bytes can be held for an owner. The error is a *Refusal, or the
// cause of the context's end.
func (c *Claim) Take(ctx context.Context, owner string, bytes int) error {
	if c == nil || c.budget == nil {
		return nil
	}
	b := c.budget
	b.mu.Lock()
	if c.freed || c.bytes > 0 {
		b.mu.Unlock()
		return nil
	}
	c.owner, c.bytes = owner, bytes
	switch {
	case b.waiting == 0 && b.fits(c):
		b.hold(c)
		b.mu.Unlock()
		return nil
	case b.waiting >= MaxQueued || len(b.queues[owner]) >= MaxQueuedByOwner:
		c.bytes = 0
		b.mu.Unlock()
		return &Refusal{failure.Busy, "too many calls are waiting for answers to be read; try again when some have been"}
	}
	c.granted = make(chan struct{})
	if len(b.queues[owner]) == 0 {
		b.turn = append(b.turn, owner)
	}
	b.queues[owner] = append(b.queues[owner], c)
	b.waiting++
	b.mu.Unlock()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.leave(c) {
		c.bytes = 0
	} // else it was granted at the same moment, and is freed with the call
	return context.Cause(ctx)
}

// Settle makes a claim that holds something that of the answer.
func (c *Claim) Settle(bytes int) {
	if c == nil || c.budget == nil {
		return
	}
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.freed || !c.held {
		return
	}
	bytes = max(bytes, 1)
	b.free += c.bytes - bytes
	c.bytes = bytes
	b.grant()
}

// Free gives back what a claim holds, for good.
func (c *Claim) Free() {
	if c == nil || c.budget == nil {
		return
	}
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.freed {
		return
	}
	c.freed = true
	if !c.held {
		b.leave(c) // what it waits for would be held for nobody
		return
	}
	c.held = false
	b.free += c.bytes
	b.held--
	b.grant()
}

// fits reports whether a claim can be held now. One that is larger than all there
// is has its turn when nothing else is held.
func (b *Budget) fits(c *Claim) bool { return b.held == 0 || c.bytes <= b.free }

func (b *Budget) hold(c *Claim) {
	c.held = true
	b.free -= c.bytes
	b.held++
}

// grant lets those that wait have what is free, in turn.
func (b *Budget) grant() {
	for len(b.turn) > 0 {
		owner := b.turn[0]
		c := b.queues[owner][0]
		if !b.fits(c) {
			return
		}
		b.turn = append(b.turn[1:], owner) // to the end of the line
		b.setQueue(owner, b.queues[owner][1:])
		b.waiting--
		b.hold(c)
		close(c.granted)
	}
}

// leave takes a claim out of its queue, unless it has just been granted.
func (b *Budget) leave(c *Claim) bool {
	owner := c.owner
	queue := b.queues[owner]
	for i, waiting := range queue {
		if waiting == c {
			b.setQueue(owner, append(queue[:i:i], queue[i+1:]...))
			b.waiting--
			b.grant() // the next of this owner may be smaller
			return true
		}
	}
	return false
}

// setQueue keeps the turn free of owners that wait for nothing.
func (b *Budget) setQueue(owner string, queue []*Claim) {
	if len(queue) > 0 {
		b.queues[owner] = queue
		return
	}
	delete(b.queues, owner)
	for i, name := range b.turn {
		if name == owner {
			b.turn = append(b.turn[:i:i], b.turn[i+1:]...)
			return
		}
	}
}

// Held is how many bytes are held.
func (b *Budget) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size - b.free
}
