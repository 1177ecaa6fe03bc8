package fresh_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
)

// Each test here writes in one way and says whether a barrier knows. Those of which
// it does not are the holes that docs/security.md names: when one of them closes,
// the test fails and the page is to be mended.

// hole is a tree with one file, "d/f", whose contents are known.
type hole struct {
	t     *testing.T
	root  string
	aside string
	tree  *fresh.Tree
}

func newHole(t *testing.T) *hole {
	base := scratch(t)
	h := &hole{t: t, root: base + "/tree", aside: base + "/aside"}
	require.NoError(t, os.MkdirAll(h.root+"/d", 0o755))
	require.NoError(t, os.MkdirAll(h.aside, 0o755))
	require.NoError(t, os.WriteFile(h.file(), []byte(strings.Repeat("old text\n", 20)), 0o644))
	h.watch()
	return h
}

func (h *hole) file() string { return h.root + "/d/f" }

func (h *hole) watch() {
	h.tree = watch(h.t, h.root)
	require.Empty(h.t, h.tree.Barrier())
	absorb(h.tree, h.root)
}

// seen reports whether everything that differs is known to.
func (h *hole) seen() bool {
	h.t.Helper()
	require.Empty(h.t, h.tree.Barrier())
	return len(misses(h.tree, h.root)) == 0
}

func (h *hole) open() int {
	fd, err := unix.Open(h.file(), unix.O_RDWR|unix.O_CLOEXEC, 0)
	require.NoError(h.t, err)
	return fd
}

func TestHoleSharedMapping(t *testing.T) {
	for name, sync := range map[string]bool{"as it is": false, "with msync": true} {
		t.Run(name, func(t *testing.T) {
			h := newHole(t)
			fd := h.open()
			m, err := unix.Mmap(fd, 0, 100, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			require.NoError(t, err)
			require.NoError(t, unix.Close(fd))
			require.True(t, h.seen())
			absorb(h.tree, h.root)
			copy(m, "NEW")
			if sync {
				require.NoError(t, unix.Msync(m, unix.MS_SYNC))
			}
			assert.False(t, h.seen(), "documented: not while it is mapped")
			require.NoError(t, unix.Munmap(m))
			assert.True(t, h.seen())
		})
	}
}

func TestHoleLinkOutside(t *testing.T) {
	h := newHole(t)
	require.NoError(t, os.Link(h.file(), h.aside+"/l"))
	assert.True(t, h.seen())
	require.NoError(t, os.WriteFile(h.aside+"/l", []byte("from outside"), 0o644))
	assert.False(t, h.seen(), "documented: the tree does not have that name")
}

func TestLinksWithinTheTree(t *testing.T) {
	h := newHole(t)
	require.NoError(t, os.Link(h.file(), h.root+"/other"))
	require.NoError(t, os.WriteFile(h.root+"/other", []byte("by the other name"), 0o644))
	assert.True(t, h.seen())
	absorb(h.tree, h.root)
	require.NoError(t, os.WriteFile(h.file(), []byte("by the first name"), 0o644))
	assert.True(t, h.seen())
	absorb(h.tree, h.root)

	// The name that was opened is removed; another one stays.
	fd := h.open()
	require.NoError(t, os.Remove(h.file()))
	assert.True(t, h.seen())
	absorb(h.tree, h.root)
	_, err := unix.Write(fd, []byte("by a name that is gone"))
	require.NoError(t, err)
	assert.True(t, h.seen())
	require.NoError(t, unix.Close(fd))
}

func TestHolePassingLink(t *testing.T) {
	h := newHole(t)
	h.tree.Lock() // so that no barrier comes between
	require.NoError(t, os.Link(h.file(), h.root+"/d/passing"))
	require.NoError(t, os.WriteFile(h.root+"/d/passing", []byte("written"), 0o644))
	require.NoError(t, os.Remove(h.root+"/d/passing"))
	h.tree.Unlock()
	assert.False(t, h.seen(), "documented: the name came and went between two barriers")
}

func TestAFileWithoutANameGetsOne(t *testing.T) {
	h := newHole(t)
	fd, err := unix.Open(h.root+"/d", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o644)
	if err != nil {
		t.Skip("O_TMPFILE is not to be had here:", err)
	}
	defer unix.Close(fd)
	require.NoError(t, unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+decimal(fd), unix.AT_FDCWD, h.root+"/d/t", unix.AT_SYMLINK_FOLLOW))
	assert.True(t, h.seen())
	absorb(h.tree, h.root)
	_, err = unix.Write(fd, []byte("late"))
	require.NoError(t, err)
	assert.True(t, h.seen())
}

