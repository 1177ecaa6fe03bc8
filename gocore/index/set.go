package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/fresh"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// Defaults of the configuration file.
const (
	// DefaultMaxBytes holds the texts of some 50,000 source files many times over.
	DefaultMaxBytes = 256 << 20
	// DefaultMaxFiles and DefaultMaxWatches are those of the largest repositories: each
	// file takes some 200 bytes, and each watch about 1 KiB of the kernel's memory.
	DefaultMaxFiles   = 500_000
	DefaultMaxWatches = 100_000
)

const (
	// maxRoots is how many trees are watched at once. The one that was asked least
	// recently makes room.
	maxRoots = 8
	// maxSeen is how many roots are remembered that were searched once.
	maxSeen = 1024
	// searchesUntil is at which search of a root its index is made: one that is
	// searched once pays nothing.
	searchesUntil = 2
	// retryAfter is how long a root stays as it is that cannot be watched.
	retryAfter = time.Minute
)

// Options are what a Set is made of. Bounds that are not positive admit nothing.
type Options struct {
	Sidecar *ripgrep.Sidecar
	Runner  subprocess.Runner
	// Environ is the environment of this process.
	Environ []string
	// Grace is how long ripgrep may take to end once it was told to.
	Grace time.Duration
	// MaxFiles and MaxWatches bound the files and directories of a root, and MaxBytes
	// what is held of all texts together.
	MaxFiles, MaxWatches int
	MaxBytes             int64
}

// Set holds the indexes of one runtime. It is safe for concurrent use.
type Set struct {
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup

	mu     sync.Mutex
	closed bool
	roots  map[string]*root
	seen   map[string]int // roots that were searched, and how often
	last   string         // why the last plain answer was one
}

// New returns a Set without an index.
func New(o Options) *Set {
	o.Environ = search.SidecarEnviron(o.Environ)
	ctx, cancel := context.WithCancel(context.Background())
	return &Set{options: o, ctx: ctx, cancel: cancel, roots: map[string]*root{}, seen: map[string]int{}}
}

// Close drops all indexes and waits for whatever is at work on them.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	roots := s.roots
	s.roots = map[string]*root{}
	s.mu.Unlock()
	s.cancel()
	for _, r := range roots {
		r.end()
	}
	s.work.Wait()
}

// find returns the root that serves a directory and the directory relative to it,
// or the reason why there is none. workdir is the working directory of the call: an
// index is one of that, when the directory lies in it.
func (s *Set) find(workdir, dir string) (r *root, rel, reason string) {
	path, err := fresh.Canonical(dir)
	if err != nil {
		return nil, "", ReasonOff
	}
	home := path
	if base, err := fresh.Canonical(workdir); err == nil {
		if _, inside := within(path, base); inside {
			home = base
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, "", ReasonOff
	}
	for at, one := range s.roots {
		if below, inside := within(path, at); inside && !one.done() && (r == nil || len(at) < len(r.path)) {
			r, rel = one, below
		}
	}
	if r != nil {
		r.used = time.Now()
		return r, rel, ""
	}
	if lost := s.roots[home]; lost != nil {
		reason, again := lost.fate()
		if time.Now().After(again) {
			delete(s.roots, home)
			s.start(home)
		}
		return nil, "", reason
	}
	if s.seen[home]++; s.seen[home] < searchesUntil {
		if len(s.seen) > maxSeen {
			clear(s.seen)
		}
		return nil, "", ReasonOff
	}
	delete(s.seen, home)
	s.start(home)
	return nil, "", ReasonBuilding
}

// start makes an index in the background.
func (s *Set) start(path string) {
	if len(s.roots) >= maxRoots {
		oldest := slices.MinFunc(s.all(), func(a, b *root) int { return cmp.Compare(a.used.UnixNano(), b.used.UnixNano()) })
		delete(s.roots, oldest.path)
		s.work.Go(oldest.end)
	}
	r := newRoot(s, path)
	s.roots[path] = r
	s.work.Go(r.run)
}

func (s *Set) all() []*root {
	all := make([]*root, 0, len(s.roots))
	for _, r := range s.roots {
		all = append(all, r)
	}
	return all
}

// plain remembers why an answer was plain.
func (s *Set) plain(reason string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = reason
	return reason
}

// bytes is what all indexes hold of texts.
func (s *Set) bytes() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.roots {
		n += r.size.Load()
	}
	return n
}

// within returns inner relative to outer, when it lies at or beneath it.
func within(inner, outer string) (rel string, ok bool) {
	switch {
	case inner == outer:
		return "", true
	case outer == "/":
		return inner[1:], true
	}
	return strings.CutPrefix(inner, outer+"/")
}

// Status is one index, for people.
type Status struct {
	Root string `json:"root"`
	// State is "ready", or the reason why the answers are plain.
	State string `json:"state"`
	// Files is how many there are, Walked how many of them a search looks at.
	Files  int `json:"files"`
	Walked int `json:"walked"`
	// Changed is how many are to be read again, Read how many were read of all that
	// are to be read at first.
	Changed int `json:"changed"`
	// Watches is how many directories are watched, Bytes what is held of the texts.
	Watches int   `json:"watches"`
	Bytes   int64 `json:"bytes"`
}

// Status describes all indexes, by root, and says why the last answer was plain
// that was.
func (s *Set) Status() (all []Status, last string) {
	s.mu.Lock()
	roots := s.all()
	last = s.last
	s.mu.Unlock()
	for _, r := range roots {
		all = append(all, r.status())
	}
	slices.SortFunc(all, func(a, b Status) int { return strings.Compare(a.Root, b.Root) })
	return all, last
}
