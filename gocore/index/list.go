package index

import (
	"io"
	"os"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

const (
	// listTries is how often what ripgrep walks is listed anew when it changed during
	// the listing. The next search has it tried again.
	listTries = 3
	// maxClassified is how many new files are asked about by name; of more the whole
	// tree is listed.
	maxClassified = 2000
)

// list has ripgrep list what it walks, when that may have changed.
func (r *root) list(tree *fresh.Tree) bool {
	for range listTries {
		if tree.Barrier() != "" {
			return false
		}
		var ignores, moment uint64
		current := false
		locked(tree, func() {
			ignores, moment = tree.Ignores(), tree.Moment()
			current = r.listed && r.listedAt == ignores
		})
		if current {
			return true
		}
		paths, ok := r.ask(nil)
		if !ok || tree.Barrier() != "" {
			return false
		}
		locked(tree, func() {
			if current = tree.Ignores() == ignores; current {
				ok = r.mark(tree, paths, moment, nil)
				r.listed, r.listedAt = ok, ignores
				r.counts.forget()
			}
		})
		if !ok {
			r.lose(ReasonUnwalkedPath)
		}
		if current {
			return ok
		}
	}
	return false
}

// classify asks ripgrep which of the files it walks that are new.
func (r *root) classify(tree *fresh.Tree) bool {
	if tree.Barrier() != "" {
		return false
	}
	var ignores, moment uint64
	var met []*fresh.File
	var paths []string
	locked(tree, func() {
		ignores, moment = tree.Ignores(), tree.Moment()
		for f := range tree.EachChanged() {
			if f.Note == 0 {
				met, paths = append(met, f), append(paths, f.Path())
			}
		}
	})
	if len(paths) == 0 {
		return true
	}
	var narrowing *ripgrep.Narrowing
	if len(paths) <= maxClassified {
		narrowing = &ripgrep.Narrowing{Walked: paths}
	}
	listed, ok := r.ask(narrowing)
	if !ok {
		return false
	}
	tree.Lock()
	defer tree.Unlock()
	if tree.Ignores() != ignores {
		return true // they are asked about once more when the tree is listed
	}
	r.counts.forget()
	return r.mark(tree, listed, moment, met)
}

// mark notes which files are walked. All others that have been there since the moment
// are not; all is every file when only is nil. It fails when ripgrep walks what the
// tree does not hold: version control's own files, which rules may bring back.
func (r *root) mark(tree *fresh.Tree, paths []string, moment uint64, only []*fresh.File) bool {
	walked := make(map[*fresh.File]bool, len(paths))
	for _, path := range paths {
		dir, name := "", path
		if at := strings.LastIndexByte(path, '/'); at >= 0 {
			dir, name = path[:at], path[at+1:]
		}
		if d := tree.At(dir); d != nil && d.Files[name] != nil {
			walked[d.Files[name]] = true
			continue
		}
		for part := range strings.SplitSeq(dir, "/") {
			if fresh.Unwatched(part) {
				return false
			}
		}
	}
	set := func(f *fresh.File) {
		switch {
		case f.Gone():
		case walked[f]:
			if f.Note = noteWalked; f.Tag&tagSkipped != 0 {
				tree.Forget(f) // it was never read
			}
		case tree.MetBy(f, moment):
			f.Note = noteUnwalked
			delete(r.special, f)
			tree.Learn(tree.Read(f), tagKnown|tagSkipped)
		}
	}
	if only == nil {
		tree.Root().Walk(func(_ string, f *fresh.File) { set(f) }, nil)
	}
	for _, f := range only {
		set(f)
	}
	return true
}

// ask runs ripgrep for the files that it walks, or for those of a narrowing that it
// does. What it says of directories that it cannot read is no concern: there is
// nothing to be listed in them.
func (r *root) ask(n *ripgrep.Narrowing) (paths []string, ok bool) {
	args := []string{"--no-config", "--files", "--null", "--no-ignore-global", "--no-ignore-messages", "--threads=1"}
	var files []*os.File
	if n != nil {
		text, err := ripgrep.MemoryFile(n.IgnoreFile())
		if err != nil {
			return nil, false
		}
		defer text.Close()
		files, args = []*os.File{text}, append(args, "--ignore-file="+ripgrep.FirstExtra)
	}
	list := ripgrep.List{Path: func(rel []byte) error {
		paths = append(paths, string(rel))
		return nil
	}}
	out, err := r.set.options.Runner.Run(r.ctx, subprocess.Spec{
		Path: r.set.options.Sidecar.Path(), Args: append(args, "--", "."), Dir: r.path, Env: r.set.options.Environ,
		ExtraFiles: files, Stdout: &list, Stderr: io.Discard, Grace: r.set.options.Grace,
	})
	return paths, err == nil && !out.Stopped() && out.Signal == 0 && out.Lost == nil && list.Close() == nil
}
