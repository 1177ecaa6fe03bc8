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

// Unfill writes the placeholders in place of the world's paths.
func (w *World) Unfill(text string) string {
	return strings.NewReplacer(w.Root+"/", "{ROOT}/", w.Out+"/", "{OUT}/", w.Root, "{ROOT}", w.Out, "{OUT}", w.Base, "{BASE}").Replace(text)
}
