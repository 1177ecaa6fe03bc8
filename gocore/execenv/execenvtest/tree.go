package execenvtest

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
)

// Tree is a file system in memory. Building methods panic on a mistake in the
// test and return the tree, so that they chain. Once built it is safe for
// concurrent use, building included.
type Tree struct {
	mu    sync.Mutex
	root  *node
	caps  execenv.Capabilities
	calls []Call
	fails []failure
	hook  func(Call)
}

// Call is one question that was asked.
type Call struct{ Op, Path string }

type failure struct {
	op, path string // empty: any
	nth      int    // 1-based among the calls that fit; 0: every one
	seen     int
	problem  execenv.Problem
}

type node struct {
	kind       execenv.Kind
	target     string // of a link
	content    []byte
	executable bool
	noSearch   bool
	noRead     bool
	entries    map[string]*node
}

// New is an empty tree: a root directory and the capabilities of an
// authoritative Linux environment that keeps clear of magic links.
func New() *Tree {
	return &Tree{
		root: dir(),
		caps: execenv.Capabilities{Authoritative: true, CanonicalStopsAtMagic: true},
	}
}

func dir() *node { return &node{kind: execenv.Dir, entries: map[string]*node{}} }

// Declare replaces the capabilities.
func (t *Tree) Declare(c execenv.Capabilities) *Tree { t.caps = c; return t }

// Dir makes a directory and its parents.
func (t *Tree) Dir(path string) *Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mkdirs(path)
	return t
}

func (t *Tree) mkdirs(path string) *node {
	n := t.root
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name == "" {
			continue
		}
		next := n.entries[name]
		if next == nil {
			next = dir()
			n.entries[name] = next
		}
		if next.kind != execenv.Dir {
			panic(fmt.Sprintf("execenvtest: %s in %s is no directory", name, path))
		}
		n = next
	}
	return n
}

func (t *Tree) put(path string, n *node) *Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := strings.LastIndexByte(path, '/')
	t.mkdirs(path[:at]).entries[path[at+1:]] = n
	return t
}

// File makes an empty file, parents included.
func (t *Tree) File(path string) *Tree { return t.put(path, &node{kind: execenv.File}) }

// Content makes a file with content.
func (t *Tree) Content(path, content string) *Tree {
	return t.put(path, &node{kind: execenv.File, content: []byte(content)})
}

// Program makes a file with an execute bit.
func (t *Tree) Program(path string) *Tree {
	return t.put(path, &node{kind: execenv.File, executable: true})
}

// Link makes a symbolic link, replacing what is there.
func (t *Tree) Link(path, target string) *Tree {
	return t.put(path, &node{kind: execenv.Link, target: target})
}

// Device makes an entry that is neither file, directory nor link.
func (t *Tree) Device(path string) *Tree { return t.put(path, &node{kind: execenv.Other}) }

// Files makes n empty files prefix00000, prefix00001, ... in a directory.
func (t *Tree) Files(dir, prefix string, n int) *Tree {
	for i := range n {
		t.File(fmt.Sprintf("%s/%s%05d", dir, prefix, i))
	}
	return t
}

// Dirs makes n directories prefix00000, prefix00001, ... in a directory.
func (t *Tree) Dirs(dir, prefix string, n int) *Tree {
	for i := range n {
		t.Dir(fmt.Sprintf("%s/%s%05d", dir, prefix, i))
	}
	return t
}

// Chain makes n links prefix00, prefix01, ... each to the next, the last to
// target.
func (t *Tree) Chain(dir, prefix string, n int, target string) *Tree {
	for i := range n {
		next := target
		if i+1 < n {
			next = fmt.Sprintf("%s%02d", prefix, i+1)
		}
		t.Link(fmt.Sprintf("%s/%s%02d", dir, prefix, i), next)
	}
	return t
}

// Remove takes an entry and all below it away.
func (t *Tree) Remove(path string) *Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := strings.LastIndexByte(path, '/')
	delete(t.mkdirs(path[:at]).entries, path[at+1:])
	return t
}

// NoSearch takes the search permission of a directory away, NoRead the
// permission to list it.
func (t *Tree) NoSearch(path string) *Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mkdirs(path).noSearch = true
	return t
}

// NoRead takes the permission to list a directory away.
func (t *Tree) NoRead(path string) *Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mkdirs(path).noRead = true
	return t
}

// Fail makes questions fail: those of op about path, each empty for any; the
// nth that fits, 0 for every one.
func (t *Tree) Fail(op, path string, nth int, p execenv.Problem) *Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fails = append(t.fails, failure{op: op, path: path, nth: nth, problem: p})
	return t
}

// Heal takes all failures back.
func (t *Tree) Heal() *Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fails = nil
	return t
}

// Hook is called before each question is answered, outside any lock: a test
// changes the tree under the asker's feet there.
func (t *Tree) Hook(f func(Call)) *Tree { t.hook = f; return t }

// Calls are the questions asked since the last Reset, in order.
func (t *Tree) Calls() []Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Call(nil), t.calls...)
}

// Count is how many questions of each kind were asked: "canonical", "lstat",
// "readlink", "list", "read", "executable".
func (t *Tree) Count() map[string]int {
	out := map[string]int{}
	for _, c := range t.Calls() {
		out[c.Op]++
	}
	return out
}

// Reset forgets the questions asked.
func (t *Tree) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = nil
}

func (n *node) names() []string {
	var out []string
	for name := range n.entries {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
