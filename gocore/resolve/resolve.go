package resolve

import (
	"context"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// Options says in which way a word is resolved.
type Options struct {
	// Follow the last component when it is a link. A word that ends in a
	// slash, `.` or `..` is followed all the same.
	Follow bool
	// Reads says that nothing is created where the word leads.
	Reads bool
	// Record the entries passed.
	Record bool
	// Fds maps the descriptors that the segment opens.
	Fds *Descriptors
}

// Resolve finds where word leads from a directory. The error is only ever the
// end of the context. A word that the environment answers for at once costs one
// question; everything else is walked.
func (r *Resolver) Resolve(ctx context.Context, from *Dir, word string, o Options) (Place, error) {
	if word == "" {
		return Place{State: AbsentTail, Reason: EmptyWord}, nil
	}
	if word[0] == '/' {
		from = &RootDir
	} else if from.State == Unestablishable {
		return Place{Reason: from.Reason, Detail: from.Detail}, nil
	}
	if len(word) > r.caps.PathBytes() {
		return Place{State: AbsentTail, Reason: PathTooLong}, nil
	}
	if endsInDirectory(word) {
		o.Follow = true
	}
	denied := false
	if from.State == Canonical && !o.Record && r.trustsCanonical() {
		p, ok, err := r.ask(ctx, from, word, o)
		if err != nil || ok {
			p.Entry = !o.Follow
			return p, err
		}
		denied = p.Reason == SearchDenied
	}
	w := walk{Resolver: r, ctx: ctx, Options: o, word: word, cur: from.Base, missing: from.Missing, lexical: from.State == Lexical, denied: denied}
	p, err := w.walk()
	p.Entry = !o.Follow
	if o.Record && word[0] != '/' {
		p.Passed.Entries = append(p.Passed.Entries, from.Passed.Entries...)
		p.Passed.Links = append(p.Passed.Links, from.Passed.Links...)
	}
	return p, err
}

// trustsCanonical reports whether an answer of CanonicalPath cannot have come
// through a link that leads elsewhere for another process. Where links cannot
// be read there is no better answer.
func (r *Resolver) trustsCanonical() bool { return r.caps.CanonicalStopsAtMagic || r.links == nil }

func endsInDirectory(word string) bool {
	last := word[strings.LastIndexByte(word, '/')+1:]
	return last == "" || last == "." || last == ".."
}

// ask is the short way: the environment's own answer for the whole path, or for
// the directory part when the last component is not followed. ok is false when
// the walk has to say.
func (r *Resolver) ask(ctx context.Context, from *Dir, word string, o Options) (Place, bool, error) {
	full := word
	if word[0] != '/' {
		full = Join(from.Base, word)
	}
	dir, name := full, ""
	if !o.Follow {
		i := strings.LastIndexByte(full, '/')
		dir, name = full[:i+1], full[i+1:]
	}
	p := Place{State: Canonical}
	if dir == "/" || name != "" && dir == from.Base+"/" {
		p.Path = strings.TrimSuffix(dir, "/")
		if p.Path == "" {
			p.Path = "/"
		}
	} else {
		got, err := r.env.CanonicalPath(ctx, dir)
		if err != nil {
			if execenv.ProblemOf(err) == execenv.Denied {
				p.Reason = SearchDenied
			}
			return p, false, gone(ctx, err)
		}
		if got == "" || got[0] != '/' {
			return Place{}, false, nil // no answer an environment may give
		}
		p.Path = got
	}
	if Magic(p.Path) {
		return Place{}, false, nil
	}
	if name == "" {
		return p, true, nil
	}
	entry := Join(p.Path, name)
	kind, err := r.env.Lstat(ctx, entry)
	if err != nil {
		if err := gone(ctx, err); err != nil {
			return Place{}, false, err
		}
		if execenv.ProblemOf(err) == execenv.NotExist {
			return Place{State: AbsentTail}.At(p.Path, []string{name}), true, nil
		}
		return Place{}, false, nil
	}
	if kind == execenv.Unknown {
		return Place{}, false, nil
	}
	p.Path, p.Kind = entry, kind
	return p, true, nil
}
