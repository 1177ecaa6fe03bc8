package search

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// withoutIgnore are the files that ripgrep reads for patterns wherever it meets
// them, and the argument that keeps it from doing so.
var withoutIgnore = map[string]string{
	".ignore":    "--no-ignore-dot",
	".rgignore":  "--no-ignore-dot",
	".gitignore": "--no-ignore-vcs",
}

const (
	// maxPatternBytes is the largest ignore file that ripgrep gets to read: one of
	// 200,000 patterns (4 MB) takes 900 MB of memory, and the largest in public
	// collections of them has some 10 kB.
	maxPatternBytes = 1 << 20
	// maxIgnoreLook is how many entries are looked at to tell why ripgrep hung or
	// ran out of memory: some milliseconds after a failure that took seconds.
	maxIgnoreLook = 10_000
)

// strangeIgnore says what is wrong with an ignore file, "" for nothing: reading
// a device or a FIFO may never end, and ripgrep keeps every pattern in memory.
func strangeIgnore(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil || info.IsDir(): // ripgrep passes it over, too
		return ""
	case !info.Mode().IsRegular():
		return "is a " + kindOf(info.Mode())
	case info.Size() > maxPatternBytes:
		return fmt.Sprintf("has %d bytes, more than %d", info.Size(), maxPatternBytes)
	}
	return ""
}

// withoutStrangeIgnores looks at the ignore files of the searched directory and
// of those above it before ripgrep does. A strange one is left out, with all of
// its name, and a warning tells so.
func withoutStrangeIgnores(dir string, report *Report) []string {
	var args []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		for _, name := range []string{".ignore", ".rgignore", ".gitignore"} {
			why := strangeIgnore(joinPath(at, name))
			if why == "" {
				continue
			}
			path, _ := escapeName(joinPath(at, name))
			report.Warnings = append(report.Warnings, Warning{
				Code: WarnIgnoreFile, Count: 1, Paths: []string{path},
				Message: fmt.Sprintf("%s %s; no %s was applied, so that ignored files may be among the results", oneLine(path), why, name),
			})
			for _, arg := range []string{withoutIgnore[name], "--no-ignore-parent"} {
				if (arg != "--no-ignore-parent" || at != filepath.Clean(dir)) && !slices.Contains(args, arg) {
					args = append(args, arg)
				}
			}
		}
		if at == "/" {
			return args
		}
	}
}

// strangeBelow finds a strange ignore file below a directory, to tell why
// ripgrep did not come to an end. It returns a sentence for the error, or "".
func strangeBelow(dir string) string {
	looked, found := 0, ""
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if looked++; looked > maxIgnoreLook {
			return fs.SkipAll
		}
		if err == nil && withoutIgnore[filepath.Base(path)] != "" {
			if why := strangeIgnore(path); why != "" {
				found = fmt.Sprintf("; ripgrep reads the ignore file %s, which %s: remove it, or search beside it", quote(path), why)
				return fs.SkipAll
			}
		}
		return nil
	})
	return found
}
