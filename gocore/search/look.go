package search

import (
	"io/fs"
	"os"
	"slices"
	"strings"
)

// How much of a tree is looked at to explain an answer. A look is bounded by
// counts, not by time, so that equal calls say the same; these are read in well
// under a tenth of the time that starting ripgrep takes.
const (
	// maxLookDirs is how many directories, nearest first, are read for an empty
	// answer.
	maxLookDirs = 32
	// maxLookDirsFound is the same for an answer that found something.
	maxLookDirsFound = 4
	// maxLookEntries is how many entries of them are looked at. A directory with
	// more than are left is not: which of its entries come first is chance.
	maxLookEntries = 2000
)

// entryAt is one thing that a look meets.
type entryAt struct {
	rel  string // beneath the directory that the look began in
	mode fs.FileMode
}

func (e *entryAt) isLink() bool { return e.mode&fs.ModeSymlink != 0 }

// lookAround visits the entries beneath dir, breadth first and by name, without
// following links. enter is asked about each of them, and for a directory decides
// whether it is read.
func lookAround(dir string, dirs int, enter func(e entryAt) bool) {
	queue := []string{""}
	left := maxLookEntries
	for n := 0; n < len(queue) && n < dirs; n++ {
		entries, ok := listDir(joinPath(dir, queue[n]), left)
		if !ok {
			continue
		}
		left -= len(entries)
		for _, e := range entries {
			at := entryAt{rel: queue[n] + e.Name(), mode: e.Type()}
			if enter(at) && e.IsDir() {
				queue = append(queue, at.rel+"/")
			}
		}
	}
}

// listDir reads a directory of at most so many entries, by name.
func listDir(path string, most int) (entries []fs.DirEntry, ok bool) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	entries, err = dir.ReadDir(most + 1)
	if len(entries) > most || err != nil && len(entries) > 0 {
		return nil, false
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, true
}

// linkTarget returns where a link to a file leads, or "" for another link.
func linkTarget(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	target, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	display, _ := escapeName(target)
	return display
}
