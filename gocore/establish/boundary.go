package establish

import (
	"fmt"
	"strings"
)

// Boundary is what a command's words are held against. All paths are absolute
// bytes in a string.
type Boundary struct {
	// ReadRoots and WriteRoots are the directories a command may read and
	// write. No write root: nothing may be written.
	ReadRoots, WriteRoots []string
	// DenyPaths are paths that are refused, each with all below it. They are
	// carried and resolved here and compiled and judged by package judge.
	DenyPaths []string
	// Home is the home directory of the command; HomeViews are the other
	// spellings under which the same home is seen.
	Home      string
	HomeViews []string
	// RootsCanonical says that the roots are where they lead already, so they
	// are not resolved once more.
	RootsCanonical bool
	// Cwd is the directory the command starts in, as its PWD spells it.
	Cwd string
}

// Validate names the first field that is no absolute path.
func (b *Boundary) Validate() error {
	for _, l := range b.lists() {
		for i, p := range *l.list {
			if err := absolute(fmt.Sprintf("%s[%d]", l.field, i), p); err != nil {
				return err
			}
		}
	}
	for field, p := range map[string]string{"home": b.Home, "cwd": b.Cwd} {
		if p == "" {
			continue
		}
		if err := absolute(field, p); err != nil {
			return err
		}
	}
	return nil
}

type boundaryList struct {
	field string
	list  *[]string
}

func (b *Boundary) lists() []boundaryList {
	return []boundaryList{
		{"readRoots", &b.ReadRoots}, {"writeRoots", &b.WriteRoots},
		{"denyPaths", &b.DenyPaths}, {"homeViews", &b.HomeViews},
	}
}

func absolute(field, p string) error {
	bad := func(m string) error { return &Error{Code: CodeBadBoundary, Field: field, Message: m} }
	switch {
	case p == "":
		return bad("is empty; leave it out or give an absolute path")
	case p[0] != '/':
		return bad(fmt.Sprintf("%q is not an absolute path", p))
	case strings.IndexByte(p, 0) >= 0:
		return bad("holds a NUL byte, which no path can")
	}
	return nil
}

// homes are the spellings of the home that a denied path may be compiled at.
func (b *Boundary) homes() []string {
	var out []string
	if b.Home != "" {
		out = append(out, b.Home)
	}
	return append(out, b.HomeViews...)
}
