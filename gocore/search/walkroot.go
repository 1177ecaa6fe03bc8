package search

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// vcsNames are the directories that hold version-control metadata; a glob never
// lists what is in them.
var vcsNames = []string{".git", ".svn", ".hg", ".bzr", ".jj", ".sl"}

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
	// spelled is what a path found costs of the raw output budget beside itself.
	spelled int
	// prefix is the literal part that was split off, for messages.
	prefix string
}

// planWalk splits the literal leading directories off a pattern, so that only
// the subtree that they name is walked. A link among them is followed, as a
// person would who wrote it.
func planWalk(t *target, pattern string) walk {
	w := walk{dir: t.dir, display: t.display, pattern: pattern, spelled: t.spelled}
	for strings.HasPrefix(w.pattern, "./") {
		w.pattern = strings.TrimLeft(w.pattern[2:], "/")
	}
	anchored := strings.HasPrefix(w.pattern, "/")
	prefix, rest := splitLiteral(strings.TrimLeft(w.pattern, "/"))
	if prefix == "" {
		return w
	}
	w.prefix, w.pattern = prefix, "/"+rest
	if anchored {
		if info, err := os.Stat("/" + prefix); err == nil && info.IsDir() {
			w.absolute(t, "/"+prefix)
			return w
		}
	}
	w.dir = joinPath(t.dir, prefix)
	w.display = t.display.below(prefix + "/")
	w.spelled += len(prefix) + 1
	w.head = headOf(prefix)
	return w
}

// absolute moves the walk to a directory outside the grammar of the search root.
func (w *walk) absolute(t *target, dir string) {
	w.dir = dir
	w.spelled = len(dir) + 1
	if info, err := os.Stat(dir); err == nil {
		_, w.display = displayOf(t.workdir, dir, dir, info)
	}
	if rel, ok := under(filepath.Clean(dir), filepath.Clean(t.dir)); ok {
		w.head = headOf(rel)
	}
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

// insideVCS reports whether a directory lies at or inside one of the excluded
// directories, by its spelling or in truth. ripgrep's own excludes cannot say:
// they see only what is beneath the directory that it runs in.
func insideVCS(dir string) bool {
	if hasVCSComponent(dir) {
		return true
	}
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && hasVCSComponent(real)
}

func hasVCSComponent(path string) bool {
	for component := range strings.SplitSeq(path, "/") {
		for _, name := range vcsNames {
			if component == name {
				return true
			}
		}
	}
	return false
}

// kindAt says what lies at a path, following links.
func kindAt(path string) (exists, dir bool) {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return false, false
	}
	return true, st.Mode&unix.S_IFMT == unix.S_IFDIR
}
