package execenvtest

import (
	"context"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

var (
	_ execenv.Env           = (*Tree)(nil)
	_ execenv.LinkReader    = (*Tree)(nil)
	_ execenv.FileReader    = (*Tree)(nil)
	_ execenv.Executability = (*Tree)(nil)
)

// Only hides every extra ability of an environment: neither links nor files can
// be read through it.
type Only struct{ execenv.Env }

// Untouchable is an environment that must not be asked anything: every
// question panics.
type Untouchable struct{ Caps execenv.Capabilities }

// Capabilities are as given.
func (u Untouchable) Capabilities() execenv.Capabilities { return u.Caps }

// CanonicalPath panics.
func (Untouchable) CanonicalPath(context.Context, string) (string, error) {
	panic("execenvtest: CanonicalPath asked")
}

// Lstat panics.
func (Untouchable) Lstat(context.Context, string) (execenv.Kind, error) {
	panic("execenvtest: Lstat asked")
}

// ListDir panics.
func (Untouchable) ListDir(context.Context, string, int) ([]execenv.DirEntry, error) {
	panic("execenvtest: ListDir asked")
}

// Capabilities are as declared.
func (t *Tree) Capabilities() execenv.Capabilities { return t.caps }

func fail(p execenv.Problem, op, path string) error {
	return &execenv.Error{Problem: p, Op: op, Path: path}
}

// ask counts a question and fails it when a test said so.
func (t *Tree) ask(ctx context.Context, op, path string) error {
	if t.hook != nil {
		t.hook(Call{op, path})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, Call{op, path})
	if err := ctx.Err(); err != nil {
		return &execenv.Error{Op: op, Path: path, Err: err}
	}
	if !strings.HasPrefix(path, "/") {
		return fail(execenv.NoAnswer, op, path)
	}
	for i := range t.fails {
		f := &t.fails[i]
		if (f.op != "" && f.op != op) || (f.path != "" && f.path != path) {
			continue
		}
		f.seen++
		if f.nth == 0 || f.nth == f.seen {
			return fail(f.problem, op, path)
		}
	}
	return nil
}

// CanonicalPath resolves like the kernel.
func (t *Tree) CanonicalPath(ctx context.Context, path string) (string, error) {
	if err := t.ask(ctx, "canonical", path); err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, _, err := t.resolve("canonical", path, true)
	return p, err
}

// Lstat looks at the entry, its directory part resolved.
func (t *Tree) Lstat(ctx context.Context, path string) (execenv.Kind, error) {
	if err := t.ask(ctx, "lstat", path); err != nil {
		return execenv.Unknown, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, n, err := t.resolve("lstat", path, false)
	if err != nil {
		return execenv.Unknown, err
	}
	return n.kind, nil
}

// ReadLink is the text of a link.
func (t *Tree) ReadLink(ctx context.Context, path string) (string, error) {
	if err := t.ask(ctx, "readlink", path); err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, n, err := t.resolve("readlink", path, false)
	if err != nil {
		return "", err
	}
	if n.kind != execenv.Link {
		return "", fail(execenv.NoAnswer, "readlink", path)
	}
	return n.target, nil
}

// ListDir gives at most max+1 names.
func (t *Tree) ListDir(ctx context.Context, dir string, max int) ([]execenv.DirEntry, error) {
	if err := t.ask(ctx, "list", dir); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, n, err := t.resolve("list", dir, true)
	switch {
	case err != nil:
		return nil, err
	case n.kind != execenv.Dir:
		return nil, fail(execenv.NotDir, "list", dir)
	case p != dir:
		return nil, fail(execenv.Loop, "list", dir)
	case n.noRead:
		return nil, fail(execenv.Denied, "list", dir)
	}
	var out []execenv.DirEntry
	for _, name := range n.names() {
		if len(out) > max {
			break
		}
		out = append(out, execenv.DirEntry{Name: name, Kind: n.entries[name].kind})
	}
	return out, nil
}

// ReadFile is the content of a file.
func (t *Tree) ReadFile(ctx context.Context, path string, max int) ([]byte, error) {
	if err := t.ask(ctx, "read", path); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, n, err := t.resolve("read", path, true)
	switch {
	case err != nil:
		return nil, err
	case n.kind != execenv.File:
		return nil, fail(execenv.NoAnswer, "read", path)
	case len(n.content) > max:
		return nil, fail(execenv.TooLong, "read", path)
	}
	return n.content, nil
}

// Executable is what Program made.
func (t *Tree) Executable(ctx context.Context, path string) (bool, error) {
	if err := t.ask(ctx, "executable", path); err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, n, err := t.resolve("executable", path, true)
	if err != nil {
		return false, err
	}
	return n.executable, nil
}

// resolve walks a path the way the kernel does. The caller holds the lock.
func (t *Tree) resolve(op, path string, follow bool) (string, *node, error) {
	if len(path) > t.caps.PathBytes() {
		return "", nil, fail(execenv.TooLong, op, path)
	}
	stack := []*node{t.root}
	var names []string
	rest, links := path, 0
	for {
		rest = strings.TrimLeft(rest, "/")
		if rest == "" {
			return "/" + strings.Join(names, "/"), stack[len(stack)-1], nil
		}
		name, after, more := strings.Cut(rest, "/")
		rest = after
		n := stack[len(stack)-1]
		switch {
		case n.kind != execenv.Dir:
			return "", nil, fail(execenv.NotDir, op, path)
		case n.noSearch:
			return "", nil, fail(execenv.Denied, op, path)
		case name == ".":
			continue
		case name == "..":
			if len(names) > 0 {
				names, stack = names[:len(names)-1], stack[:len(stack)-1]
			}
			continue
		case len(name) > 255:
			return "", nil, fail(execenv.TooLong, op, path)
		}
		next := n.entries[name]
		switch {
		case next == nil:
			return "", nil, fail(execenv.NotExist, op, path)
		case next.kind == execenv.Link && (more || follow):
			if links++; links > t.caps.Links() {
				return "", nil, fail(execenv.Loop, op, path)
			}
			if strings.HasPrefix(next.target, "/") {
				names, stack = nil, stack[:1]
			}
			rest = next.target
			if more {
				rest += "/" + after
			}
			continue
		case more && next.kind != execenv.Dir:
			return "", nil, fail(execenv.NotDir, op, path)
		}
		names, stack = append(names, name), append(stack, next)
	}
}
