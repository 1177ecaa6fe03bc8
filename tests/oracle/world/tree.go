//go:build linux

package world

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// Entry is one file of a tree.
type Entry = truth.Entry

// F is a file; L, X and D below are the other kinds.
// A path that starts with no placeholder lies in {ROOT}.
func F(path, content string) truth.Entry {
	c := truth.Text(content)
	return truth.Entry{Path: place(path), Type: "file", Content: &c}
}

// X is an executable file.
func X(path, content string) truth.Entry {
	e := F(path, content)
	e.Mode = "0755"
	return e
}

// L is a symbolic link.
func L(path, target string) truth.Entry {
	return truth.Entry{Path: place(path), Type: "symlink", Target: truth.Text(target)}
}

// D is a directory.
func D(path string) truth.Entry { return truth.Entry{Path: place(path), Type: "dir"} }

func place(path string) truth.Text {
	if strings.HasPrefix(path, "{") {
		return truth.Text(path)
	}
	return truth.Text("{ROOT}/" + path)
}

// Merge joins trees; of two entries of one path the later one stays.
func Merge(trees ...[]truth.Entry) []truth.Entry {
	var out []truth.Entry
	for _, t := range trees {
		for _, e := range t {
			out = slices.DeleteFunc(out, func(o truth.Entry) bool { return o.Path == e.Path })
			out = append(out, e)
		}
	}
	return out
}
