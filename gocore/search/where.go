package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxFolders is how many folders an error names: enough to see which one to leave
// out, and one line.
const maxFolders = 5

// folderOf is the directory of a displayed path, with its slash.
func folderOf(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }

// mostIn names the folders that have most, of counts by directory, or is "". They
// are the folders at the first level on which the directories part.
func mostIn(counts map[string]int, one, many string) string {
	if len(counts) == 0 {
		return ""
	}
	dirs := slices.Sorted(maps.Keys(counts))
	shared := folderOf(commonPrefix(dirs[0], dirs[len(dirs)-1]))
	folders := map[string]int{}
	for dir, n := range counts {
		head, _, below := strings.Cut(dir[len(shared):], "/")
		if below {
			head += "/"
		}
		folders[cmp.Or(shared+head, "./")] += n
	}
	if _, only := folders["./"]; only && len(folders) == 1 {
		return "" // where the search began
	}
	names := slices.SortedFunc(maps.Keys(folders), func(a, b string) int {
		return cmp.Or(cmp.Compare(folders[b], folders[a]), strings.Compare(a, b))
	})
	text := ""
	for _, name := range names[:min(len(names), maxFolders)] {
		text += fmt.Sprintf(", %s in %s", count(folders[name], one, many), oneLine(name))
	}
	if more := len(names) - maxFolders; more > 0 {
		text += fmt.Sprintf(", and more in %s", plural(more, "other folder"))
	}
	return text
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
