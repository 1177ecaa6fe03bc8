package search

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// dateBatch is how many files are examined between two looks at the queue:
	// so many that handing them over costs nothing, so few that work is balanced.
	dateBatch = 256
	// openFrom is how many files in a row must lie in one directory for opening it
	// to pay: it costs two system calls, and saves the kernel the way there from
	// the root for each file.
	openFrom = 8
	// maxDaters is how many goroutines read times. More gain little: the kernel
	// takes the same locks for all of them.
	maxDaters = 8
)

// entry is a listed file and when it was modified. Seconds and nanoseconds stay
// apart: file systems hold times that nanoseconds in 64 bits (1677 to 2262) do
// not. There are no pointers in it for the collector to follow.
type entry struct {
	sec        int64
	nsec       int32
	start, end int32 // where its path is in the text of the batch
	state      entryState
}

type entryState uint8

const (
	untimed entryState = iota // the time could not be read: sorts behind all others
	timed
	gone
)

// pathBytes is a usual length of a path.
const pathBytes = 40

// batch is a run of files in the order in which they were listed.
type batch struct {
	text    strings.Builder // the paths, relative to the walked directory
	entries []entry
	done    atomic.Bool // the times have been read
}

func newBatch() *batch {
	b := &batch{entries: make([]entry, 0, dateBatch)}
	b.text.Grow(dateBatch * pathBytes)
	return b
}

func (b *batch) path(i int) string {
	e := &b.entries[i]
	return b.text.String()[e.start:e.end]
}

// dates collects the files of a listing and reads their times while ripgrep
// still lists. ripgrep's own --sort would walk with a single thread and hold
// everything back until the end.
type dates struct {
	dir    string
	wanted bool // the order needs times
	n      int
	all    []*batch

	mu      sync.Mutex
	more    *sync.Cond
	next    int  // of all, the first batch that nobody has taken
	ready   int  // of all, how many are full
	closed  bool // no batch follows
	daters  int
	workers sync.WaitGroup
	fault   atomic.Value // of a dater: a text
}

func newDates(dir string, wanted bool) *dates {
	d := &dates{dir: dir, wanted: wanted}
	d.more = sync.NewCond(&d.mu)
	return d
}

// add collects one file, named relative to the directory.
func (d *dates) add(rel []byte) {
	if d.n%dateBatch == 0 {
		d.hand(newBatch())
	}
	last := d.all[len(d.all)-1]
	start := last.text.Len()
	last.text.Write(rel)
	last.entries = append(last.entries, entry{start: int32(start), end: int32(last.text.Len())})
	d.n++
}

// hand makes everything collected so far available to the daters, of which it
// starts one more as long as there are processors for them, and goes on with a
// new batch.
func (d *dates) hand(fresh *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready = len(d.all)
	if fresh != nil {
		d.all = append(d.all, fresh)
	}
	if !d.wanted || d.next == d.ready {
		return
	}
	if d.daters < min(runtime.NumCPU(), maxDaters) {
		d.daters++
		d.workers.Go(d.date)
	}
	d.more.Signal()
}

// finish waits until all times have been read, and reports whether they have.
// When the context is cancelled, or grace after its deadline, the files that are
// left stay without: a file system that does not answer holds a thread, not the
// call. A panic of a dater comes out here, where the caller may recover it.
func (d *dates) finish(ctx context.Context, grace time.Duration) bool {
	d.hand(nil)
	d.close()
	finished := make(chan struct{})
	go func() { d.workers.Wait(); close(finished) }()
	select {
	case <-finished:
		if cause := d.fault.Load(); cause != nil {
			panic(cause)
		}
		return true
	case <-ctx.Done():
	}
	if deadline, ok := ctx.Deadline(); ok && ctx.Err() == context.DeadlineExceeded {
		timer := time.NewTimer(time.Until(deadline.Add(grace)))
		defer timer.Stop()
		select {
		case <-finished:
			return true
		case <-timer.C:
		}
	}
	d.discard()
	return false
}

