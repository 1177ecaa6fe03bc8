package search

import (
	"os"
	"path/filepath"
	"strings"
)

// walk is the part of a tree that a glob has to look at.
type walk struct {
	// dir is the directory that ripgrep runs in.
	dir string
	// display spells paths found under dir, and heads their first component
	// beneath the search root.
	display display
	// head is the entry beneath the search root that leads to dir, or "" when
	// dir is that root.
	head string
	// pattern is what is left to match beneath dir; it starts with a slash when
	// it is anchored there.
	pattern string
	// others are more patterns beneath dir, which the written one was read as.
	others []string
	// spelled is what a path found costs of the raw output budget beside itself.
	spelled int
	// prefix is the literal part that was split off, for messages.
	prefix string
}

// planWalk splits the literal leading directories off a pattern, so that only
// the subtree that they name is walked. A link among them is followed, as a
// person would who wrote it.
func planWalk(t *target, pattern string) walk {
	w := walk{dir: t.dir, display: t.display, pattern: trimDotSlash(pattern), spelled: t.spelled}
	anchored := strings.HasPrefix(w.pattern, "/")
	prefix, rest := splitLiteral(strings.TrimLeft(w.pattern, "/"))
	if prefix == "" {
		if anchored || rest != w.pattern {
			w.pattern = "/" + rest // of "//x", "/./x" and `\./x`, too
		}
		return w
	}
	prefix = existing(t.dir, prefix)
	w.prefix, w.pattern = prefix, "/"+rest
	if anchored && w.absolute(t, "/"+prefix) {
		return w
	}
	w.dir = joinPath(t.dir, prefix)
	w.display = t.display.below(prefix + "/")
	w.spelled += len(prefix) + 1
	w.head = headOf(prefix)
	return w
}

// planReading plans the walk of a pattern with what it is taken for in other
// dialects, and returns what there is to say about that.
func planReading(t *target, written string) (w walk, said string) {
	asWritten := planWalk(t, written)
	r := otherDialect(written)
	if len(r.patterns) == 0 {
		return asWritten, ""
	}
	w = planWalk(t, r.patterns[0])
	if isDir(asWritten.dir) {
		r.patterns = append(r.patterns, written)
	}
	together := true
	for _, pattern := range r.patterns[1:] {
		other := planWalk(t, pattern)
		together = together && other.dir == w.dir
		w.others = append(w.others, other.pattern)
	}
	if together {
		return w, r.said
	}
	// They begin in several directories: all of the search root is walked.
	w = walk{dir: t.dir, display: t.display, spelled: t.spelled}
	for _, pattern := range r.patterns {
		bare := trimDotSlash(pattern)
		if strings.HasPrefix(bare, "/") || strings.HasPrefix(bare, "..") {
			return asWritten, "" // nothing beneath the root
		}
		if strings.Contains(strings.TrimSuffix(bare, "/"), "/") {
			bare = "/" + bare
		}
		w.others = append(w.others, bare)
	}
	w.pattern, w.others = w.others[0], w.others[1:]
	return w, r.said
}

// trimDotSlash takes "./" off the start of a pattern: "./x" is "x". Behind it
// nothing has a special meaning, "./!x" is the name "!x".
func trimDotSlash(pattern string) string {
	bare := pattern
	for strings.HasPrefix(bare, "./") {
		bare = strings.TrimLeft(bare[2:], "/")
	}
	switch {
	case bare == "":
		return "." // which matches no file; an empty pattern would match all
	case bare != pattern && strings.HasPrefix(bare, "!"):
		return `\` + bare
	}
	return bare
}

// absolute moves the walk out of the search root to the directory dir, if there
// is one, or if it cannot be told and the search root has none of that name.
func (w *walk) absolute(t *target, dir string) bool {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		_, w.display = displayOf(t.workdir, dir, dir, info)
	case err == nil || absent(err) || isDir(joinPath(t.dir, w.prefix)):
		return false
	}
	w.dir, w.prefix = dir, dir
	w.spelled = len(dir) + 1
	if rel, ok := under(filepath.Clean(dir), filepath.Clean(t.dir)); ok {
		w.head = headOf(rel)
	}
	return true
}

// headOf returns the first component of a relative path that goes down.
func headOf(rel string) string {
	for strings.HasPrefix(rel, "../") {
		rel = rel[3:]
	}
	head, _, _ := strings.Cut(rel, "/")
	if head == ".." || head == "." {
		return ""
	}
	return head
}

// splitLiteral splits a pattern into leading directories without a wildcard,
// unescaped, and the rest. Empty and "." components are dropped. The last
// component always stays in the rest.
func splitLiteral(pattern string) (prefix, rest string) {
	var parts []string
	rest = pattern
	for {
		component, behind, more := strings.Cut(rest, "/")
		if !more {
			break
		}
		name, literal := unescapeGlob(component)
		if !literal {
			break
		}
		if name != "" && name != "." {
			parts = append(parts, name)
		}
		rest = behind
	}
	return strings.Join(parts, "/"), rest
}

// unescapeGlob returns the one name that a component without wildcards matches.
func unescapeGlob(component string) (name string, literal bool) {
	var b strings.Builder
	for i := 0; i < len(component); i++ {
		switch c := component[i]; c {
		case '*', '?', '[', '{', '}':
			return "", false
		case '\\':
			if i++; i == len(component) {
				return "", false // an error of the pattern, which ripgrep's reading finds
			}
			b.WriteByte(component[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// escapeGlob writes a name so that a glob means just it.
func escapeGlob(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(`*?[]{}\`, name[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(name[i])
	}
	return b.String()
}
