package confine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Kind is what a name is, links not followed.
type Kind uint8

const (
	// Missing is also what cannot be looked at.
	Missing Kind = iota
	File
	Dir
	Link
)

// Entry is one name of a directory.
type Entry struct {
	Name string
	Kind Kind
}

// Tree is how Compile looks at the file system.
type Tree interface {
	// Kind says what lies at a path whose directories are no links.
	Kind(path string) Kind
	// Readlink is the text of a link.
	Readlink(path string) (string, error)
	// List are the names in a directory.
	List(path string) ([]Entry, error)
	// Read is the beginning of a small file.
	Read(path string) ([]byte, error)
	// Owner is who owns what lies at a path.
	Owner(path string) (uid uint32, ok bool)
	// Unheld names the file system at a path when Landlock cannot hold it.
	Unheld(path string) string
}

// HostTree is the file system of this machine.
type HostTree struct{}

func (HostTree) Kind(path string) Kind {
	info, err := os.Lstat(path)
	if err != nil {
		return Missing
	}
	return kindOf(info.Mode())
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode&fs.ModeSymlink != 0:
		return Link
	case mode.IsDir():
		return Dir
	}
	return File
}

func (HostTree) Readlink(path string) (string, error) { return os.Readlink(path) }

func (HostTree) List(path string) ([]Entry, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	found, err := dir.ReadDir(-1)
	entries := make([]Entry, 0, len(found))
	for _, e := range found {
		entries = append(entries, Entry{e.Name(), kindOf(e.Type())})
	}
	return entries, err
}

// maxPointer bounds the files of git that are read: they hold one path.
const maxPointer = 16 << 10

func (HostTree) Read(path string) ([]byte, error) {
	f, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPointer))
}

// maxLinks is the kernel's own number of links on one path.
const maxLinks = 40

// landing is where a path leads.
type landing struct {
	// path has no links in it, as far as it exists.
	path string
	// kind is Missing when the end of the path does not exist.
	kind Kind
	// links are the links passed, each at the place where it lies.
	links []string
}

var errLoop = errors.New("too many links")

// land follows an absolute path, component by component, as the kernel does.
func land(t Tree, text string) (landing, error) {
	l := landing{path: "/", kind: Dir}
	rest := components(text)
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			l.path = path.Dir(l.path)
			continue
		}
		next := join(l.path, name)
		if l.kind != Dir {
			l.path, l.kind = next, Missing
			continue
		}
		switch kind := t.Kind(next); kind {
		case Link:
			if len(l.links) == maxLinks {
				return l, errLoop
			}
			l.links = append(l.links, next)
			target, err := t.Readlink(next)
			if err != nil {
				return l, err
			}
			if strings.HasPrefix(target, "/") {
				l.path = "/"
			}
			rest = append(components(target), rest...)
		default:
			l.path, l.kind = next, kind
		}
	}
	return l, nil
}

func components(text string) []string {
	var out []string
	for name := range strings.SplitSeq(text, "/") {
		if name != "" && name != "." {
			out = append(out, name)
		}
	}
	return out
}

func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// under reports whether a path is a directory or lies below it.
func under(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}

func underAny(p string, dirs []string) bool {
	for _, dir := range dirs {
		if under(p, dir) {
			return true
		}
	}
	return false
}
