package establish

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
)

// earlier is what earlier segments of the same text may have done to names by the
// time a segment runs. A nil one is none.
type earlier struct {
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
	// removed: names may be gone that are there now.
	removed bool
	// any: a program of unknown effect ran.
	any bool
	// fold: names that differ in case are one name.
	fold bool
}

// key is a path as it is compared. Folding keeps the length.
func (p *earlier) key(path string) string {
	if !p.fold {
		return path
	}
	b := []byte(path)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// folded makes the paths comparable where case does not count.
func (p *earlier) folded(fold bool) *earlier {
	if p.fold = fold; fold {
		for _, list := range [][]string{p.entries, p.trees, p.links, p.moved} {
			for i := range list {
				list[i] = p.key(list[i])
			}
		}
	}
	return p
}

// madeEntry is the kind of a name that does not exist yet: a file or a
// directory, whichever an earlier segment makes.
const madeEntry execenv.Kind = 200

func (p *earlier) repoints() bool {
	return p != nil && len(p.entries)+len(p.trees)+len(p.links)+len(p.moved) > 0
}

// touches reports whether a path that was walked met something that an earlier
// segment re-points. A last component that is not followed is not met: the
// entry itself stays where it is. A file in the way of more components is met,
// for a directory may have taken its name by then.
func (p *earlier) touches(at resolve.Place, from *resolve.Dir) bool {
	if p == nil {
		return false
	}
	for _, e := range at.Passed.Entries {
		if at.Entry && e == at.Path && at.Reason != NotDirectory {
			continue
		}
		e = p.key(e)
		if slices.Contains(p.entries, e) {
			return true
		}
		for _, x := range p.trees {
			if e != x && resolve.Under(e, x) {
				return true
			}
		}
	}
	for _, l := range at.Passed.Links {
		l = p.key(l)
		for _, x := range p.links {
			if resolve.Under(l, x) {
				return true
			}
		}
	}
	for _, x := range p.moved {
		if from != nil && from.Base != "" && resolve.Under(p.key(from.Path()), x) {
			return true
		}
	}
	return false
}

// meets is asked before a directory is listed for a pattern.
func (p *earlier) meets(dir string, matches func(string) bool) *failure {
	if p == nil {
		return nil
	}
	dir = p.key(dir)
	for _, x := range p.entries {
		if resolve.Parent(x) == dir && (p.fold || matches(x[strings.LastIndexByte(x, '/')+1:])) {
			return &failure{MutatedEarlier, x}
		}
	}
	for _, x := range p.trees {
		if resolve.Under(dir, x) {
			return &failure{MutatedEarlier, x}
		}
	}
	return nil
}

// replaces reports whether an entry itself may be another one.
func (p *earlier) replaces(entry string) bool {
	return p != nil && slices.Contains(p.entries, p.key(entry))
}

// within reports whether something below root may be re-pointed.
func (p *earlier) within(root string) bool {
	if p == nil {
		return false
	}
	root = p.key(root)
	for _, list := range [][]string{p.entries, p.trees, p.links} {
		for _, x := range list {
			if resolve.Under(x, root) || resolve.Under(root, x) {
				return true
			}
		}
	}
	return false
}

// made lists the names in dir that earlier segments create and that match.
func (p *earlier) made(dir string, matches func(string) bool) []execenv.DirEntry {
	if p == nil {
		return nil
	}
	var out []execenv.DirEntry
	for _, m := range p.madePaths {
		if len(m) <= len(dir) || !resolve.Under(p.key(m), p.key(dir)) {
			continue
		}
		rest := strings.TrimPrefix(m[len(dir):], "/")
		name, _, _ := strings.Cut(rest, "/")
		if matches(name) {
			out = append(out, execenv.DirEntry{Name: name, Kind: madeEntry})
		}
	}
	return out
}

// makes reports whether earlier segments create a path, or something below it.
func (p *earlier) makes(path string) bool {
	if p == nil {
		return false
	}
	for _, m := range p.madePaths {
		if resolve.Under(p.key(m), p.key(path)) {
			return true
		}
	}
	return false
}

// loses reports whether names that are there now may be gone.
func (p *earlier) loses() bool { return p != nil && p.removed }
