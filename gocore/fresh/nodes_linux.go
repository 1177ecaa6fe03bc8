package fresh

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// meetDir watches a directory that lies at a name, and lists it.
func (t *Tree) meetDir(parent *Dir, base, rel string) {
	d := &Dir{Name: base, Parent: parent}
	fd, err := unix.Openat(t.rootFD, rel, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	switch {
	case err == nil:
		defer unix.Close(fd)
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return // it has become something else, and an event says so
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		// Whoever may not list it may not watch it: when its rights change, its parent
		// is told.
		d.Unreadable = int(err.(unix.Errno)) //nolint:errorlint // package unix returns it bare
	default:
		t.lost = Watches // a path that is too long, no descriptors left
		return
	}
	if parent.Dirs == nil {
		parent.Dirs = map[string]*Dir{}
	}
	parent.Dirs[base] = d
	t.names++
	if d.Unreadable == 0 {
		t.list(d, fd)
	}
}

// list watches the directory open at fd and meets everything in it. The watch is
// there before the listing, so that nothing slips in between.
func (t *Tree) list(d *Dir, fd int) {
	if len(t.watches) >= t.options.MaxWatches {
		t.lost = Watches
		return
	}
	// Through the descriptor it is this directory, whatever lies at its path.
	watch, err := unix.InotifyAddWatch(t.queue, fmt.Sprintf("/proc/self/fd/%d", fd), watchMask)
	if err != nil {
		t.lost = Watches
		return
	}
	if old := t.watches[int32(watch)]; old != nil && old != d {
		// It lay elsewhere a moment ago and the event is still to be read; or it lies
		// at both places, which the bound of rounds finds out.
		if old.Parent != nil {
			old.watch = 0
			t.note(name{old.Parent, old.Name}, true)
		} else {
			t.lost = Mounts
			return
		}
	}
	d.watch = int32(watch)
	t.watches[d.watch] = d
	base := d.Path()
	err = readDir(fd, func(child string, kind uint8) bool {
		if ignoreNames[child] {
			t.ignores++
			d.ignores = true
		}
		var st unix.Stat_t
		switch kind {
		case unix.DT_REG:
			if err := unix.Fstatat(fd, child, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
				st = unix.Stat_t{} // it is gone, as an event says; or nobody may ask
			} else if st.Mode&unix.S_IFMT != unix.S_IFREG {
				return true
			}
			t.meet(d, child, &st)
		case unix.DT_DIR:
			if !vcs[child] && d.Dirs[child] == nil {
				t.meetDir(d, child, join(base, child))
			}
		}
		return t.lost == ""
	})
	if err != nil && !errors.Is(err, unix.ENOENT) {
		t.lost = Watches
	}
}

// meet takes note of a regular file. What is known of its contents is known no
// more, nor what is known of those of its other names.
func (t *Tree) meet(d *Dir, base string, st *unix.Stat_t) {
	f := d.Files[base]
	if f == nil {
		if t.files++; t.files > t.options.MaxFiles {
			t.lost = TooLarge
			return
		}
		f = &File{Name: base, Dir: d, born: t.clock}
		if d.Files == nil {
			d.Files = map[string]*File{}
		}
		d.Files[base] = f
		t.names++
	}
	t.touch(f)
	for other := range t.twins(f) {
		t.again(other) // by the inode that it was
	}
	t.unlink(f)
	f.take(st)
	if f.Known {
		t.link(f)
		for other := range t.twins(f) {
			t.touch(other) // by the inode that it is
			other.take(st)
		}
	}
}

// again looks at another name of a file that changed: the file may have gone on
// without the name that was looked at.
func (t *Tree) again(f *File) {
	var st unix.Stat_t
	if unix.Fstatat(t.rootFD, f.Path(), &st, unix.AT_SYMLINK_NOFOLLOW) == nil && identify(&st) == f.id {
		f.take(&st)
	}
	t.touch(f)
}

// touch takes the tag off a file.
func (t *Tree) touch(f *File) {
	f.seq++
	f.Tag = 0
	t.changed[f] = struct{}{}
}

// take notes what the system says of a file. A zero status is that it says nothing.
func (f *File) take(st *unix.Stat_t) {
	f.Known = st.Ino != 0
	f.Sec, f.Nsec = int64(st.Mtim.Sec), int32(st.Mtim.Nsec) //nolint:unconvert // 32 bits on some systems
	f.Size = st.Size
	f.id = identify(st)
}

// twins are the other names of the inode that a file is known by.
func (t *Tree) twins(f *File) map[*File]struct{} {
	if !f.linked || t.byInode[f.id] == f && f.twin == nil {
		return nil
	}
	all := map[*File]struct{}{}
	for other := t.byInode[f.id]; other != nil; other = other.twin {
		if other != f {
			all[other] = struct{}{}
		}
	}
	return all
}

func (t *Tree) link(f *File) {
	f.twin, f.linked = t.byInode[f.id], true
	t.byInode[f.id] = f
}

func (t *Tree) unlink(f *File) {
	if !f.linked {
		return
	}
	f.linked = false
	first := t.byInode[f.id]
	if first == f {
		if f.twin == nil {
			delete(t.byInode, f.id)
		} else {
			t.byInode[f.id] = f.twin
		}
		f.twin = nil
		return
	}
	for ; first != nil; first = first.twin {
		if first.twin == f {
			first.twin, f.twin = f.twin, nil
			return
		}
	}
}

// forgetFile takes a file out of the tree.
func (t *Tree) forgetFile(f *File) {
	if f == nil {
		return
	}
	for other := range t.twins(f) {
		t.again(other)
		t.ghosts[name{f.Dir, f.Name}] = f.id
	}
	if len(t.ghosts) > maxGhosts {
		t.lost = Overflow
	}
	t.drop(f)
	delete(f.Dir.Files, f.Name)
}

func (t *Tree) drop(f *File) {
	t.unlink(f)
	f.gone = true
	f.Tag = 0
	delete(t.changed, f)
	t.files--
	t.names++
}

// forgetDir takes a directory and everything beneath it out of the tree. Without a
// name it is the root, of which everything beneath is forgotten.
func (t *Tree) forgetDir(parent *Dir, base string) {
	d := parent
	if base != "" {
		if d = parent.Dirs[base]; d == nil {
			return
		}
		delete(parent.Dirs, base)
	}
	t.bury(d, base != "")
}

func (t *Tree) bury(d *Dir, gone bool) {
	t.names++
	d.gone = gone
	if gone && d.watch != 0 {
		if t.watches[d.watch] == d {
			_, _ = unix.InotifyRmWatch(t.queue, uint32(d.watch)) // EINVAL: it went with the directory
			delete(t.watches, d.watch)
		}
		d.watch = 0
	}
	for _, f := range d.Files {
		for other := range t.twins(f) {
			t.again(other)
		}
		t.drop(f)
	}
	for _, sub := range d.Dirs {
		t.bury(sub, true)
	}
	d.Files, d.Dirs = nil, nil
}
