package resolve

import (
	"context"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// walk resolves a word one component at a time, by the kernel's rules: cur is
// canonical, so `..` is its parent; a link's text is put before what is left; a
// component that does not exist starts a missing part, in which `..` takes back
// what a program that makes directories would have made.
type walk struct {
	*Resolver
	Options
	ctx     context.Context
	word    string
	cur     string
	missing []string
	// lexical: the start is a spelling that nobody answered for.
	lexical bool

	// denied: the environment may not go all the way. The walk finds where;
	// when it does not, a `..` led back out of a directory that may not be
	// searched.
	denied bool

	rest   string
	absent bool // a missing part was met
	out    Place
}

func (w *walk) walk() (Place, error) {
	w.rest = w.word
	w.absent = len(w.missing) > 0
	w.missing = append([]string(nil), w.missing...)
	for {
		w.rest = strings.TrimLeft(w.rest, "/")
		if w.rest == "" {
			return w.end(execenv.Dir), nil
		}
		name, after, more := strings.Cut(w.rest, "/")
		w.rest = after
		switch {
		case name == ".":
			continue
		case name == "..":
			w.up()
			continue
		case len(w.missing) > 0:
			w.miss(name)
			continue
		}
		done, err := w.step(name, more)
		if done || err != nil {
			return w.out, err
		}
	}
}

// miss adds a component that does not exist. It is an entry that the walk passes
// all the same: the text may have made it by then, with a link below it.
func (w *walk) miss(name string) {
	w.missing, w.absent = append(w.missing, name), true
	at := Join(w.cur, strings.Join(w.missing, "/"))
	w.out.Made = append(w.out.Made, at)
	if w.Record {
		w.out.Passed.Entries = append(w.out.Passed.Entries, at)
	}
}

func (w *walk) up() {
	if n := len(w.missing); n > 0 {
		w.missing = w.missing[:n-1]
		w.out.DotDot = true
		return
	}
	w.cur = Parent(w.cur)
}

// end is the place reached when no component is left.
func (w *walk) end(kind execenv.Kind) Place {
	p := w.out
	p.State, p.Kind = Canonical, kind
	switch {
	case w.lexical:
		p.State, p.Reason = Lexical, NoAuthoritativeAnswer
	case w.absent:
		p.State = AbsentTail
	case w.denied:
		return Place{Reason: SearchDenied, Detail: w.cur, Hops: p.Hops, Passed: p.Passed}
	}
	if len(w.missing) > 0 {
		p.Kind = execenv.Unknown
	}
	return p.At(w.cur, w.missing)
}

// stop ends the walk without a landing.
func (w *walk) stop(reason Reason, detail string) (bool, error) {
	w.out.State, w.out.Reason, w.out.Detail = Unestablishable, reason, detail
	w.out.Path, w.out.Tail = "", ""
	return true, nil
}

// step takes one name in an existing directory. more says that something, if
// only a slash, follows it.
func (w *walk) step(name string, more bool) (bool, error) {
	final := !more && !w.Follow
	if !final || w.cur != "/dev" && w.cur != "/proc" {
		if done, handled, err := w.magic(name, more); handled || err != nil {
			return done, err
		}
	}
	entry := Join(w.cur, name)
	if w.Record {
		w.out.Passed.Entries = append(w.out.Passed.Entries, entry)
	}
	kind, err := w.env.Lstat(w.ctx, entry)
	if err != nil {
		return w.problem(entry, name, err, final)
	}
	switch kind {
	case execenv.Dir:
		w.cur = entry
		return false, nil
	case execenv.Link:
		if final {
			w.cur = entry
			w.out = w.end(execenv.Link)
			return true, nil
		}
		return w.link(entry, more)
	case execenv.Unknown:
		return w.unanswered(entry, name, final)
	}
	if more {
		// The kernel refuses to go through what is no directory.
		w.out.State, w.out.Reason, w.out.Detail = AbsentTail, NotDirectory, entry
		w.out.Path, w.out.Kind = entry, kind
		return true, nil
	}
	w.cur = entry
	w.out = w.end(kind)
	return true, nil
}

func (w *walk) problem(entry, name string, cause error, final bool) (bool, error) {
	if err := gone(w.ctx, cause); err != nil {
		return true, err
	}
	switch execenv.ProblemOf(cause) {
	case execenv.NotExist:
		w.miss(name)
		return false, nil
	case execenv.Denied:
		return w.stop(SearchDenied, w.cur)
	case execenv.NotDir:
		w.out.State, w.out.Reason, w.out.Detail = AbsentTail, NotDirectory, w.cur
		w.out.Path = w.cur
		return true, nil
	case execenv.TooLong:
		if len(entry) > w.caps.PathBytes() {
			// Too long as a whole for us to ask, though not for a
			// command that is already in the directory.
			return w.stop(PathTooLong, "")
		}
		w.out.State, w.out.Reason = AbsentTail, PathTooLong
		return true, nil
	}
	return w.unanswered(entry, name, final)
}

// unanswered is the end of what Lstat can say. The canonical path of the entry
// may still be known; if not, the spelling stands where nobody is the
// authority.
func (w *walk) unanswered(entry, name string, final bool) (bool, error) {
	if !final && w.trustsCanonical() {
		got, err := w.env.CanonicalPath(w.ctx, entry)
		switch {
		case err == nil && strings.HasPrefix(got, "/") && !Magic(got):
			w.cur, w.lexical = got, false
			if strings.Trim(w.rest, "/") == "" {
				w.out = w.end(execenv.Unknown)
				return true, nil
			}
			return false, nil
		case err != nil:
			if err := gone(w.ctx, err); err != nil {
				return true, err
			}
			if execenv.ProblemOf(err) == execenv.Denied {
				return w.stop(SearchDenied, w.cur)
			}
		}
	}
	if w.caps.Authoritative {
		return w.stop(NoAuthoritativeAnswer, entry)
	}
	w.out.State, w.out.Reason, w.out.Detail = Lexical, NoAuthoritativeAnswer, entry
	w.out.Path = Clean(entry + "/" + w.rest)
	return true, nil
}

// link follows a link: its text comes before what is left.
func (w *walk) link(entry string, more bool) (bool, error) {
	if w.out.Hops++; w.out.Hops > w.caps.Links() {
		return w.stop(LinkHops, entry)
	}
	if w.Record {
		w.out.Passed.Links = append(w.out.Passed.Links, entry)
	}
	if w.links == nil {
		return w.blindLink(entry)
	}
	text, err := w.links.ReadLink(w.ctx, entry)
	if err != nil {
		if err := gone(w.ctx, err); err != nil {
			return true, err
		}
		if execenv.ProblemOf(err) == execenv.Denied {
			return w.stop(SearchDenied, w.cur)
		}
		return w.stop(LinkUnreadable, entry)
	}
	if text == "" {
		return w.stop(LinkUnreadable, entry)
	}
	if text[0] == '/' {
		w.cur, w.lexical = "/", false
	}
	if more {
		text += "/" + w.rest
	}
	w.rest = text
	return false, nil
}

// blindLink passes a link that cannot be read: where it leads is known as long
// as its target exists. A target that does not exist leaves a reader with
// nothing to open; a writer would create it, nobody knows where.
func (w *walk) blindLink(entry string) (bool, error) {
	got, err := w.env.CanonicalPath(w.ctx, entry)
	if err == nil && strings.HasPrefix(got, "/") && !Magic(got) {
		w.cur = got
		if strings.Trim(w.rest, "/") != "" {
			return false, nil // a file here answers NotDir below it
		}
		w.out = w.end(execenv.Unknown)
		return true, nil
	}
	if err != nil {
		if err := gone(w.ctx, err); err != nil {
			return true, err
		}
		if w.Reads && execenv.ProblemOf(err) == execenv.NotExist {
			w.miss(entry[strings.LastIndexByte(entry, '/')+1:])
			return false, nil
		}
	}
	return w.stop(LinkUnreadable, entry)
}
