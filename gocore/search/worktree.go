package search

import "strings"

// maxWorktrees bounds how many worktrees are looked for among the results of one
// glob: each costs a look at the file system.
const maxWorktrees = 20

// explainWorktrees counts the results that lie in nested worktrees of the
// repository, where agents keep copies of the tree: such a path is not the file
// that its name suggests. Worktrees are looked for where tools put them, in a
// directory whose name ends in "worktrees". found are paths beneath the walk.
func explainWorktrees(w *walk, found []string, result *GlobResult) {
	known := map[string]bool{}
	var names []string
	inside := 0
	for _, rel := range found {
		at := worktreeOf(rel)
		if at == "" {
			continue
		}
		is, seen := known[at]
		if !seen && len(known) < maxWorktrees {
			is = isRegular(joinPath(w.dir, at+"/.git"))
			known[at] = is
			if is {
				var a arena
				name, _ := escapeName(w.display.path(&a, at))
				names = append(names, oneLine(name))
			}
		}
		if is {
			inside++
		}
	}
	if inside > 0 {
		result.note(NoteWorktree, "%d of %s in nested worktrees, which hold copies of the tree: %s",
			inside, plural(len(found), "path")+" "+be(inside), listSome(names, len(names)))
	}
}

func be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// worktreeOf returns the directory of a path that may be a worktree, or "".
func worktreeOf(rel string) string {
	const folder = "worktrees/"
	i := strings.Index(rel, folder)
	if i < 0 {
		return ""
	}
	name, _, beneath := strings.Cut(rel[i+len(folder):], "/")
	if !beneath {
		return ""
	}
	return rel[:i+len(folder)+len(name)]
}
