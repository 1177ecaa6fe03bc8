package search

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// target is where a search happens. All paths are spelled as given, made
// absolute by joining: only the kernel resolves them, since "link/.." is not
// what removing two components says.
type target struct {
	// workdir is the working directory of the call.
	workdir string
	// dir is the directory that ripgrep runs in: the search root, or for a file
	// the directory that holds it.
	dir string
	// file is the name of the file to search in dir, or "" to search dir.
	file string
	// root is how the search root is displayed.
	root string
	// display spells paths found under dir.
	display display
	// spelled is the length of the operand that the call's own path would have
	// been, with its slash: what each path in ripgrep's output is counted with.
	spelled int
}

// joinPath puts name behind dir without resolving anything.
func joinPath(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// absolute makes a path absolute against the working directory of the process.
func absolute(path string) (string, error) {
	if strings.HasPrefix(path, "/") {
		return path, nil
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if path == "" {
		return wd, nil
	}
	return joinPath(wd, path), nil
}

// resolve finds the target of a call. The error is an *Error.
func resolve(workdir, path string) (*target, error) {
	wd, err := absolute(workdir)
	if err != nil {
		return nil, fail(Failed, Details{}, err, "the working directory of the runtime cannot be found: %v", err)
	}
	info, err := os.Stat(wd)
	if err != nil {
		return nil, inaccessible("the working directory", workdir, err)
	}
	if !info.IsDir() {
		return nil, fail(Failed, Details{Path: workdir}, nil, "the working directory %s is not a directory", quote(workdir))
	}
	if path == "" {
		if err := readable(wd); err != nil {
			return nil, inaccessible("the working directory", wd, err)
		}
		return &target{workdir: wd, dir: wd, root: "."}, nil
	}
	full := path
	if !strings.HasPrefix(path, "/") {
		full = joinPath(wd, path)
	}
	info, err = os.Stat(full)
	if err != nil {
		refused := inaccessible("path", path, err)
		if absent(err) {
			refused.Message += insteadOf(wd, path)
		}
		return nil, refused
	}
	t := &target{workdir: wd, dir: full, spelled: len(strings.TrimSuffix(path, "/")) + 1}
	switch {
	case info.IsDir():
	case info.Mode().IsRegular():
		slash := strings.LastIndexByte(full, '/')
		t.dir, t.file = full[:slash+1], full[slash+1:]
		t.spelled = len(path)
	default:
		return nil, fail(Failed, Details{Path: path}, nil, "path %s is a %s; only files and directories can be searched", quote(path), kindOf(info.Mode()))
	}
	if err := readable(full); err != nil {
		return nil, inaccessible("path", path, err)
	}
	t.root, t.display = displayOf(wd, path, full, info)
	return t, nil
}

// display spells the paths found under a directory.
type display struct {
	// prefix stands before a path relative to the directory.
	prefix string
	// inside is the part of such a path that leads to the working directory,
	// with its slash: what lies there is displayed relative to it instead.
	inside string
}

// path spells rel, a path under the directory.
func (d display) path(a *arena, rel string) string {
	if d.inside != "" && strings.HasPrefix(rel, d.inside) {
		return rel[len(d.inside):]
	}
	return a.join(d.prefix, rel)
}

// below is the display of a directory further down, or up, along rel, which
// ends in a slash.
func (d display) below(rel string) display {
	switch {
	case d.inside != "" && strings.HasPrefix(rel, d.inside):
		return display{prefix: rel[len(d.inside):]}
	case d.inside != "" && strings.HasPrefix(d.inside, rel):
		return display{prefix: d.prefix + rel, inside: d.inside[len(rel):]}
	}
	return display{prefix: d.prefix + rel}
}

// displayOf says how the target at full, spelled path in the call, is displayed
// and how the paths beneath it are. A relative path keeps its spelling; an
// absolute one is shortened when it lies inside the working directory and the
// short form names the same file.
func displayOf(wd, path, full string, info fs.FileInfo) (root string, d display) {
	asSpelled := path
	if strings.HasPrefix(path, "/") {
		clean, cleanWD := filepath.Clean(full), filepath.Clean(wd)
		if rel, ok := under(clean, cleanWD); ok && sameFile(info, joinPath(wd, rel)) {
			if rel == "" {
				return ".", display{}
			}
			asSpelled = rel
		} else if rel, ok := under(cleanWD, clean); ok && info.IsDir() && sameAs(joinPath(full, rel), wd) {
			d.inside = rel + "/"
		}
	}
	if !info.IsDir() {
		// The file name is put behind the prefix again.
		return asSpelled, display{prefix: asSpelled[:strings.LastIndexByte(asSpelled, '/')+1]}
	}
	d.prefix = joinPath(asSpelled, "")
	return asSpelled, d
}

// under returns the path of inner relative to outer, both cleaned, when inner
// lies at or beneath outer.
func under(inner, outer string) (string, bool) {
	if inner == outer {
		return "", true
	}
	if outer == "/" {
		return inner[1:], true
	}
	return strings.CutPrefix(inner, outer+"/")
}

func sameFile(info fs.FileInfo, path string) bool {
	other, err := os.Stat(path)
	return err == nil && os.SameFile(info, other)
}

func sameAs(a, b string) bool {
	info, err := os.Stat(a)
	return err == nil && sameFile(info, b)
}
