package search

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// readings are the globs that a pattern stands for, each of which ripgrep takes,
// the pattern as it is written among them.
type readings struct {
	globs []string
	// withoutBlanks is the pattern without blanks around its alternatives, when it
	// has some.
	withoutBlanks string
}

// readingsOf reads a valid glob: with the alternatives that are empty, without
// the blanks around others, as the names that it spells, and in both forms of
// Unicode. More readings find more and lose nothing: each is a thing that a person
// means who writes the pattern.
func readingsOf(pattern string) readings {
	name, anchored := strings.CutPrefix(pattern, "/")
	slash := anchored || strings.Contains(strings.TrimSuffix(name, "/"), "/")
	var r readings
	written := emptiesMeant(name)
	if without, changed := blanksOut(name); changed {
		r.withoutBlanks = without
		written = append(written, emptiesMeant(without)...)
	}
	if vcsComponent(name) == "" {
		written = append(written, spellings(name)...)
		if strings.Contains(name, `\`) && !strings.HasSuffix(name, "/") {
			written = append(written, escapeGlob(name))
		}
	}
	for _, glob := range written {
		if other, any := composed(glob); any {
			written = append(written, other)
		}
	}
	for _, glob := range written[:min(len(written), maxAlternatives)] {
		if glob = strings.TrimLeft(glob, "/"); glob == "" {
			continue // an alternative that is empty as a whole names no file
		}
		if slash && (anchored || !strings.Contains(strings.TrimSuffix(glob, "/"), "/")) {
			glob = "/" + glob
		}
		clean := ripgrep.CleanGlob(glob)
		if _, err := ripgrep.ParseGlob(clean); err == nil {
			r.globs = append(r.globs, clean)
		}
	}
	if r.globs = distinct(r.globs); len(r.globs) == 0 {
		r.globs = []string{ripgrep.CleanGlob(pattern)} // such as "/", which matches nothing
	}
	return r
}

// distinct leaves repetitions out.
func distinct(globs []string) []string {
	var all []string
	for _, glob := range globs {
		if !slices.Contains(all, glob) {
			all = append(all, glob)
		}
	}
	return all
}
