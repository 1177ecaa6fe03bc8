package resolve

import (
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// The process that resolves is not the process that opens. Below /proc/self and
// /dev/fd a path leads where the opener's own directory and descriptors are, so
// what the plan knows about them is used and the rest has no answer. The names
// are looked for after each link, not only in the spelling: a link in the tree
// may lead to /proc/self/root.

// Descriptors is what the command at hand has open, and how it uses the word.
type Descriptors struct {
	// Reads and Writes say that the word is only read, or written to.
	Reads, Writes bool
	// Words are what redirections open, by descriptor; empty where it is not known,
	// as where two open one.
	Words map[int]string
	// Shell is the directory that redirections are taken from, From the one of the
	// word: `git -C` moves only the word's.
	Shell, From *Dir
	// Several directories are possible, so /proc/self/cwd has no one answer.
	Several bool
	// depth counts words that lead to descriptors that lead to words.
	depth int
}

// Streams says which of the standard streams may have been opened for the other
// direction by a redirection of the same text, so that re-opening them by their
// device is no mere use of what the command inherits.
type Streams struct{ ReadDoubt, WriteDoubt bool }

// Magic reports whether a canonical path lies in the part of procfs that is
// about one process.
func Magic(p string) bool {
	rest, ok := strings.CutPrefix(p, "/proc/")
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(rest, "/")
	return processDir(name)
}

func processDir(name string) bool {
	if name == "self" || name == "thread-self" {
		return true
	}
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return name != ""
}

// magic handles a name that means something else for another process. handled
// says that it was one; done that the walk ends with it.
func (w *walk) magic(name string, more bool) (done, handled bool, err error) {
	switch {
	case w.cur == "/dev":
		switch name {
		case "stdin", "stdout", "stderr":
			if more {
				done, err = w.stop(ProcMagic, "/dev/"+name)
				return done, true, err
			}
			done, err = w.stream(map[string]int{"stdin": 0, "stdout": 1, "stderr": 2}[name], false)
			return done, true, err
		case "fd":
			done, err = w.descriptor(more)
			return done, true, err
		}
	case w.cur == "/proc" && processDir(name):
		done, err = w.process(name, more)
		return done, true, err
	case Magic(w.cur):
		done, err = w.stop(ProcMagic, Join(w.cur, name))
		return done, true, err
	}
	return false, false, nil
}

// process takes /proc/self and its kin with what comes next.
func (w *walk) process(name string, more bool) (bool, error) {
	for more {
		w.rest = strings.TrimLeft(w.rest, "/")
		next, after, further := strings.Cut(w.rest, "/")
		switch {
		case next == "." && further:
			w.rest = after
			continue
		case next == "..":
			w.rest = after
			return false, nil // back in /proc
		case name != "self" && name != "thread-self", !further && !w.Follow:
		case next == "root":
			w.rest, w.cur = after, "/"
			return false, nil
		case next == "cwd":
			if w.Fds == nil || w.Fds.Several || w.Fds.From == nil || w.Fds.From.State == Unestablishable {
				return w.stop(ProcMagic, "/proc/self/cwd")
			}
			w.rest, w.cur = after, w.Fds.From.Base
			if n := w.Fds.From.Missing; len(n) > 0 {
				w.missing, w.absent = append([]string(nil), n...), true
			}
			w.lexical = w.lexical || w.Fds.From.State == Lexical
			return false, nil
		case next == "fd":
			w.rest = after
			return w.descriptor(further)
		}
		break
	}
	return w.stop(ProcMagic, "/proc/"+name)
}

// descriptor takes the number after /dev/fd or /proc/self/fd.
func (w *walk) descriptor(more bool) (bool, error) {
	number, _, further := strings.Cut(strings.TrimLeft(w.rest, "/"), "/")
	fd, err := strconv.Atoi(number)
	if !more || further || err != nil || fd < 0 || strconv.Itoa(fd) != number || !w.Follow {
		return w.stop(ProcMagic, "/dev/fd/"+number)
	}
	return w.stream(fd, true)
}

// stream is a descriptor opened by its name: the file that the segment's own
// redirection opened, or a standard stream that the command inherits.
func (w *walk) stream(fd int, byNumber bool) (bool, error) {
	device := [...]string{"/dev/stdin", "/dev/stdout", "/dev/stderr"}
	name := "/dev/fd/" + strconv.Itoa(fd)
	if fd < len(device) && !byNumber {
		name = device[fd]
	}
	if w.Fds == nil || w.Fds.Shell == nil {
		return w.stop(ProcMagic, name)
	}
	if word, ok := w.Fds.Words[fd]; ok {
		if word == "" || w.Fds.depth > 0 {
			return w.stop(ProcMagic, name)
		}
		fds := *w.Fds
		fds.depth++
		p, err := w.Resolve(w.ctx, fds.Shell, word, Options{Follow: true, Record: w.Record, Fds: &fds})
		if err != nil {
			return true, err
		}
		p.Passed.Entries = append(p.Passed.Entries, w.out.Passed.Entries...)
		p.Passed.Links = append(p.Passed.Links, w.out.Passed.Links...)
		w.out = p
		return true, nil
	}
	switch {
	case fd == 0 && w.Fds.Reads && !w.Streams.ReadDoubt, (fd == 1 || fd == 2) && w.Fds.Writes && !w.Streams.WriteDoubt:
		w.out.State, w.out.Kind, w.out.Stream = Canonical, execenv.Other, true
		w.out.Path = device[fd]
		return true, nil
	}
	return w.stop(ProcMagic, name)
}
