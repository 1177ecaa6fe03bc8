package establish

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// past is what earlier segments of the same text may have done to names by the
// time a segment runs. A nil past is none.
type past struct {
	// entries are names that may lead elsewhere than they do now, with all
	// below them.
	entries []string
	// trees are directories below which any name may.
	trees []string
	// links are directories whose links may be gone: what lies below them
	// and is no link stays what it is.
	links []string
	// moved are directories that are somewhere else then, with every process
	// whose working directory they are.
	moved []string
	// made are paths that earlier segments create.
	madePaths []string
	// any: a program of unknown effect ran.
	any bool
}

// madeEntry is the kind of a name that does not exist yet: a file or a
// directory, whichever an earlier segment makes.
const madeEntry execenv.Kind = 200

func (p *past) repoints() bool {
	return p != nil && len(p.entries)+len(p.trees)+len(p.links)+len(p.moved) > 0
}

// touches reports whether a path that was walked met something that an earlier
// segment re-points. A last component that is not followed is not met: the
// entry itself stays where it is.
func (p *past) touches(at place, from *spot) bool {
	if p == nil {
		return false
	}
	for _, e := range at.passed.entries {
		if at.entry && e == at.path {
			continue
		}
		if slices.Contains(p.entries, e) {
			return true
		}
		for _, x := range p.trees {
			if e != x && under(e, x) {
				return true
			}
		}
	}
	for _, l := range at.passed.links {
		for _, x := range p.links {
			if under(l, x) {
				return true
			}
		}
	}
	for _, x := range p.moved {
		if from != nil && from.dir != "" && under(from.dir, x) {
			return true
		}
	}
	return false
}

// meets is asked before a directory is listed for a pattern.
func (p *past) meets(dir string, matches func(string) bool) *failure {
	if p == nil {
		return nil
	}
	for _, x := range p.entries {
		if parent(x) == dir && matches(x[strings.LastIndexByte(x, '/')+1:]) {
			return &failure{MutatedEarlier, x}
		}
	}
	for _, x := range p.trees {
		if under(dir, x) {
			return &failure{MutatedEarlier, x}
		}
	}
	return nil
}

// replaces reports whether an entry itself may be another one.
func (p *past) replaces(entry string) bool {
	return p != nil && slices.Contains(p.entries, entry)
}

// within reports whether something below root may be re-pointed.
func (p *past) within(root string) bool {
	if p == nil {
		return false
	}
	for _, list := range [][]string{p.entries, p.trees, p.links} {
		for _, x := range list {
			if under(x, root) || under(root, x) {
				return true
			}
		}
	}
	return false
}

// made lists the names in dir that earlier segments create and that match.
func (p *past) made(dir string, matches func(string) bool) []execenv.DirEntry {
	if p == nil {
		return nil
	}
	var out []execenv.DirEntry
	for _, m := range p.madePaths {
		if m == dir || !under(m, dir) {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(m, dir), "/")
		name, _, _ := strings.Cut(rest, "/")
		if matches(name) {
			out = append(out, execenv.DirEntry{Name: name, Kind: madeEntry})
		}
	}
	return out
}
