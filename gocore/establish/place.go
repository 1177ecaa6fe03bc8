package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// spot is a directory that words are taken from.
type spot struct {
	// dir is canonical: no link, no dot, no slash at its end but for "/".
	dir string
	// missing are the components below dir that do not exist.
	missing []string
	// logical is the PWD a logical cd starts from; "" when it is not known
	// as a spelling and dir stands for it.
	logical string
	// state is Canonical, AbsentTail or Lexical; Unestablishable with reason
	// and detail when relative words have no answer from here.
	state  State
	reason Reason
	detail string
	// passed are the entries walked through to come here, when recorded.
	passed trail
}

var rootSpot = spot{dir: "/", state: Canonical}

// place is where one path leads.
type place struct {
	state  State
	reason Reason
	detail string
	// path is canonical up to tail. It is empty when nothing is touched.
	path string
	tail string
	kind execenv.Kind
	// dotdot: `..` was taken inside a part that does not exist.
	dotdot bool
	stream bool
	// entry: the last component was not followed, so the place is the entry
	// itself, whatever may be put in its stead.
	entry bool
	hops  int
	// made are the directories that a program which makes what is missing
	// creates on the way, the path itself last.
	made   []string
	passed trail
}

// trail is what a walk passed, recorded when an earlier segment re-points names.
type trail struct {
	entries []string // every entry looked at, by canonical directory
	links   []string // those of them that were links and followed
}

func (p place) at(dir string, missing []string) place {
	p.tail = strings.Join(missing, "/")
	p.path = dir
	if p.tail != "" {
		p.path = join(dir, p.tail)
	}
	return p
}

// asSpot makes a place a directory to go on from. logical is the PWD there.
func (p place) asSpot(logical string) spot {
	s := spot{logical: logical, state: p.state, reason: p.reason, detail: p.detail, passed: p.passed}
	switch {
	case p.state == Unestablishable:
	case p.path == "":
		s.state, s.reason = Unestablishable, CwdUnknown
	default:
		s.dir = p.path
		if p.tail != "" {
			s.dir = strings.TrimSuffix(strings.TrimSuffix(p.path, p.tail), "/")
			if s.dir == "" {
				s.dir = "/"
			}
			s.missing = strings.Split(p.tail, "/")
		}
	}
	return s
}

// path is the spot itself.
func (s *spot) path() string {
	if len(s.missing) == 0 {
		return s.dir
	}
	return join(s.dir, strings.Join(s.missing, "/"))
}

// pwd is the logical PWD.
func (s *spot) pwd() string {
	if s.logical != "" {
		return s.logical
	}
	return s.path()
}

// join puts a name below a canonical directory. Nothing is cleaned.
func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// parent is the parent of a canonical path, exact because it has no link.
func parent(dir string) string {
	if i := strings.LastIndexByte(dir, '/'); i > 0 {
		return dir[:i]
	}
	return "/"
}

// under reports whether a canonical path is root or lies below it.
func under(path, root string) bool {
	return path == root || root == "/" || strings.HasPrefix(path, root) && path[len(root)] == '/'
}

// lexicalClean is the textual reading of an absolute path, links unseen. It is
// for answers that say they are lexical, and for the shell's own logical cd,
// which works on the text; never for a path that is resolved afterwards.
func lexicalClean(p string) string {
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
