//go:build linux

// Package world keeps a small tree of files and puts it back after each command.
//
// {ROOT} is the tree a command may touch, {OUT} a directory beside it, {BASE}
// their parent. A world is built once (tree, then a text that the shell runs in
// it) and remembered; what a command changed is found by comparing inode and
// change time, so that a command that changed nothing costs a walk and no more.
package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// Spec says what a world holds.
type Spec struct {
	Tree  []truth.Entry
	Setup string
	// Cwd is where Setup runs; empty is {ROOT}.
	Cwd string
}

// Key tells specs apart.
func (s *Spec) Key() string { return s.TreeKey() + s.Cwd + "\x00" + s.Setup }

// TreeKey tells trees apart.
func (s *Spec) TreeKey() string {
	var b strings.Builder
	for i := range s.Tree {
		e := &s.Tree[i]
		content := ""
		if e.Content != nil {
			content = string(*e.Content)
		}
		fmt.Fprintf(&b, "%s\x00%s\x00%s\x00%s\x00%s\n", e.Path, e.Type, content, e.Target, e.Mode)
	}
	return b.String()
}

// World is a tree on disk.
type World struct {
	*truth.Stage
	Spec *Spec
	// Links are the symbolic links of the tree as it was built.
	Links map[string]string
	items []item // parents before what they hold
	base  identity
	setup string // all texts that made it
}

// item is one file as it was built.
type item struct {
	path   string
	mode   fs.FileMode
	data   []byte // of a file
	target string // of a link
	id     identity
}

// identity changes whenever the file does.
type identity struct {
	ino   uint64
	ctime syscall.Timespec
}

func identityOf(info fs.FileInfo) identity {
	s := info.Sys().(*syscall.Stat_t)
	return identity{s.Ino, s.Ctim}
}

// Build empties base, builds the world there and remembers it.
func Build(base string, spec *Spec) (*World, error) {
	if err := empty(base); err != nil {
		return nil, err
	}
	c := &truth.Case{ID: "world", Tree: spec.Tree, Setup: truth.Text(spec.Setup)}
	if spec.Cwd != "" && spec.Setup != "" {
		c.Setup = truth.Text("cd " + spec.Cwd + " && " + spec.Setup)
	}
	stage, err := truth.BuildAt(base, c)
	if err != nil {
		return nil, err
	}
	w := &World{Stage: stage, Spec: spec, setup: string(c.Setup)}
	return w, w.remember()
}

// Setup is the text that makes the world of its tree.
func (w *World) Setup() string { return w.setup }

// Variant runs a text in the world, which is on disk, and remembers what comes of
// it as a world of its own. The text may fail half way.
func (w *World) Variant(then string) (*World, error) {
	if err := w.Change(then); err != nil {
		return nil, err
	}
	v := &World{Stage: w.Stage, Spec: w.Spec, setup: then}
	if w.setup != "" {
		v.setup = w.setup + " && { " + then + "; true; }"
	}
	return v, v.remember()
}

// patience bounds a text that changes a world: some copy a directory into itself
// for as long as there is room.
const patience = 5 * time.Second

// Change runs a text in the world as somebody who has nothing to do with the
// commands would; that it fails, or does not come to an end, is not of interest.
func (w *World) Change(text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "--norc", "--noprofile", "-c", w.Fill(truth.Text(text)))
	cmd.Dir = w.Root
	if w.Spec.Cwd != "" {
		cmd.Dir = w.Fill(truth.Text(w.Spec.Cwd))
	}
	for name, v := range w.Environment(&truth.Case{Env: map[string]*truth.Text{}}) {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left running
	}
	if exit := (*exec.ExitError)(nil); err != nil && ctx.Err() == nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}

func (w *World) remember() error {
	w.Links, w.items = map[string]string{}, nil
	return filepath.WalkDir(w.Base, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if p == w.Base {
			w.base = identityOf(info)
			return nil
		}
		it := item{path: p, mode: info.Mode(), id: identityOf(info)}
		switch {
		case it.mode.IsRegular():
			it.data, err = os.ReadFile(p)
		case it.mode&fs.ModeSymlink != 0:
			it.target, err = os.Readlink(p)
			w.Links[p] = it.target
		}
		w.items = append(w.items, it)
		return err
	})
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

// Unfill writes the placeholders in place of the world's paths.
func (w *World) Unfill(text string) string {
	return strings.NewReplacer(w.Root+"/", "{ROOT}/", w.Out+"/", "{OUT}/", w.Root, "{ROOT}", w.Out, "{OUT}", w.Base, "{BASE}").Replace(text)
}

// Entry is one file of a tree.
type Entry = truth.Entry

// Text of a tree: F is a file, X one that may be run, L a link, D a directory.
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
