//go:build linux

package world

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// identity changes whenever the file does.
type identity struct {
	ino   uint64
	ctime syscall.Timespec
}

func identityOf(info fs.FileInfo) identity {
	s := info.Sys().(*syscall.Stat_t)
	return identity{s.Ino, s.Ctim}
}

// Touched reports whether a path, which a command is said to have changed, or the
// directory that it lies in, is not as it was built. A trace has names as the
// command spelled them, and what they led to may have moved by the end.
func (w *World) Touched(path string) bool {
	if path != w.Base && !strings.HasPrefix(path, w.Base+"/") {
		return true
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		info, err := os.Lstat(p)
		was, known := w.base, p == w.Base
		if i := slices.IndexFunc(w.items, func(it item) bool { return it.path == p }); i >= 0 {
			was, known = w.items[i].id, true
		}
		if (err == nil) != known || err == nil && identityOf(info) != was {
			return true
		}
	}
	return false
}

// Restore puts back what is not as it was built.
func (w *World) Restore() error {
	want := make(map[string]int, len(w.items))
	for i := range w.items {
		want[w.items[i].path] = i
	}
	kept := make([]bool, len(w.items))
	if err := w.prune(w.Base, want, kept); err != nil {
		return err
	}
	for i := range w.items {
		if kept[i] {
			continue
		}
		if err := w.items[i].make(); err != nil {
			return err
		}
	}
	for i := range w.items { // what lies in a directory is there now: its own change time is settled
		if !kept[i] || w.items[i].mode.IsDir() {
			info, err := os.Lstat(w.items[i].path)
			if err != nil {
				return err
			}
			w.items[i].id = identityOf(info)
		}
	}
	info, err := os.Lstat(w.Base)
	if err == nil {
		w.base = identityOf(info)
	}
	return err
}

// prune removes what is not, or not any more, the file that was built.
func (w *World) prune(dir string, want map[string]int, kept []bool) error {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		if err = os.Chmod(dir, 0o755); err == nil {
			list, err = os.ReadDir(dir)
		}
	}
	if err != nil {
		return err
	}
	for _, d := range list {
		p := dir + "/" + d.Name()
		info, err := os.Lstat(p)
		if errors.Is(err, fs.ErrPermission) { // a directory that may be listed and not searched
			if err = os.Chmod(dir, 0o755); err == nil {
				info, err = os.Lstat(p)
			}
		}
		if err != nil {
			return err
		}
		i, known := want[p]
		switch {
		case known && info.IsDir() && w.items[i].mode.IsDir():
			if info.Mode() != w.items[i].mode {
				if err := os.Chmod(p, w.items[i].mode); err != nil {
					return err
				}
			}
			kept[i] = true
			if err := w.prune(p, want, kept); err != nil {
				return err
			}
			continue
		case known && info.Mode() == w.items[i].mode && identityOf(info) == w.items[i].id:
			kept[i] = true
			continue
		}
		if err := remove(p); err != nil {
			return err
		}
	}
	return nil
}

func (it *item) make() error {
	switch {
	case it.mode.IsDir():
		if err := os.Mkdir(it.path, 0o755); err != nil {
			return err
		}
		return os.Chmod(it.path, it.mode)
	case it.mode&fs.ModeSymlink != 0:
		return os.Symlink(it.target, it.path)
	case it.mode&fs.ModeNamedPipe != 0:
		return syscall.Mkfifo(it.path, uint32(it.mode.Perm()))
	}
	if err := os.WriteFile(it.path, it.data, 0o600); err != nil {
		return err
	}
	return os.Chmod(it.path, it.mode)
}

// remove deletes a file or a tree, directories without permissions included.
func remove(p string) error {
	err := os.RemoveAll(p)
	if err == nil {
		return nil
	}
	filepath.WalkDir(p, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o755)
		}
		return nil
	})
	return os.RemoveAll(p)
}

// empty makes an empty directory.
func empty(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		if err := remove(dir + "/" + d.Name()); err != nil {
			return err
		}
	}
	return nil
}

// Clean empties directories that commands may have written to, besides the tree.
func Clean(dirs ...string) error {
	for _, dir := range dirs {
		if err := empty(dir); err != nil {
			return err
		}
	}
	return nil
}
