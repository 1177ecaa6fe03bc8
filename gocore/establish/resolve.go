package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// how says in which way a word is resolved.
type how struct {
	// follow the last component when it is a link. A word that ends in a
	// slash, `.` or `..` is followed all the same.
	follow bool
	// reads says that nothing is created where the word leads.
	reads bool
	// record the entries passed.
	record bool
	// fds maps the descriptors that the segment opens.
	fds *descriptors
}

// resolve finds where word leads from a directory. The error is only ever the
// end of the context. A word that the environment answers for at once costs one
// question; everything else is walked.
func (r *run) resolve(from *spot, word string, h how) (place, error) {
	if word == "" {
		return place{state: AbsentTail, reason: EmptyWord}, nil
	}
	if word[0] == '/' {
		from = &rootSpot
	} else if from.state == Unestablishable {
		return place{reason: from.reason, detail: from.detail}, nil
	}
	if len(word) > r.caps.PathBytes() {
		return place{state: AbsentTail, reason: PathTooLong}, nil
	}
	if endsInDirectory(word) {
		h.follow = true
	}
	denied := false
	if from.state == Canonical && !h.record && r.trustsCanonical() {
		p, ok, err := r.ask(from, word, h)
		if err != nil || ok {
			p.entry = !h.follow
			return p, err
		}
		denied = p.reason == SearchDenied
	}
	w := walk{run: r, how: h, word: word, cur: from.dir, missing: from.missing, lexical: from.state == Lexical, denied: denied}
	p, err := w.walk()
	p.entry = !h.follow
	if h.record && word[0] != '/' {
		p.passed.entries = append(p.passed.entries, from.passed.entries...)
		p.passed.links = append(p.passed.links, from.passed.links...)
	}
	return p, err
}

// trustsCanonical reports whether an answer of CanonicalPath cannot have come
// through a link that leads elsewhere for another process. Where links cannot
// be read there is no better answer.
func (r *run) trustsCanonical() bool { return r.caps.CanonicalStopsAtMagic || r.links == nil }

func endsInDirectory(word string) bool {
	last := word[strings.LastIndexByte(word, '/')+1:]
	return last == "" || last == "." || last == ".."
}

// ask is the short way: the environment's own answer for the whole path, or for
// the directory part when the last component is not followed. ok is false when
// the walk has to say.
func (r *run) ask(from *spot, word string, h how) (place, bool, error) {
	full := word
	if word[0] != '/' {
		full = join(from.dir, word)
	}
	dir, name := full, ""
	if !h.follow {
		i := strings.LastIndexByte(full, '/')
		dir, name = full[:i+1], full[i+1:]
	}
	p := place{state: Canonical}
	if dir == "/" || name != "" && dir == from.dir+"/" {
		p.path = strings.TrimSuffix(dir, "/")
		if p.path == "" {
			p.path = "/"
		}
	} else {
		got, err := r.env.CanonicalPath(r.ctx, dir)
		if err != nil {
			if execenv.ProblemOf(err) == execenv.Denied {
				p.reason = SearchDenied
			}
			return p, false, r.gone(err)
		}
		if got == "" || got[0] != '/' {
			return place{}, false, nil // no answer an environment may give
		}
		p.path = got
	}
	if magicPath(p.path) {
		return place{}, false, nil
	}
	if name == "" {
		return p, true, nil
	}
	entry := join(p.path, name)
	kind, err := r.env.Lstat(r.ctx, entry)
	if err != nil {
		if err := r.gone(err); err != nil {
			return place{}, false, err
		}
		if execenv.ProblemOf(err) == execenv.NotExist {
			return place{state: AbsentTail}.at(p.path, []string{name}), true, nil
		}
		return place{}, false, nil
	}
	if kind == execenv.Unknown {
		return place{}, false, nil
	}
	p.path, p.kind = entry, kind
	return p, true, nil
}
