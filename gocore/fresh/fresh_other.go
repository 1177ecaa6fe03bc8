//go:build !linux

package fresh

import "iter"

// Tree is a watched directory tree; there are none on this system.
type Tree struct{}

// Open says that there is no barrier on this system.
func Open(string, Options) (*Tree, Lost) { return nil, Platform }

// The methods of Tree exist so that its callers compile; there is no Tree.

func (t *Tree) Close()                              {}
func (t *Tree) Barrier() Lost                       { return Platform }
func (t *Tree) Lock()                               {}
func (t *Tree) Unlock()                             {}
func (t *Tree) Root() *Dir                          { return nil }
func (t *Tree) At(string) *Dir                      { return nil }
func (t *Tree) Len() int                            { return 0 }
func (t *Tree) Watched() int                        { return 0 }
func (t *Tree) Changed() int                        { return 0 }
func (t *Tree) EachChanged() iter.Seq[*File]        { return func(func(*File) bool) {} }
func (t *Tree) Read(f *File) Reading                { return Reading{} }
func (t *Tree) Learn(r Reading, tag uint64) bool    { return false }
func (t *Tree) Ignores() uint64                     { return 0 }
func (t *Tree) Names() uint64                       { return 0 }
func (t *Tree) Moment() uint64                      { return 0 }
func (t *Tree) MetBy(f *File, moment uint64) bool   { return false }
func Canonical(dir string) (path string, err error) { return "", nil }
func (t *Tree) Forget(f *File)                      {}
