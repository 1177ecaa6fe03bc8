package search

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// statBatch is how many files one goroutine examines before it takes more:
// large enough that handing out work costs nothing, small enough to balance.
const statBatch = 256

// entry is a listed file and when it was modified.
type entry struct {
	path  string
	nanos int64
	gone  bool
}

// unknownTime sorts a file whose time could not be read behind all others,
// whatever the direction.
const unknownTime = math.MaxInt64

// order sorts paths, relative to dir, and drops files that have vanished. Times
// are read here, in parallel, because ripgrep's own --sort walks with a single
// thread and holds everything back until the end.
func order(dir string, paths []string, by Order, d *display, result *GlobResult) []string {
	if by == OrderPath {
		slices.SortFunc(paths, func(a, b string) int { return comparePaths(d, a, b) })
		return slices.Compact(paths)
	}
	entries := make([]entry, len(paths))
	for i, path := range paths {
		entries[i].path = path
	}
	readTimes(dir, entries)
	var vanished []string
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		if e.gone {
			vanished = append(vanished, e.path)
		}
		return e.gone
	})
	slices.SortFunc(entries, func(a, b entry) int {
		if a.nanos != b.nanos {
			if by == OrderModifiedDesc && a.nanos != unknownTime && b.nanos != unknownTime {
				return cmp.Compare(b.nanos, a.nanos)
			}
			return cmp.Compare(a.nanos, b.nanos)
		}
		return comparePaths(d, a.path, b.path)
	})
	sorted := make([]string, len(entries))
	for i, e := range entries {
		sorted[i] = e.path
	}
	if len(vanished) > 0 {
		slices.Sort(vanished)
		result.Warnings = append(result.Warnings, vanishedWarning(vanished, d))
	}
	return slices.Compact(sorted)
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

func vanishedWarning(paths []string, d *display) Warning {
	var a arena
	w := Warning{Code: WarnVanished, Count: len(paths)}
	for _, path := range paths[:min(len(paths), maxShown)] {
		display, _ := escapeName(d.path(&a, path))
		w.Paths = append(w.Paths, display)
	}
	w.Message = plural(len(paths), "file") + " vanished during the search: " + listSome(w.Paths, len(paths))
	return w
}

// readTimes fills in the modification time of each entry.
func readTimes(dir string, entries []entry) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		for i := range entries {
			entries[i].nanos = unknownTime
		}
		return
	}
	defer unix.Close(fd)
	batches := make(chan []entry)
	var workers sync.WaitGroup
	for range min(runtime.NumCPU(), 1+len(entries)/statBatch) {
		workers.Go(func() {
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
}

func (e *entry) read(dir int) {
	var st unix.Stat_t
	switch err := unix.Fstatat(dir, e.path, &st, unix.AT_SYMLINK_NOFOLLOW); err {
	case nil:
		e.nanos = st.Mtim.Nano()
	case unix.ENOENT, unix.ENOTDIR:
		e.gone = true
	default:
		e.nanos = unknownTime
	}
}
