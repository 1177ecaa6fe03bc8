package search

import (
	"path/filepath"
	"slices"
	"strings"
)

// vcsNames are the directories that hold version-control metadata; a glob never
// lists what is in them.
var vcsNames = []string{".git", ".svn", ".hg", ".bzr", ".jj", ".sl"}

// insideVCS reports whether a directory lies at or inside one of the excluded
// directories, by its spelling or in truth. ripgrep's own excludes cannot say:
// they see only what is beneath the directory that it runs in.
func insideVCS(dir string) bool {
	if vcsComponent(dir) != "" {
		return true
	}
	landed, err := filepath.EvalSymlinks(dir)
	return err == nil && vcsComponent(landed) != ""
}

// vcsComponent returns the first component of a path, or of a pattern, that
// names an excluded directory, or "".
func vcsComponent(path string) string {
	for component := range strings.SplitSeq(path, "/") {
		if slices.Contains(vcsNames, component) {
			return component
		}
	}
	return ""
}
