package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"slices"
	"strings"
)

// homeCache resolves many paths below few homes, as denied paths are: a home is
// walked to once, and what is below a directory that does not exist is not asked
// for again. It serves one pass over a boundary and is then forgotten.
type homeCache struct {
	run   *run
	homes []homePlace
	// missing are directories that do not exist, by their spelling.
	missing map[string]string
}

type homePlace struct {
	spelled string
	place   resolve.Place
}

func newHomeCache(r *run) (*homeCache, error) {
	h := &homeCache{run: r, missing: map[string]string{}}
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
		if p, known := h.below(home.spelled, path); known {
			return p, nil
		}
		at := resolve.Dir{Base: home.place.Path, State: Canonical}
		p, err := h.run.resolve(&at, word, resolve.Options{Follow: true, Reads: true})
		if err == nil {
			h.note(path, p)
		}
		return p, err
	}
	return h.run.resolve(&resolve.RootDir, path, resolve.Options{Follow: true, Reads: true})
}

// plain reports whether a relative path names an entry by each component.
func plain(word string) bool {
	return !slices.ContainsFunc(strings.Split(word, "/"), func(c string) bool { return c == "" || c == "." || c == ".." })
}

// below answers for a path whose directory is known not to exist.
func (h *homeCache) below(home, path string) (resolve.Place, bool) {
	for i := len(home) + 1; i < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		if dir, known := h.missing[path[:i]]; known {
			tail := dir[strings.LastIndexByte(dir, '/')+1:] + path[i:]
			return resolve.Place{State: AbsentTail, Path: dir + path[i:], Tail: tail}, true
		}
	}
	return resolve.Place{}, false
}

// note remembers the first component of a path that does not exist.
func (h *homeCache) note(path string, p resolve.Place) {
	spelled, ends := strings.CutSuffix(path, "/"+p.Tail)
	if p.State != AbsentTail || p.Reason != 0 || p.DotDot || p.Tail == "" || !ends {
		return
	}
	first, _, _ := strings.Cut(p.Tail, "/")
	if dir, ends := strings.CutSuffix(p.Path, "/"+p.Tail); ends {
		h.missing[spelled+"/"+first] = dir + "/" + first
	}
}
