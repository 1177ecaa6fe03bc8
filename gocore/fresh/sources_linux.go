package fresh

import (
	"bytes"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// source is an ignore file, or something that decides where one counts, which
// sends this tree no event: it lies in an ancestor, in a repository's own
// directory, or behind a link. It is looked at in every barrier.
type source struct {
	path string
	is   stamp
}

// stamp tells that a file is another than it was.
type stamp struct {
	id           inode
	mode         uint32
	size         int64
	mtime, ctime int64
	// young is set when the file changed so shortly before it was looked at that
	// another change could leave the same stamp: it never equals a later one.
	young bool
}

const (
	// tick is what the coarsest clock of a trusted file system may be behind.
	tick = 20 * time.Millisecond
	// maxSources bounds what each barrier looks at. A tree of more repositories is
	// not watched.
	maxSources = 512
	// maxPointer bounds the file that says where a worktree's repository is.
	maxPointer = 16 << 10
)

func stampOf(path string) (s stamp) {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return stamp{}
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return stamp{id: identify(&st), mode: st.Mode} // that it is there counts, not what is in it
	}
	s = stamp{id: identify(&st), mode: st.Mode, size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano()}
	s.young = time.Since(time.Unix(0, max(s.mtime, s.ctime))) < tick
	return s
}

// checkSources finds out whether one of the sources is another than it was, and
// which there are when that may have changed.
func (t *Tree) checkSources() {
	for i := range t.outside {
		s := &t.outside[i]
		now := stampOf(s.path)
		if s.is.young || now != s.is {
			t.ignores++
			break
		}
	}
	if t.sourced == t.ignores {
		return
	}
	t.sourced = t.ignores
	t.outside = nil
	dir := t.root
	for {
		if dir != t.root { // the root sends events itself
			for _, name := range []string{".ignore", ".rgignore", ".gitignore", ".jj"} {
				t.source(joinPath(dir, name))
			}
			t.source(joinPath(dir, ".git"))
			t.repository(joinPath(dir, ".git"))
		}
		if dir == "/" {
			break
		}
		dir = path.Dir(dir)
	}
	t.top.Walk(nil, func(rel string, d *Dir) {
		if d.ignores {
			t.inside(joinPath(t.root, rel))
		}
	})
	if len(t.outside) > maxSources {
		t.lost = TooLarge
	}
}

// inside adds what a directory of the tree refers to.
func (t *Tree) inside(dir string) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	for _, name := range []string{".ignore", ".rgignore", ".gitignore"} {
		if is := t.linkAt(fd, name); is {
			t.source(joinPath(dir, name))
		}
	}
	var st unix.Stat_t
	if unix.Fstatat(fd, ".git", &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		if st.Mode&unix.S_IFMT == unix.S_IFLNK {
			t.source(joinPath(dir, ".git"))
		}
		t.repository(joinPath(dir, ".git"))
	}
}

func (t *Tree) linkAt(fd int, name string) bool {
	var st unix.Stat_t
	return unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

func (t *Tree) source(path string) {
	t.outside = append(t.outside, source{path, stampOf(path)})
}

// repository adds the ignore file of a repository, whose ".git" may be a file that
// says where it is (a worktree, a submodule).
func (t *Tree) repository(git string) {
	info, err := os.Stat(git)
	if err != nil {
		return
	}
	if info.IsDir() {
		t.source(joinPath(git, "info/exclude"))
		return
	}
	dir, ok := pointer(git, "gitdir: ")
	if !ok {
		return
	}
	if !path.IsAbs(dir) {
		dir = joinPath(path.Dir(git), dir)
	}
	common := joinPath(dir, "commondir")
	t.source(common)
	if to, ok := pointer(common, ""); ok {
		if !path.IsAbs(to) {
			to = joinPath(dir, to)
		}
		t.source(joinPath(to, "info/exclude"))
	}
	t.source(joinPath(dir, "info/exclude"))
}

// pointer reads a file of one line.
func pointer(name, prefix string) (to string, ok bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return "", false
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", false
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return strings.CutPrefix(strings.TrimRight(string(line), "\r"), prefix)
}

// joinPath puts name behind dir without resolving anything.
func joinPath(dir, name string) string {
	switch {
	case name == "":
		return dir
	case strings.HasSuffix(dir, "/"):
		return dir + name
	}
	return dir + "/" + name
}