func TestHoleAIO(t *testing.T) {
	h := newHole(t)
	fd := h.open()
	if !aioWrite(t, fd, []byte("NEW")) {
		t.Skip("the kernel has no libaio")
	}
	assert.False(t, h.seen(), "documented: seen when the file is closed")
	require.NoError(t, unix.Close(fd))
	assert.True(t, h.seen())
}

func TestSpliceIntoAnOpenFile(t *testing.T) {
	h := newHole(t)
	fd := h.open()
	defer unix.Close(fd)
	var p [2]int
	require.NoError(t, unix.Pipe(p[:]))
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	_, err := unix.Write(p[1], []byte("SPLICED"))
	require.NoError(t, err)
	_, err = unix.Splice(p[0], nil, fd, nil, 7, 0)
	require.NoError(t, err)
	assert.True(t, h.seen())
}

// Rule: what is mounted sends no event, and makes the tree say that it is lost.
func TestMountOver(t *testing.T) {
	h := newHole(t)
	if err := unix.Mount("none", h.root+"/d", "tmpfs", 0, ""); err != nil {
		t.Skip("nothing can be mounted here:", err)
	}
	assert.Equal(t, fresh.Mounts, h.tree.Barrier())
	tree, lost := fresh.Open(h.root, plenty)
	require.Empty(t, lost, "a tmpfs can be watched")
	require.NoError(t, unix.Unmount(h.root+"/d", 0))
	assert.Equal(t, fresh.Mounts, tree.Barrier())
	tree.Close()
}

// Rule: a mount elsewhere is no reason to lose a tree.
func TestMountElsewhere(t *testing.T) {
	h := newHole(t)
	if err := unix.Mount("none", h.aside, "tmpfs", 0, ""); err != nil {
		t.Skip("nothing can be mounted here:", err)
	}
	defer unix.Unmount(h.aside, 0)
	assert.Empty(t, h.tree.Barrier())
}

// Rule: only file systems that are known to send events are watched; others in the
// tree, too, make it unfit.
func TestFilesystems(t *testing.T) {
	for _, kind := range []string{"proc", "sysfs", "ramfs", "devpts", "cgroup2"} {
		h := newHole(t)
		if err := unix.Mount("none", h.aside, kind, 0, ""); err != nil {
			t.Logf("%s cannot be mounted here: %v", kind, err)
			continue
		}
		_, lost := fresh.Open(h.aside, plenty)
		assert.Equal(t, fresh.Filesystem, lost, kind)
		_, lost = fresh.Open(filepath.Dir(h.aside), plenty)
		assert.Equal(t, fresh.Filesystem, lost, kind)
		require.NoError(t, unix.Unmount(h.aside, unix.MNT_DETACH))
	}
	h := newHole(t)
	if err := unix.Mount("none", h.aside, "tmpfs", 0, ""); err != nil {
		t.Skip("nothing can be mounted here:", err)
	}
	defer unix.Unmount(h.aside, 0)
	tree, lost := fresh.Open(h.aside, plenty)
	require.Empty(t, lost)
	tree.Close()
}

