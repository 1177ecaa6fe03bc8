package index

import "github.com/hydraharness/harness-runtime/gocore/fresh"

// maxCounts is how many questions are remembered.
const maxCounts = 64

// counts remembers how many files a plain search would look at, as long as no name
// comes, goes or changes. It is guarded by the lock of the tree.
type counts struct {
	moment uint64
	known  map[string]int
	locked map[string][]string
}

// walked counts the walked files at and beneath a directory that wants takes. The
// question is told from others by key.
func (c *counts) walked(tree *fresh.Tree, key string, d *fresh.Dir, wants func(rel string) bool) int {
	c.refresh(tree)
	if n, ok := c.known[key]; ok {
		return n
	}
	n := 0
	d.Walk(func(rel string, f *fresh.File) {
		if f.Note == noteWalked && (wants == nil || wants(rel)) {
			n++
		}
	}, nil)
	c.known[key] = n
	return n
}

// forget lets the next question count anew.
func (c *counts) forget() { c.known = nil }

// refresh forgets what may be no more.
func (c *counts) refresh(tree *fresh.Tree) {
	if c.known == nil || c.moment != tree.Moment() || len(c.known)+len(c.locked) >= maxCounts {
		c.moment, c.known, c.locked = tree.Moment(), map[string]int{}, map[string][]string{}
	}
}

// unreadable returns the directories beneath one, which key tells from others, that
// could not be listed.
func (c *counts) unreadable(tree *fresh.Tree, key string, d *fresh.Dir) []string {
	c.refresh(tree)
	all, ok := c.locked[key]
	if !ok {
		d.Walk(nil, func(rel string, d *fresh.Dir) {
			if d.Unreadable != 0 {
				all = append(all, rel)
			}
		})
		c.locked[key] = all
	}
	return all
}
