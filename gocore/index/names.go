package index

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Names asks wants about every regular file at and beneath a directory, but not in
// version control's own, and calls each for those that it wants, as long as that
// returns true; and returns the directories that could not be listed. Or it says why
// they are not known.
//
// The files come in the order of their paths, which spares whoever sorts them.
func (s *Set) Names(workdir, dir string, wants func(path, base string) bool, each func(search.IndexedName) bool) ([]search.Locked, string) {
	r, rel, reason := s.find(workdir, dir)
	if r == nil {
		return nil, s.plain(reason)
	}
	tree, reason := r.current()
	if tree == nil {
		return nil, s.plain(reason)
	}
	defer tree.Unlock()
	d := tree.At(rel)
	if d == nil || d.Unreadable != 0 {
		return nil, s.plain(ReasonUnwalkedPath)
	}
	if r.names.of != tree.Names() || r.names.files == nil {
		r.names = roster{of: tree.Names()}
		r.names.files = make([]rostered, 0, tree.Len())
		r.names.add(tree.Root(), "")
	}
	return r.names.within(rel, wants, each), ""
}

// roster is every file of a tree in the order of their paths, as long as no name
// comes or goes: what makes a listing slow is to put it in order.
type roster struct {
	of     uint64 // the tree's Names
	files  []rostered
	locked []search.Locked
}

type rostered struct {
	path string
	base int // where the last part of the path begins
	file *fresh.File
}

// add takes in a directory. What lies beneath one of its directories comes where a
// name with a slash at its end would.
func (r *roster) add(d *fresh.Dir, prefix string) {
	if d.Unreadable != 0 {
		r.locked = append(r.locked, search.Locked{Path: strings.TrimSuffix(prefix, "/"), Errno: d.Unreadable})
	}
	type child struct {
		key  string
		file *fresh.File
		dir  *fresh.Dir
	}
	children := make([]child, 0, len(d.Files)+len(d.Dirs))
	for base, f := range d.Files {
		if base[0] != '.' || !fresh.Unwatched(base) {
			children = append(children, child{key: base, file: f})
		}
	}
	for base, sub := range d.Dirs {
		children = append(children, child{key: base + "/", dir: sub})
	}
	slices.SortFunc(children, func(a, b child) int { return cmp.Compare(a.key, b.key) })
	for _, c := range children {
		if c.dir != nil {
			r.add(c.dir, prefix+c.key)
			continue
		}
		r.files = append(r.files, rostered{prefix + c.key, len(prefix), c.file})
	}
}

// within goes through what lies at and beneath a directory, relative to it.
func (r *roster) within(rel string, wants func(path, base string) bool, each func(search.IndexedName) bool) []search.Locked {
	files, locked, skip := r.files, r.locked, 0
	if rel != "" {
		prefix := rel + "/"
		skip = len(prefix)
		files = files[sort.Search(len(files), func(i int) bool { return files[i].path >= prefix }):]
		files = files[:sort.Search(len(files), func(i int) bool { return !strings.HasPrefix(files[i].path, prefix) })]
		locked = nil
		for _, l := range r.locked {
			if below, ok := strings.CutPrefix(l.Path, prefix); ok {
				locked = append(locked, search.Locked{Path: below, Errno: l.Errno})
			}
		}
	}
	for i := range files {
		f := &files[i]
		path := f.path[skip:]
		if wants(path, f.path[f.base:]) && !each(search.IndexedName{Path: path, Sec: f.file.Sec, Nsec: f.file.Nsec, Dated: f.file.Known}) {
			break
		}
	}
	return slices.SortedFunc(slices.Values(locked), func(a, b search.Locked) int { return cmp.Compare(a.Path, b.Path) })
}
