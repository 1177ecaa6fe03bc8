package search

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// statBatch is how many files one goroutine examines before it takes more:
// large enough that handing out work costs nothing, small enough to balance.
const statBatch = 256

// entry is a listed file and when it was modified. Seconds and nanoseconds stay
// apart: file systems hold times that nanoseconds in 64 bits (1677 to 2262) do
// not.
type entry struct {
	path      string
	sec, nsec int64
	state     entryState
}

type entryState uint8

const (
	timed   entryState = iota
	untimed            // the time could not be read: sorts behind all others
	gone
)

// order sorts paths, relative to dir, and returns those that have vanished
// apart. Times are read here, in parallel, because ripgrep's own --sort walks
// with a single thread and holds everything back until the end.
func order(dir string, paths []string, by Order, d *display) (sorted, vanished []string) {
	if by == OrderPath {
		slices.SortFunc(paths, func(a, b string) int { return comparePaths(d, a, b) })
		return slices.Compact(paths), nil
	}
	entries := make([]entry, len(paths))
	for i, path := range paths {
		entries[i].path = path
	}
	readTimes(dir, entries)
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		if e.state == gone {
			vanished = append(vanished, e.path)
		}
		return e.state == gone
	})
	slices.SortFunc(entries, func(a, b entry) int {
		if c := compareTimes(a, b, by); c != 0 {
			return c
		}
		return comparePaths(d, a.path, b.path)
	})
	sorted = make([]string, len(entries))
	for i, e := range entries {
		sorted[i] = e.path
	}
	slices.Sort(vanished)
	return slices.Compact(sorted), vanished
}

func compareTimes(a, b entry, by Order) int {
	if a.state != timed || b.state != timed {
		return cmp.Compare(a.state, b.state)
	}
	newer := cmp.Or(cmp.Compare(a.sec, b.sec), cmp.Compare(a.nsec, b.nsec))
	if by == OrderModifiedDesc {
		return -newer
	}
	return newer
}

// comparePaths compares what is displayed. Under one prefix that is the order of
// the paths themselves.
func comparePaths(d *display, a, b string) int {
	if d.inside == "" {
		return strings.Compare(a, b)
	}
	var scratch arena
	return strings.Compare(d.path(&scratch, a), d.path(&scratch, b))
}

// readTimes fills in the modification time of each entry.
func readTimes(dir string, entries []entry) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		for i := range entries {
			entries[i].state = untimed
		}
		return
	}
	defer unix.Close(fd)
	batches := make(chan []entry)
	var workers sync.WaitGroup
	var fault atomic.Value
	for range min(runtime.NumCPU(), 1+len(entries)/statBatch) {
		workers.Go(func() {
			// A panic comes out of the goroutine that asked, which may recover it.
			defer func() {
				if cause := recover(); cause != nil {
					fault.Store(fmt.Sprint(cause))
					for range batches { // nobody else may be there to take them
					}
				}
			}()
			for batch := range batches {
				for i := range batch {
					batch[i].read(fd)
				}
			}
		})
	}
	for batch := range slices.Chunk(entries, statBatch) {
		batches <- batch
	}
	close(batches)
	workers.Wait()
	if cause := fault.Load(); cause != nil {
		panic(cause)
	}
}

func (e *entry) read(dir int) {
	var st unix.Stat_t
	err := error(unix.EINTR) // which network file systems give back
	for err == unix.EINTR {
		err = unix.Fstatat(dir, e.path, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	switch err {
	case nil:
		e.sec, e.nsec = int64(st.Mtim.Sec), int64(st.Mtim.Nsec) //nolint:unconvert // 32 bits on some systems
	case unix.ENOENT, unix.ENOTDIR:
		e.state = gone
	default:
		e.state = untimed
	}
}