// close lets the daters end when nothing is left.
func (d *dates) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.more.Broadcast()
}

// discard lets the daters end now.
func (d *dates) discard() {
	d.mu.Lock()
	d.next = d.ready
	d.mu.Unlock()
	d.close()
}

// take returns a batch whose times nobody has read, or nil at the end.
func (d *dates) take() *batch {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.next == d.ready && !d.closed {
		d.more.Wait()
	}
	if d.next >= d.ready {
		return nil
	}
	d.next++
	return d.all[d.next-1]
}

func (d *dates) date() {
	defer func() {
		if cause := recover(); cause != nil {
			d.fault.Store(fmt.Sprint(cause))
		}
	}()
	fd, err := unix.Open(d.dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	for b := d.take(); b != nil; b = d.take() {
		if err == nil {
			b.read(fd)
		}
		b.done.Store(true)
	}
}

// read finds out the times of all files, named relative to the open directory.
func (b *batch) read(root int) {
	for i := 0; i < len(b.entries); {
		folder, run := b.run(i)
		dir, skip := root, 0
		if run >= openFrom && folder != "" {
			if fd, err := unix.Openat(root, folder, openFolder, 0); err == nil {
				dir, skip = fd, len(folder)+1
			}
		}
		for ; run > 0; run-- {
			b.entries[i].read(dir, b.path(i)[skip:])
			i++
		}
		if dir != root {
			unix.Close(dir)
		}
	}
}

// run returns the directory of file i and how many files lie there in a row.
func (b *batch) run(i int) (folder string, n int) {
	slash := strings.LastIndexByte(b.path(i), '/')
	if slash < 0 {
		return "", 1
	}
	folder = b.path(i)[:slash]
	for n = 1; i+n < len(b.entries); n++ {
		if next := b.path(i + n); strings.LastIndexByte(next, '/') != slash || next[:slash] != folder {
			break
		}
	}
	return folder, n
}

func (e *entry) read(dir int, path string) {
	var st unix.Stat_t
	err := error(unix.EINTR) // which network file systems give back
	for err == unix.EINTR {
		err = unix.Fstatat(dir, path, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	switch err {
	case nil:
		e.sec, e.nsec = int64(st.Mtim.Sec), int32(st.Mtim.Nsec) //nolint:unconvert // 32 bits on some systems
		e.state = timed
	case unix.ENOENT, unix.ENOTDIR:
		e.state = gone
	}
}

// paths returns the collected files in the order in which they were listed.
func (d *dates) paths() []string {
	paths := make([]string, 0, d.n)
	for _, b := range d.all {
		for i := range b.entries {
			paths = append(paths, b.path(i))
		}
	}
	return paths
}

// at returns the path of file i.
func (d *dates) at(i int32) string { return d.all[i/dateBatch].path(int(i % dateBatch)) }

// sorted returns the collected files in order, and those that have vanished
// apart. Call it after finish.
func (d *dates) sorted(by Order, as *display) (sorted, vanished []string) {
	if by == OrderPath {
		paths := d.paths()
		slices.SortFunc(paths, func(a, b string) int { return comparePaths(as, a, b) })
		return paths, nil
	}
	keys := make([]dateKey, 0, d.n)
	var undated []string
	for n, b := range d.all {
		known := b.done.Load()
		for i := range b.entries {
			switch e := &b.entries[i]; {
			case known && e.state == timed:
				keys = append(keys, dateKey{e.sec, e.nsec, int32(n*dateBatch + i)})
			case known && e.state == gone:
				vanished = append(vanished, b.path(i))
			default:
				undated = append(undated, b.path(i))
			}
		}
	}
	d.sort(keys, by, as)
	sorted = make([]string, 0, len(keys)+len(undated))
	for _, k := range keys {
		sorted = append(sorted, d.at(k.file))
	}
	slices.SortFunc(undated, func(a, b string) int { return comparePaths(as, a, b) })
	slices.Sort(vanished)
	return append(sorted, undated...), vanished
}
