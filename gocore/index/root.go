package index

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
	"github.com/hydraharness/harness-runtime/gocore/trigram"
)

// root is the index of one tree.
type root struct {
	set    *Set
	path   string
	ctx    context.Context
	cancel context.CancelFunc
	kick   chan struct{} // there is something to do
	size   atomic.Int64  // of the segments

	used  time.Time // under set.mu
	again time.Time // when a root that was lost may be tried again; under mu

	mu     sync.Mutex
	reason string // why nothing can be said, or "" once there is a tree
	lost   bool   // for good
	tree   *fresh.Tree
	texts  bool // the texts have been read once

	// What follows is guarded by the lock of the tree.

	listed   bool   // ripgrep has listed what it walks
	listedAt uint64 // the tree's Ignores then
	next     uint32 // number of the next segment
	segments map[uint32]*segment
	special  map[*fresh.File]struct{} // binary, opaque or with letters that fold
	counts   counts
	names    roster
}

// segment is the texts of some files, by their number.
type segment struct {
	index *trigram.Segment
	files []*fresh.File
}

// What is known of a name (fresh.File.Note).
const (
	noteWalked   = 1 + iota // a search walks it
	noteUnwalked            // hidden or ignored
)

// What is known of a text (fresh.File.Tag): known is always set; the number of the
// segment and the number in it, unless it is opaque or no search walks the file.
const (
	tagKnown   = 1 << 63
	tagSkipped = 1 << 62
	tagFlags   = 48 // where trigram.Text stands
	tagSegment = 16
)

func tagOf(is trigram.Text, segment uint32, number int) uint64 {
	return tagKnown | uint64(is)<<tagFlags | uint64(segment)<<tagSegment | uint64(number)
}

func textOf(tag uint64) trigram.Text { return trigram.Text(tag >> tagFlags & 0xff) }

func newRoot(s *Set, path string) *root {
	r := &root{
		set: s, path: path, reason: ReasonBuilding, kick: make(chan struct{}, 1), used: time.Now(),
		segments: map[uint32]*segment{}, special: map[*fresh.File]struct{}{},
	}
	r.ctx, r.cancel = context.WithCancel(s.ctx)
	return r
}

// recovered makes a fault of ours the end of the index, not of the process.
func (r *root) recovered() {
	if recover() != nil {
		r.lose(string(fresh.Fault))
	}
}

// end drops the index.
func (r *root) end() {
	defer r.recovered()
	r.lose(ReasonOff)
	r.cancel()
}

// lose gives the index up. A later search makes another, unless the reason stays.
func (r *root) lose(reason string) {
	r.mu.Lock()
	tree := r.tree
	if !r.lost { // what comes behind the first reason follows from it
		r.lost, r.reason = true, reason
		if permanent[reason] {
			r.again = time.Now().Add(retryAfter)
		}
	}
	r.tree = nil
	r.mu.Unlock()
	r.size.Store(0)
	r.cancel()
	if tree != nil {
		tree.Close()
	}
}

// fate is why the index was lost, and when another may be made.
func (r *root) fate() (reason string, again time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reason, r.again
}

// done reports whether the index was lost.
func (r *root) done() bool { return r.ctx.Err() != nil }

// poke has the index look after what changed.
func (r *root) poke() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// current returns the tree behind a barrier, locked, or the reason why there is
// none.
func (r *root) current() (*fresh.Tree, string) {
	r.mu.Lock()
	tree, reason := r.tree, r.reason
	r.mu.Unlock()
	if tree == nil {
		return nil, reason
	}
	if lost := tree.Barrier(); lost != "" {
		r.set.work.Go(func() {
			defer r.recovered()
			r.lose(string(lost))
		})
		return nil, string(lost)
	}
	tree.Lock()
	return tree, ""
}

// locked calls f while nothing else changes the tree.
func locked(tree *fresh.Tree, f func()) {
	tree.Lock()
	defer tree.Unlock()
	f()
}

// run makes the index and keeps it.
func (r *root) run() {
	defer r.recovered()
	background()
	if !r.runnable() {
		return
	}
	tree, lost := fresh.Open(r.path, fresh.Options{MaxFiles: r.set.options.MaxFiles, MaxWatches: r.set.options.MaxWatches})
	if lost == "" {
		lost = tree.Barrier()
	}
	if lost != "" {
		if tree != nil {
			tree.Close()
		}
		r.lose(string(lost))
		return
	}
	r.mu.Lock()
	if r.reason != ReasonBuilding { // ended meanwhile
		r.mu.Unlock()
		tree.Close()
		return
	}
	r.reason, r.tree = "", tree
	r.mu.Unlock()
	for first := true; ; first = false {
		r.catchUp(tree)
		if first {
			r.mu.Lock()
			r.texts = true
			r.mu.Unlock()
		}
		select {
		case <-r.kick:
		case <-r.ctx.Done():
			return
		}
	}
}

func (r *root) runnable() bool { return r.ctx.Err() == nil }

// catchUp lists what ripgrep walks when that may have changed, and reads what
// changed.
func (r *root) catchUp(tree *fresh.Tree) {
	if !r.list(tree) || !r.classify(tree) || !r.absorb(tree) {
		return
	}
	if r.compact(tree) {
		r.absorb(tree)
	}
}

// ready reports why grep cannot be answered from a tree, which is locked.
func (r *root) ready(tree *fresh.Tree) string {
	r.mu.Lock()
	texts := r.texts
	r.mu.Unlock()
	switch {
	case !texts:
		return ReasonBuilding
	case !r.listed || tree.Ignores() != r.listedAt:
		r.poke()
		return ReasonIgnoreChanged
	}
	return ""
}

func (r *root) status() Status {
	s := Status{Root: r.path, Bytes: r.size.Load(), State: "ready"}
	tree, reason := r.current()
	if tree == nil {
		s.State = reason
		return s
	}
	defer tree.Unlock()
	if reason := r.ready(tree); reason != "" {
		s.State = reason
	}
	s.Files, s.Changed, s.Watches = tree.Len(), tree.Changed(), tree.Watched()
	s.Walked = r.counts.walked(tree, "\x00", tree.Root(), nil)
	return s
}
