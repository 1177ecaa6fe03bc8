package fresh

import (
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// watchMask is everything that may change a name, a file's contents or its
	// times. Reading changes nothing and is not watched.
	watchMask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
		unix.IN_CLOSE_WRITE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR
	// queueBytes is how much of the queue is read at once: some thousand events.
	queueBytes = 64 << 10
	// readPause is how long the reader lets events gather. The kernel holds 16,384
	// of them: a writer that fills the queue meanwhile would need a name a
	// microsecond.
	readPause = 2 * time.Millisecond
	// maxGhosts bounds how many removed names are remembered (see Tree.haunt). Names
	// come and go in such numbers only where links are made to be removed.
	maxGhosts = 10_000
	// maxRounds bounds how often one barrier looks at directories again that moved
	// while it looked. More means that one directory lies at two places of the tree.
	maxRounds = 8
)

// Tree is a directory tree that is watched. All of its methods but Close and
// Barrier want it locked.
type Tree struct {
	root    string
	rootID  inode
	rootFD  int
	options Options

	notify   *os.File // the inotify instance
	queue    int      // its descriptor
	buf      []byte
	mounts   int      // the mount table, which tells when it changed
	mounted  string   // what the table said about the tree
	outside  []source // ignore files that send no event
	sourced  uint64   // ignores when outside was collected
	reader   sync.WaitGroup
	stopping chan struct{}

	mu      sync.Mutex
	top     *Dir
	watches map[int32]*Dir
	byInode map[inode]*File
	changed map[*File]struct{}
	ghosts  map[name]inode // names that were removed while their inode has others
	events  map[name]bool  // whether what happened is about a directory
	files   int
	clock   uint64
	ignores uint64
	names   uint64
	lost    Lost
	closed  bool
}

// name is a name in a directory.
type name struct {
	dir  *Dir
	name string
}

// Open watches the tree beneath root, which is a path without links (Canonical).
// Every file counts as changed at first. It takes as long as a listing does.
func Open(root string, o Options) (*Tree, Lost) {
	t := &Tree{
		root: root, options: o, rootFD: -1, queue: -1, mounts: -1, stopping: make(chan struct{}), buf: make([]byte, queueBytes),
		watches: map[int32]*Dir{}, byInode: map[inode]*File{}, changed: map[*File]struct{}{}, events: map[name]bool{}, ghosts: map[name]inode{},
	}
	if lost := t.open(); lost != "" {
		t.release()
		return nil, lost
	}
	t.reader.Go(t.read)
	return t, ""
}

func (t *Tree) open() Lost {
	var err error
	if t.rootFD, err = unix.Open(t.root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0); err != nil {
		return RootReplaced
	}
	var st unix.Stat_t
	if err := unix.Fstat(t.rootFD, &st); err != nil {
		return RootReplaced
	}
	t.rootID = identify(&st)
	// Not through package os: its poller would take the news that is meant for us.
	if t.mounts, err = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return Platform
	}
	mountTableChanged(t.mounts)
	var lost Lost
	if t.mounted, lost = mountsBeneath(t.root); lost != "" {
		return lost
	}
	if t.queue, err = unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC); err != nil {
		return Watches // the limit on instances
	}
	t.notify = os.NewFile(uintptr(t.queue), "inotify")
	t.options.MaxWatches = min(t.options.MaxWatches, halfOfWatches())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.top = &Dir{}
	t.ignores++
	t.list(t.top, t.rootFD)
	if t.lost == "" && t.top.Unreadable != 0 {
		return Watches
	}
	return t.lost
}

func (t *Tree) release() {
	if t.rootFD >= 0 {
		unix.Close(t.rootFD)
	}
	if t.mounts >= 0 {
		unix.Close(t.mounts)
	}
	if t.notify != nil {
		t.notify.Close()
	}
}

// Close ends the watch. The tree stays as it was seen last.
func (t *Tree) Close() {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.closed, t.lost = true, Closed
	close(t.stopping)
	t.notify.Close() // which wakes the reader
	t.mu.Unlock()
	t.reader.Wait()
	t.notify = nil
	t.release()
}

// read empties the queue all the time, so that it does not overflow between two
// barriers. Nothing is done while nothing happens.
func (t *Tree) read() {
	defer t.recovered()
	raw, err := t.notify.SyscallConn()
	if err != nil {
		return
	}
	for {
		waited := false
		err := raw.Read(func(uintptr) bool {
			if waited {
				return true
			}
			waited = t.pending() == 0
			return !waited
		})
		if err != nil {
			return // closed
		}
		if t.attend() != "" {
			return
		}
		pause := time.NewTimer(readPause)
		select {
		case <-pause.C:
		case <-t.stopping:
			pause.Stop()
			return
		}
	}
}