// Rule: a directory that lies at two places of a tree cannot be watched at both.
func TestOneDirectoryAtTwoPlaces(t *testing.T) {
	h := newHole(t)
	require.NoError(t, os.Mkdir(h.root+"/twice", 0o755))
	if err := unix.Mount(h.root+"/d", h.root+"/twice", "", unix.MS_BIND, ""); err != nil {
		t.Skip("a bind mount cannot be made here:", err)
	}
	defer unix.Unmount(h.root+"/twice", 0)
	tree, lost := fresh.Open(h.root, plenty)
	if lost == "" {
		lost = tree.Barrier()
		tree.Close()
	}
	assert.Equal(t, fresh.Mounts, lost)
}

func TestRootReplaced(t *testing.T) {
	h := newHole(t)
	require.NoError(t, os.Rename(h.root, h.root+"2"))
	require.NoError(t, os.MkdirAll(h.root, 0o755))
	assert.Equal(t, fresh.RootReplaced, h.tree.Barrier())

	h = newHole(t)
	base := filepath.Dir(h.root)
	require.NoError(t, os.Rename(base, base+"-moved"))
	defer os.Rename(base+"-moved", base)
	assert.Equal(t, fresh.RootReplaced, h.tree.Barrier(), "an ancestor was renamed")
}

// Rule: bounds are kept, when a tree is opened and when it grows.
func TestBounds(t *testing.T) {
	h := newHole(t)
	require.NoError(t, os.WriteFile(h.root+"/second", nil, 0o644))
	_, lost := fresh.Open(h.root, fresh.Options{MaxFiles: 1, MaxWatches: 10})
	assert.Equal(t, fresh.TooLarge, lost)
	_, lost = fresh.Open(h.root, fresh.Options{MaxFiles: 10, MaxWatches: 1})
	assert.Equal(t, fresh.Watches, lost)
	_, lost = fresh.Open(h.root, fresh.Options{})
	assert.Equal(t, fresh.Watches, lost, "zero bounds admit nothing")
	tree, lost := fresh.Open(h.root, fresh.Options{MaxFiles: 2, MaxWatches: 2})
	require.Empty(t, lost)
	defer tree.Close()
	require.NoError(t, os.Mkdir(h.root+"/third", 0o755))
	assert.Equal(t, fresh.Watches, tree.Barrier())
}

// Rule: whatever changes what ripgrep walks is told, wherever it lies.
func TestIgnoreSources(t *testing.T) {
	base := scratch(t)
	top, root := base+"/top", base+"/top/tree"
	require.NoError(t, os.MkdirAll(root+"/sub", 0o755))
	require.NoError(t, os.WriteFile(base+"/shared", []byte("x\n"), 0o644))
	require.NoError(t, os.Symlink(base+"/shared", root+"/sub/.ignore"))
	git := func(dir string, args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@y"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	git(top, "init", "-q")
	require.NoError(t, os.WriteFile(root+"/f", nil, 0o644))
	git(top, "add", "-A")
	git(top, "commit", "-qm", "x")
	git(top, "worktree", "add", "-q", root+"/work")
	tree := watch(t, root)
	settled := func() uint64 {
		for { // until the stamps are old enough to be trusted
			require.Empty(t, tree.Barrier())
			tree.Lock()
			before := tree.Ignores()
			tree.Unlock()
			require.Empty(t, tree.Barrier())
			tree.Lock()
			after := tree.Ignores()
			tree.Unlock()
			if before == after {
				return after
			}
			runtime.Gosched()
		}
	}
	write := func(path string) func() {
		return func() { require.NoError(t, os.WriteFile(path, []byte("*.log\n"), 0o644)) }
	}
	for _, change := range []struct {
		what string
		make func()
	}{
		{"in the root", write(root + "/.gitignore")},
		{"further down", write(root + "/sub/.rgignore")},
		{"in an ancestor", write(base + "/.ignore")},
		{"of ripgrep's own, above", write(top + "/.rgignore")},
		{"of the repository", write(top + "/.git/info/exclude")},
		{"behind a link", write(base + "/shared")},
		{"a repository within", func() { git(root, "init", "-q", "within") }},
		{"the exclude file of that", write(root + "/within/.git/info/exclude")},
		{"an ancestor becomes one", func() { git(base, "init", "-q") }},
		{"a worktree's pointer is moved", write(top + "/.git/worktrees/work/commondir")},
	} {
		before := settled()
		change.make()
		require.Empty(t, tree.Barrier(), change.what)
		tree.Lock()
		assert.Greater(t, tree.Ignores(), before, change.what)
		tree.Unlock()
	}
	before := settled()
	require.NoError(t, os.WriteFile(root+"/sub/plain", nil, 0o644))
	require.Empty(t, tree.Barrier())
	tree.Lock()
	assert.Equal(t, before, tree.Ignores(), "a file changes nothing of it")
	tree.Unlock()
}

// Rule: a directory that cannot be listed is known as such, and looked at again
// when its rights change.
func TestUnreadableDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may list every directory")
	}
	h := newHole(t)
	require.NoError(t, os.Chmod(h.root+"/d", 0o300))
	require.Empty(t, h.tree.Barrier())
	h.tree.Lock()
	assert.Equal(t, int(unix.EACCES), h.tree.At("d").Unreadable)
	assert.Empty(t, h.tree.At("d").Files)
	h.tree.Unlock()
	require.NoError(t, os.Chmod(h.root+"/d", 0o755))
	require.Empty(t, h.tree.Barrier())
	h.tree.Lock()
	assert.Len(t, h.tree.At("d").Files, 1)
	h.tree.Unlock()
}

