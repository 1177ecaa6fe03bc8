package index

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
	"github.com/hydraharness/harness-runtime/gocore/trigram"
)

const (
	// maxReaders is how many goroutines read texts. Each holds what a segment takes
	// while it is built.
	maxReaders = 4
	// readBatch is how many files are handed to a reader at once.
	readBatch = 64
	// firstRead is how much is read at once at least; most files are smaller.
	firstRead = 64 << 10
	// maxSegments is how many segments there are before small ones are made one. Each
	// costs a look in every search.
	maxSegments = 32
	// smallTexts is how few texts make a segment small.
	smallTexts = 1024
	// deadShare is how much of a segment may be of texts that have changed since: the
	// fourth part.
	deadShare = 4
)

// job is a file to be read.
type job struct {
	reading fresh.Reading
	path    string
}

// absorb reads the texts of walked files that changed.
func (r *root) absorb(tree *fresh.Tree) bool {
	var jobs []job
	locked(tree, func() {
		for f := range tree.EachChanged() {
			switch f.Note {
			case noteWalked:
				jobs = append(jobs, job{tree.Read(f), f.Path()})
			case noteUnwalked:
				tree.Learn(tree.Read(f), tagKnown|tagSkipped)
			}
		}
	})
	if len(jobs) == 0 {
		return true
	}
	slices.SortFunc(jobs, func(a, b job) int { // neighbours lie close on the disk, too
		if a.path < b.path {
			return -1
		}
		return 1
	})
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(maxReaders, runtime.NumCPU(), 1+len(jobs)/readBatch) {
		readers.Go(func() {
			defer r.recovered()
			background()
			(&reader{root: r, tree: tree, builder: trigram.NewBuilder()}).read(jobs, &next)
		})
	}
	readers.Wait()
	return r.runnable()
}

// reader reads texts and makes segments of them.
type reader struct {
	root    *root
	tree    *fresh.Tree
	builder *trigram.Builder
	buf     []byte
	added   []added // by number
}

type added struct {
	reading fresh.Reading
	is      trigram.Text
}

func (w *reader) read(jobs []job, next *atomic.Int64) {
	for {
		to := int(next.Add(readBatch))
		if to-readBatch >= len(jobs) || !w.root.runnable() {
			break
		}
		for _, j := range jobs[to-readBatch : min(to, len(jobs))] {
			w.one(j)
			if w.builder.Full() {
				w.flush()
			}
		}
	}
	w.flush()
}

// one reads one file. What cannot be read is opaque: ripgrep says why, itself.
func (w *reader) one(j job) {
	is := trigram.Opaque
	if text, ok := w.text(w.root.path + "/" + j.path); ok {
		if _, is = w.builder.Add(text); is&trigram.Opaque == 0 {
			w.added = append(w.added, added{j.reading, is})
			return
		}
	}
	w.tree.Lock()
	defer w.tree.Unlock()
	if w.tree.Learn(j.reading, tagOf(is, 0, 0)) {
		w.root.special[j.reading.File] = struct{}{}
	}
}

func (w *reader) text(path string) ([]byte, bool) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	w.buf = slices.Grow(w.buf[:0], firstRead)
	for {
		if len(w.buf) == cap(w.buf) {
			w.buf = slices.Grow(w.buf, cap(w.buf))
		}
		n, err := unix.Read(fd, w.buf[len(w.buf):cap(w.buf)])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || len(w.buf) > trigram.MaxText:
			return nil, false
		case n <= 0:
			return w.buf, true
		}
		w.buf = w.buf[:len(w.buf)+n]
	}
}

// flush makes a segment of what was read.
func (w *reader) flush() {
	if len(w.added) == 0 || !w.root.runnable() {
		return
	}
	s := &segment{index: w.builder.Build(), files: make([]*fresh.File, len(w.added))}
	locked(w.tree, func() {
		number := w.root.next
		w.root.next++
		for i, a := range w.added {
			s.files[i] = a.reading.File
			if w.tree.Learn(a.reading, tagOf(a.is, number, i)) && a.is != 0 {
				w.root.special[a.reading.File] = struct{}{}
			}
		}
		w.root.segments[number] = s
		w.root.size.Add(int64(s.index.Size()))
	})
	w.added = w.added[:0]
	if w.root.set.bytes() > w.root.set.options.MaxBytes {
		w.root.lose(ReasonTooLarge)
	}
}

// compact drops segments of which little is left, and small ones when there are many:
// their texts are read once more. It reports whether there are such.
func (r *root) compact(tree *fresh.Tree) bool {
	tree.Lock()
	defer tree.Unlock()
	any := false
	for number, s := range r.segments {
		live := 0
		for i, f := range s.files {
			if alive(f, number, i) {
				live++
			}
		}
		switch {
		case live == 0:
		case len(s.files)-live > len(s.files)/deadShare:
		case len(r.segments) > maxSegments && len(s.files) < smallTexts:
		default:
			continue
		}
		for i, f := range s.files {
			if alive(f, number, i) {
				tree.Forget(f)
				any = true
			}
		}
		delete(r.segments, number)
		r.size.Add(-int64(s.index.Size()))
	}
	for f := range r.special {
		if f.Gone() {
			delete(r.special, f)
		}
	}
	return any
}

// alive reports whether a text is still the one that a segment knows.
func alive(f *fresh.File, segment uint32, number int) bool {
	return !f.Gone() && f.Tag&(tagKnown|tagSkipped) == tagKnown && uint32(f.Tag>>tagSegment) == segment && int(f.Tag&0xffff) == number && textOf(f.Tag)&trigram.Opaque == 0
}
