package resolve

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// Dir is a directory that words are taken from.
type Dir struct {
	// Base is canonical: no link, no dot, no slash at its end but for "/".
	Base string
	// Missing are the components below Base that do not exist.
	Missing []string
	// Logical is the PWD that a logical cd starts from; "" when it is not known
	// as a spelling and Base stands for it.
	Logical string
	// State is Canonical, AbsentTail or Lexical; Unestablishable with reason
	// and detail when relative words have no answer from here.
	State  State
	Reason Reason
	Detail string
	// Passed are the entries walked through to come here, when recorded.
	Passed Trail
}

// RootDir is the root of the file system.
var RootDir = Dir{Base: "/", State: Canonical}

// Place is where one path leads.
type Place struct {
	State  State
	Reason Reason
	Detail string
	// Path is canonical up to Tail. It is empty when nothing is touched.
	Path string
	// Tail is what does not exist of it.
	Tail string
	Kind execenv.Kind
	// DotDot: `..` was taken inside a part that does not exist.
	DotDot bool
	// Stream: Path is the device of a standard stream that the command inherits.
	Stream bool
	// Entry: the last component was not followed, so the place is the entry
	// itself, whatever may be put in its stead.
	Entry bool
	// Hops is how many links were followed.
	Hops int
	// Made are the directories that a program which makes what is missing
	// creates on the way, the path itself last.
	Made   []string
	Passed Trail
}

// Trail is what a walk passed, recorded when an earlier segment re-points names.
type Trail struct {
	Entries []string // every entry looked at, by canonical directory
	Links   []string // those of them that were links and followed
}

// At returns the place with its path: what is missing below a directory.
func (p Place) At(dir string, missing []string) Place {
	p.Tail = strings.Join(missing, "/")
	p.Path = dir
	if p.Tail != "" {
		p.Path = Join(dir, p.Tail)
	}
	return p
}

// Dir is the place as a directory to go on from; logical is the PWD there.
func (p Place) Dir(logical string) Dir {
	s := Dir{Logical: logical, State: p.State, Reason: p.Reason, Detail: p.Detail, Passed: p.Passed}
	switch {
	case p.State == Unestablishable:
	case p.Path == "":
		s.State, s.Reason = Unestablishable, CwdUnknown
	default:
		s.Base = p.Path
		if p.Tail != "" {
			s.Base = strings.TrimSuffix(strings.TrimSuffix(p.Path, p.Tail), "/")
			if s.Base == "" {
				s.Base = "/"
			}
			s.Missing = strings.Split(p.Tail, "/")
		}
	}
	return s
}

// Path is the directory itself.
func (s *Dir) Path() string {
	if len(s.Missing) == 0 {
		return s.Base
	}
	return Join(s.Base, strings.Join(s.Missing, "/"))
}

// PWD is the logical PWD.
func (s *Dir) PWD() string {
	if s.Logical != "" {
		return s.Logical
	}
	return s.Path()
}

// Join puts a name below a canonical directory. Nothing is cleaned.
func Join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// Parent is the parent of a canonical path, exact because it has no link.
func Parent(dir string) string {
	if i := strings.LastIndexByte(dir, '/'); i > 0 {
		return dir[:i]
	}
	return "/"
}

// Under reports whether a canonical path is root or lies below it.
func Under(path, root string) bool {
	return path == root || root == "/" || strings.HasPrefix(path, root) && path[len(root)] == '/'
}

// Clean is the textual reading of an absolute path, links unseen. It is
// for answers that say they are lexical, and for the shell's own logical cd,
// which works on the text; never for a path that is resolved afterwards.
func Clean(p string) string {
	var out []string
	for name := range strings.SplitSeq(p, "/") {
		switch name {
		case "", ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, name)
		}
	}
	return "/" + strings.Join(out, "/")
}