// Rule: a file that was read while it changed is not known.
func TestLearn(t *testing.T) {
	h := newHole(t)
	h.tree.Lock()
	f := h.tree.At("d").Files["f"]
	reading := h.tree.Read(f)
	h.tree.Unlock()
	require.NoError(t, os.WriteFile(h.file(), []byte("new"), 0o644))
	require.Empty(t, h.tree.Barrier())
	h.tree.Lock()
	assert.False(t, h.tree.Learn(reading, 7))
	assert.Zero(t, f.Tag)
	reading = h.tree.Read(f)
	state := f.State()
	h.tree.Unlock()
	require.NoError(t, os.WriteFile(h.root+"/d/new", []byte("newer"), 0o644))
	require.NoError(t, os.WriteFile(h.file(), []byte("newer"), 0o644))
	h.tree.Lock()
	h.tree.Learn(reading, 7)
	h.tree.Unlock()
	require.Empty(t, h.tree.Barrier())
	h.tree.Lock()
	assert.Zero(t, f.Tag, "what was not looked at yet takes the tag off again")
	assert.False(t, f.Still(state))
	state = f.State()
	h.tree.Unlock()
	require.NoError(t, os.Rename(h.root+"/d/new", h.file()))
	require.Empty(t, h.tree.Barrier())
	h.tree.Lock()
	assert.False(t, f.Still(state), "another file lies there")
	h.tree.Unlock()
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

// aioWrite writes with libaio's system calls, and reports whether the kernel did.
func aioWrite(t *testing.T, fd int, text []byte) bool {
	var context uintptr
	if _, _, errno := unix.Syscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&context)), 0); errno != 0 {
		return false
	}
	defer unix.Syscall(unix.SYS_IO_DESTROY, context, 0, 0)
	block := struct { // struct iocb
		data      uint64
		key, rw   uint32
		op        uint16
		priority  int16
		fd        uint32
		buf, size uint64
		offset    int64
		_         uint64
		flags, ev uint32
	}{op: 1, fd: uint32(fd), buf: uint64(uintptr(unsafe.Pointer(&text[0]))), size: uint64(len(text))}
	pointer := &block
	if _, _, errno := unix.Syscall(unix.SYS_IO_SUBMIT, context, 1, uintptr(unsafe.Pointer(&pointer))); errno != 0 {
		return false
	}
	var event [4]uint64
	n, _, errno := unix.Syscall6(unix.SYS_IO_GETEVENTS, context, 1, 1, uintptr(unsafe.Pointer(&event)), 0, 0)
	runtime.KeepAlive(text)
	require.Zero(t, errno)
	require.EqualValues(t, 1, n)
	require.EqualValues(t, len(text), event[2])
	return true
}
