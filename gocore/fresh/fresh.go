package fresh

import "strings"

// Lost is why nothing can be said of a tree; the zero value is that there is no
// such reason. It may pass: another tree, opened later, may do better.
type Lost string

// The reasons.
const (
	// Platform: this system has nothing that a barrier could be made of.
	Platform Lost = "platform"
	// Filesystem: what lies there is not known to send an event for every change.
	Filesystem Lost = "filesystem"
	// TooLarge: there are more files than were allowed.
	TooLarge Lost = "too-large"
	// Watches: a directory cannot be watched, or there are too many.
	Watches Lost = "watches"
	// Overflow: events were dropped, since nobody read them in time.
	Overflow Lost = "overflow"
	// Mounts: something was mounted or unmounted in the tree.
	Mounts Lost = "mounts"
	// RootReplaced: the root is gone, or another directory lies at its path.
	RootReplaced Lost = "root-replaced"
	// Fault: this package has a fault, which it says nothing more of.
	Fault Lost = "fault"
	// Closed: nobody watches any more.
	Closed Lost = "off"
)

// Options bound a tree. Zero bounds admit nothing.
type Options struct {
	MaxFiles   int
	MaxWatches int
}

// vcs are the directories that hold version-control metadata. They are not
// looked into: nothing in them is ever listed, and git alone writes there a lot.
var vcs = map[string]bool{".git": true, ".svn": true, ".hg": true, ".bzr": true, ".jj": true, ".sl": true}

// ignoreNames are the names that change what ripgrep walks: its ignore files, and
// what marks a repository, in which alone a .gitignore counts.
var ignoreNames = map[string]bool{".gitignore": true, ".ignore": true, ".rgignore": true, ".git": true, ".jj": true}

// Dir is a directory of a tree. It may be used only while the tree is locked.
type Dir struct {
	Name   string
	Parent *Dir // nil for the root
	Dirs   map[string]*Dir
	Files  map[string]*File
	// Unreadable is the system's error number when the directory cannot be listed.
	Unreadable int

	watch   int32
	gone    bool
	ignores bool // it has held a name that changes what is walked
}

// File is a regular file of a tree. It may be used only while the tree is locked.
type File struct {
	Name string
	Dir  *Dir
	// Sec and Nsec are when the file was modified, when Known is set.
	Sec  int64
	Nsec int32
	// Known is set when the system told about the file itself.
	Known bool
	// Size is how many bytes it has.
	Size int64
	// Tag belongs to the owner of the tree: what he knows of the contents. It
	// becomes 0 when they may have changed.
	Tag uint64
	// Note belongs to the owner, too: what he knows of the name. It becomes 0 when
	// another file may lie there.
	Note uint8

	gone   bool
	seq    uint32 // raised by every event
	born   uint64 // the tree's clock when it was met
	id     inode
	twin   *File // another name of the same inode
	linked bool  // it stands in the table of inodes
}

type inode struct{ dev, ino uint64 }

// Path returns the path relative to the root of the tree.
func (f *File) Path() string {
	var b strings.Builder
	f.Dir.write(&b)
	b.WriteString(f.Name)
	return b.String()
}

// Path returns the path relative to the root of the tree; the root's is "".
func (d *Dir) Path() string {
	var b strings.Builder
	d.write(&b)
	return strings.TrimSuffix(b.String(), "/")
}

// write appends the path with its slash.
func (d *Dir) write(b *strings.Builder) {
	if d.Parent == nil {
		return
	}
	d.Parent.write(b)
	b.WriteString(d.Name)
	b.WriteByte('/')
}

// Walk calls f for every file at and beneath a directory, and dir for every
// directory, both with the path relative to the directory where it began; either
// may be nil.
func (d *Dir) Walk(f func(rel string, file *File), dir func(rel string, d *Dir)) {
	d.walk("", f, dir)
}

func (d *Dir) walk(prefix string, f func(string, *File), dir func(string, *Dir)) {
	if dir != nil {
		dir(strings.TrimSuffix(prefix, "/"), d)
	}
	if f != nil {
		for name, file := range d.Files {
			f(prefix+name, file)
		}
	}
	for name, sub := range d.Dirs {
		sub.walk(prefix+name+"/", f, dir)
	}
}

// State is what a file was at a moment. Nothing has happened to a file as long as
// its state is the same.
type State struct{ seq uint32 }

// State returns the state of now.
func (f *File) State() State { return State{f.seq} }

// Still reports whether nothing has happened to the file since the state was taken.
func (f *File) Still(s State) bool { return !f.gone && f.seq == s.seq }

// Gone reports whether the file has left its name.
func (f *File) Gone() bool { return f.gone }

// Reading is the promise to read a file: see Tree.Read and Tree.Learn.
type Reading struct {
	File *File
	seq  uint32
}

// Unwatched reports whether directories of a name are left out of every tree.
func Unwatched(name string) bool { return vcs[name] }
