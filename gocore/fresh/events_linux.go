package fresh

import (
	"cmp"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// drain notes the names of all events that are in the queue at its beginning. Those
// that come meanwhile are of calls that had not returned before it.
func (t *Tree) drain() {
	for left := t.pending(); left > 0; {
		n, err := unix.Read(t.queue, t.buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return // EAGAIN: the queue is empty
		}
		left -= n
		for b := t.buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
			watch := int32(binary.NativeEndian.Uint32(b))
			mask := binary.NativeEndian.Uint32(b[4:])
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
			t.event(watch, mask, strings.TrimRight(string(b[unix.SizeofInotifyEvent:size]), "\x00"))
			b = b[size:]
		}
	}
}

// event notes one event. What it says may no longer be so (RENAME_EXCHANGE even
// sends "from" behind "to"): the name is looked at again, that is all.
func (t *Tree) event(watch int32, mask uint32, base string) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		t.lost = Overflow
		return
	}
	d := t.watches[watch]
	if d == nil || d.gone {
		return // of a watch that was taken off: the directory was listed again since
	}
	if mask&unix.IN_UNMOUNT != 0 {
		t.lost = Mounts
		return
	}
	if mask&unix.IN_IGNORED != 0 {
		delete(t.watches, watch) // the directory is gone, as its parent's event says
		d.watch = 0
		if d.Parent == nil {
			t.lost = RootReplaced
		}
		return
	}
	if base == "" {
		switch {
		case d.Parent != nil:
			if mask&unix.IN_ATTRIB != 0 {
				t.note(name{d.Parent, d.Name}, true)
			}
		case mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0:
			t.lost = RootReplaced
		case mask&unix.IN_ATTRIB != 0:
			t.note(name{d, ""}, true)
		}
		return
	}
	if ignoreNames[base] {
		t.ignores++
		d.ignores = true
	}
	folder := mask&unix.IN_ISDIR != 0
	if folder && vcs[base] {
		return
	}
	t.note(name{d, base}, folder)
}

func (t *Tree) note(n name, folder bool) { t.events[n] = t.events[n] || folder }

// look looks at every noted name again. Directories go first: all that is to be
// forgotten is forgotten before anything is met, since it may have moved to there.
func (t *Tree) look() {
	events := t.events
	t.events = map[name]bool{}
	for n, folder := range events {
		if folder && !n.dir.gone {
			t.forgetDir(n.dir, n.name)
		}
	}
	for n := range events {
		if n.dir.gone || t.lost != "" {
			continue
		}
		if n.name == "" {
			t.list(n.dir, t.rootFD)
			continue
		}
		t.haunt(n)
		t.lookAt(n)
	}
}

// haunt looks at the files that an event may be about although they do not lie at
// its name: the kernel gives the name by which the writer opened the file. That
// name may be gone, while others of the inode are there; and a file that was
// opened without one (O_TMPFILE) is called "#" and its inode for good.
func (t *Tree) haunt(n name) {
	id, known := t.ghosts[n]
	if number, ok := strings.CutPrefix(n.name, "#"); ok && !known {
		ino, err := strconv.ParseUint(number, 10, 64)
		var st unix.Stat_t
		if err != nil || unix.Fstatat(t.rootFD, cmp.Or(n.dir.Path(), "."), &st, 0) != nil {
			return
		}
		id, known = inode{identify(&st).dev, ino}, true
	}
	if !known {
		return
	}
	if t.byInode[id] == nil {
		delete(t.ghosts, n)
	}
	for f := t.byInode[id]; f != nil; f = f.twin {
		t.again(f)
	}
}

// lookAt makes the tree agree with what lies at a name now.
func (t *Tree) lookAt(n name) {
	rel := join(n.dir.Path(), n.name)
	var st unix.Stat_t
	err := unix.Fstatat(t.rootFD, rel, &st, unix.AT_SYMLINK_NOFOLLOW)
	kind := st.Mode & unix.S_IFMT
	if err == nil && kind == unix.S_IFREG {
		t.forgetDir(n.dir, n.name)
		t.meet(n.dir, n.name, &st)
		return
	}
	t.forgetFile(n.dir.Files[n.name])
	switch {
	case err == nil && kind == unix.S_IFDIR:
		if n.dir.Dirs[n.name] == nil && !vcs[n.name] {
			t.meetDir(n.dir, n.name, rel)
		}
	case err == nil, errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		t.forgetDir(n.dir, n.name)
	default:
		t.lost = Watches // a name that nothing can be said of
	}
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
