package spill

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// ledgerAttribute is where the folder itself keeps its ledger, so that a
	// save need not look at every saved result to know what they weigh.
	ledgerAttribute = "user.hydra-harness.spill-ledger"

	// lockWait bounds how long a save waits for another process's turn. A
	// process that was stopped in its turn must not stop everybody: after this
	// the save goes on, and the quota is exact to within what was in flight.
	lockWait = time.Second
	lockPoll = 2 * time.Millisecond
)

// ledger is what the processes that share a folder tell each other. Bytes is
// what saved results weigh at most: every save adds to it, and nothing but a count
// takes away. So room by the ledger is room; a lack of room by the ledger is
// reason to count. Where the file system keeps no attributes, every save
// counts.
type ledger struct {
	Bytes   int64 `json:"bytes"`
	Counted int64 `json:"counted"` // time of the last count, microseconds since 1970
}

// admit waits for the turn of this save and lets it through if size more bytes
// fit. The caller renames, then calls release. On the way, now and then and
// whenever room is short, everything that reached its age is swept.
func (s *DirStore) admit(ctx context.Context, root *dirHandle, size int64) (release func(), err error) {
	select {
	case s.commit <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	release = func() {
		_ = unix.Flock(root.fd(), unix.LOCK_UN)
		<-s.commit
	}
	if err = s.turn(ctx, root); err == nil {
		err = s.reserve(ctx, root, size)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

func (s *DirStore) reserve(ctx context.Context, root *dirHandle, size int64) error {
	now := s.opts.now().UnixMicro()
	book, ok := readLedger(root.f)
	age := time.Duration(now-book.Counted) * time.Microsecond
	if !ok || age < 0 || age >= s.opts.sweepEvery() || !s.opts.fits(book.Bytes, size) {
		swept, err := s.sweep(ctx, root, AllSessions())
		if ctx.Err() != nil {
			return ctx.Err() // which ended the count early
		}
		if !s.opts.fits(swept.KeptBytes, size) {
			return overQuota("save", size, swept.KeptBytes, s.opts.MaxBytes, err)
		}
		// An error of the sweep alone is for the next explicit sweep to tell: this
		// text fits. What could not be looked at weighs nothing.
		book = ledger{Bytes: swept.KeptBytes, Counted: now}
	}
	book.Bytes += size // before the rename: a crash in between counts too much, never too little
	book.write(root.f)
	return nil
}

// turn takes the lock on the folder itself; each save has its own handle.
func (s *DirStore) turn(ctx context.Context, root *dirHandle) error {
	deadline := time.Now().Add(s.patience) // real time: it is about another process
	for {
		err := again(func() error { return unix.Flock(root.fd(), unix.LOCK_EX|unix.LOCK_NB) })
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(deadline) {
			return nil // ours; or no locks here; or not worth more waiting
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func readLedger(root *os.File) (book ledger, ok bool) {
	ok = getAttribute(root, ledgerAttribute, &book) && book.Bytes >= 0
	return book, ok
}

// write replaces the ledger; an old one must not stay, as it counts too little.
func (book ledger) write(root *os.File) {
	if !setAttribute(root, ledgerAttribute, book) {
		_ = again(func() error { return unix.Fremovexattr(int(root.Fd()), ledgerAttribute) })
	}
}
