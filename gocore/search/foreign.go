package search

import "path/filepath"

// foreignMarks are the folders of version controls that take .gitignore files over
// (Sapling, and Mercurial with its bridge to git) and that ripgrep does not know:
// it applies a .gitignore below .git or .jj alone.
var foreignMarks = []string{".hg", ".sl"}

// foreignTree reports whether a directory lies in a working tree of such a version
// control, so that its .gitignore files are to be applied. They are not where one
// lies above the tree, whose rules would then hold in it, too.
func foreignTree(dir string) bool {
	found := false
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if found && exists(joinPath(at, gitignore)) {
			return false
		}
		if exists(joinPath(at, ".git")) || exists(joinPath(at, ".jj")) {
			return false // ripgrep knows, or it is a tree within one that it knows
		}
		for _, mark := range foreignMarks {
			found = found || isDir(joinPath(at, mark))
		}
		if at == "/" {
			return found
		}
	}
}
