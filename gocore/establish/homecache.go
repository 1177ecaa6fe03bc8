package establish

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// homeCache resolves many paths below few homes, as denied paths are: a home is
// walked to once, and what is below a directory that does not exist is not asked
// for again. It serves one pass over a boundary and is then forgotten.
type homeCache struct {
	run   *run
	homes []homePlace
	// missing are directories that do not exist, by their spelling, and where
	// they would be.
	missing map[string]string
	// found are directories that are no links, by their spelling.
	found map[string]bool
}

type homePlace struct {
	spelled string
	place   resolve.Place
}

func newHomeCache(r *run) (*homeCache, error) {
	h := &homeCache{run: r, missing: map[string]string{}, found: map[string]bool{}}
	for _, home := range r.boundary.homes() {
		p, err := r.resolve(&resolve.RootDir, home, resolve.Options{Follow: true, Reads: true})
		if err != nil {
			return nil, err
		}
		h.homes = append(h.homes, homePlace{home, p})
	}
	return h, nil
}

// resolve finds where an absolute path leads.
func (h *homeCache) resolve(path string) (resolve.Place, error) {
	for _, home := range h.homes {
		if path == home.spelled {
			return home.place, nil
		}
		word, below := strings.CutPrefix(path, home.spelled+"/")
		if !below || !plain(word) || home.place.State != Canonical {
			continue
		}
		h.look(home, word)
		if p, known := h.below(home.spelled, path); known {
			return p, nil
		}
		at := resolve.Dir{Base: home.place.Path, State: Canonical}
		return h.run.resolve(&at, word, resolve.Options{Follow: true, Reads: true})
	}
	return h.run.resolve(&resolve.RootDir, path, resolve.Options{Follow: true, Reads: true})
}

// plain reports whether a relative path names an entry by each component.
func plain(word string) bool {
	return !slices.ContainsFunc(strings.Split(word, "/"), func(c string) bool { return c == "" || c == "." || c == ".." })
}

// below answers for a path that is known not to exist, or whose directory is.
func (h *homeCache) below(home, path string) (resolve.Place, bool) {
	for i := len(home) + 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if dir, known := h.missing[path[:i]]; known {
			tail := dir[strings.LastIndexByte(dir, '/')+1:] + path[i:]
			return resolve.Place{State: AbsentTail, Path: dir + path[i:], Tail: tail}, true
		}
	}
	return resolve.Place{}, false
}

// look asks for the components of a word below a home, up to the first that is
// no directory: most denied paths are not there, and one question tells.
func (h *homeCache) look(home homePlace, word string) {
	spelled, at := home.spelled, home.place.Path
	for name := range strings.SplitSeq(word, "/") {
		spelled, at = spelled+"/"+name, resolve.Join(at, name)
		if h.found[spelled] {
			continue
		}
		if h.missing[spelled] != "" || resolve.Magic(at) {
			return
		}
		switch kind, err := h.run.env.Lstat(h.run.ctx, at); {
		case err != nil && execenv.ProblemOf(err) == execenv.NotExist:
			h.missing[spelled] = at
			return
		case err != nil || kind != execenv.Dir:
			return
		}
		h.found[spelled] = true
	}
}