// attend looks at what is in the queue, and reports whether the tree is lost.
func (t *Tree) attend() Lost {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost == "" {
		t.settle()
	}
	return t.lost
}

// recovered makes a fault of ours the end of the tree, not of the process.
func (t *Tree) recovered() {
	if recover() == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lost = Fault
}

// pending returns how many bytes are in the queue. (TIOCINQ is Linux's FIONREAD.)
func (t *Tree) pending() int {
	n, err := unix.IoctlGetInt(t.queue, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// Barrier makes everything known that was complete when it was called, or says why
// it cannot.
func (t *Tree) Barrier() Lost {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost != "" {
		return t.lost
	}
	t.settle()
	if t.lost != "" {
		return t.lost
	}
	var st unix.Stat_t
	if err := unix.Stat(t.root, &st); err != nil || identify(&st) != t.rootID {
		t.lost = RootReplaced
		return t.lost
	}
	if mountTableChanged(t.mounts) {
		if now, lost := mountsBeneath(t.root); lost != "" || now != t.mounted {
			t.lost = Mounts
			return t.lost
		}
	}
	t.checkSources()
	return t.lost
}

// settle reads what is in the queue now and looks at every name again that an
// event was about.
func (t *Tree) settle() {
	t.drain()
	for round := 0; len(t.events) > 0 && t.lost == ""; round++ {
		if round == maxRounds {
			t.lost = Mounts
			return
		}
		t.clock++
		t.look()
	}
}

// Lock lets nothing change the tree until Unlock.
func (t *Tree) Lock() { t.mu.Lock() }

// Unlock ends Lock.
func (t *Tree) Unlock() { t.mu.Unlock() }

// Root returns the root.
func (t *Tree) Root() *Dir { return t.top }

// At returns the directory at a path relative to the root, or nil.
func (t *Tree) At(rel string) *Dir {
	d := t.top
	if rel == "" {
		return d
	}
	for part := range strings.SplitSeq(rel, "/") {
		if d = d.Dirs[part]; d == nil {
			return nil
		}
	}
	return d
}

// Len returns how many files there are, Watched how many directories are watched
// and Changed how many files have no tag.
func (t *Tree) Len() int { return t.files }

// Watched is the second of the three.
func (t *Tree) Watched() int { return len(t.watches) }

// Changed is the third.
func (t *Tree) Changed() int { return len(t.changed) }

// EachChanged goes through the files that have no tag, in no order.
func (t *Tree) EachChanged() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for f := range t.changed {
			if !yield(f) {
				return
			}
		}
	}
}

// Read is called before the contents of a file are read.
func (t *Tree) Read(f *File) Reading { return Reading{f, f.seq} }

// Learn gives the file its tag, unless something happened to it since Read. What
// happened and has not been looked at yet takes the tag off again.
func (t *Tree) Learn(r Reading, tag uint64) bool {
	if r.File.gone || r.File.seq != r.seq {
		return false
	}
	r.File.Tag = tag
	delete(t.changed, r.File)
	return true
}

// Forget takes the tag off a file, as if it had changed.
func (t *Tree) Forget(f *File) {
	if !f.gone {
		t.touch(f)
	}
}

// Ignores is another number whenever what ripgrep walks may have become another,
// beside the coming and going of files.
func (t *Tree) Ignores() uint64 { return t.ignores }

// Names is another number whenever a file has come to a name or left one, or a
// directory has.
func (t *Tree) Names() uint64 { return t.names }

// Moment is a point in time for MetBy.
func (t *Tree) Moment() uint64 { return t.clock }

// MetBy reports whether a file has lain at its name since before the moment.
func (t *Tree) MetBy(f *File, moment uint64) bool { return !f.gone && f.born <= moment }

// Canonical returns the path of a directory without links, as the kernel names it.
func Canonical(dir string) (path string, err error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	path, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err == nil && (!strings.HasPrefix(path, "/") || strings.HasSuffix(path, " (deleted)")) {
		err = os.ErrNotExist
	}
	return path, err
}

func identify(st *unix.Stat_t) inode { return inode{uint64(st.Dev), st.Ino} } //nolint:unconvert // 32 bits on some systems
