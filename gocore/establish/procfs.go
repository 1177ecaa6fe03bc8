package establish

import (
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// The process that resolves is not the process that opens. Below /proc/self and
// /dev/fd a path leads where the opener's own directory and descriptors are, so
// what the plan knows about them is used and the rest has no answer. The names
// are looked for after each link, not only in the spelling: a link in the tree
// may lead to /proc/self/root.

// descriptors is what a segment opens, and how the word at hand uses it.
type descriptors struct {
	access shellplan.Access
	// words are the redirections of the segment by descriptor; nil where two
	// different words open one.
	words map[int]*shellplan.Word
	// shell is the directory that the redirections are taken from, from the one
	// of the word: `git -C` moves only the word's.
	shell, from *spot
	// several directories are possible, so /proc/self/cwd has no one answer.
	several bool
	// depth counts words that lead to descriptors that lead to words.
	depth int
}

func descriptorsOf(s *shellplan.Segment) map[int]*shellplan.Word {
	words := map[int]*shellplan.Word{}
	put := func(fd int, w *shellplan.Word) {
		if old, ok := words[fd]; ok && (old == nil || string(old.Raw) != string(w.Raw)) {
			w = nil
		}
		words[fd] = w
	}
	for i := range s.Candidates {
		c := &s.Candidates[i]
		if c.Redirect == nil {
			continue
		}
		if c.Redirect.Fd >= 0 {
			put(c.Redirect.Fd, &c.Word)
		} else {
			put(1, &c.Word)
			put(2, &c.Word)
		}
	}
	return words
}

// magicPath reports whether a canonical path lies in the part of procfs that is
// about one process.
func magicPath(p string) bool {
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
	case magicPath(w.cur):
		done, err = w.stop(ProcMagic, join(w.cur, name))
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
		case name != "self" && name != "thread-self", !further && !w.follow:
		case next == "root":
			w.rest, w.cur = after, "/"
			return false, nil
		case next == "cwd":
			if w.fds == nil || w.fds.several || w.fds.from == nil || w.fds.from.state == Unestablishable {
				return w.stop(ProcMagic, "/proc/self/cwd")
			}
			w.rest, w.cur = after, w.fds.from.dir
			if n := w.fds.from.missing; len(n) > 0 {
				w.missing, w.absent = append([]string(nil), n...), true
			}
			w.lexical = w.lexical || w.fds.from.state == Lexical
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
	if !more || further || err != nil || fd < 0 || strconv.Itoa(fd) != number || !w.follow {
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
	if w.fds == nil || w.fds.shell == nil {
		return w.stop(ProcMagic, name)
	}
	if word, ok := w.fds.words[fd]; ok {
		if word == nil || word.Pattern || w.fds.depth > 0 {
			return w.stop(ProcMagic, name)
		}
		fds := *w.fds
		fds.depth++
		p, err := w.resolve(fds.shell, string(word.Raw), how{follow: true, record: w.record, fds: &fds})
		if err != nil {
			return true, err
		}
		p.passed.entries = append(p.passed.entries, w.out.passed.entries...)
		p.passed.links = append(p.passed.links, w.out.passed.links...)
		w.out = p
		return true, nil
	}
	reads := w.fds.access == shellplan.AccessRead || w.fds.access == shellplan.AccessStat
	switch {
	case fd == 0 && reads && !w.streams.readDoubt, (fd == 1 || fd == 2) && w.fds.access == shellplan.AccessWrite && !w.streams.writeDoubt:
		w.out.state, w.out.kind, w.out.stream = Canonical, execenv.Other, true
		w.out.path = device[fd]
		return true, nil
	}
	return w.stop(ProcMagic, name)
}
