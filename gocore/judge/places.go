package judge

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
)

// places are the paths that landings are held against.
type places struct {
	read, write []string // canonical
	deny        []deniedPath
	// denied finds a denied path by where it leads and by its spelling: there
	// are dozens of places, and a walk may land on thousands of paths.
	denied map[string]string
	homes  []string // by where they lead and by their spelling
	fold   bool
}

// deniedPath is one denied path: where it leads and how it is spelled.
type deniedPath struct{ path, spelling string }

// devices may be read and written by anybody and keep nothing.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// systemBins hold the programs of the system; that a known command lies there is
// no news.
var systemBins = []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"}

func placesOf(e *establish.Established) places {
	p := places{fold: e.CaseInsensitive}
	for _, r := range e.ReadRoots {
		if r.State != establish.Unestablishable {
			p.read = append(p.read, p.key(r.Path))
		}
	}
	for _, r := range e.WriteRoots {
		if r.State != establish.Unestablishable {
			p.write = append(p.write, p.key(r.Path))
		}
	}
	for _, r := range e.Homes {
		p.homes = append(p.homes, p.key(r.Path), p.key(r.Spelling))
	}
	p.denied = make(map[string]string, 2*len(e.DenyPaths))
	for _, r := range e.DenyPaths {
		// One whose place is not known is still refused by its spelling.
		s := deniedPath{path: p.key(r.Path), spelling: p.key(r.Spelling)}
		p.deny = append(p.deny, s)
		for _, at := range []string{s.path, s.spelling} {
			if _, known := p.denied[at]; !known && at != "" {
				p.denied[at] = s.spelling
			}
		}
	}
	return p
}

// key makes paths comparable: on a file system that folds case, in lower case.
func (p *places) key(path string) string {
	if p.fold {
		path = strings.ToLower(path)
	}
	if path != "/" {
		path = strings.TrimRight(path, "/")
	}
	return path
}

// under reports whether path lies at or below dir.
func under(path, dir string) bool {
	return path == dir || dir == "/" || dir != "" && strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}

func (p *places) underAny(path string, dirs []string) bool {
	path = p.key(path)
	for _, dir := range dirs {
		if under(path, dir) {
			return true
		}
	}
	return false
}

func (p *places) readable(path string) bool {
	return p.underAny(path, p.read) || p.underAny(path, p.write) || isDevice(path)
}

func (p *places) writable(path string) bool { return p.underAny(path, p.write) || isDevice(path) }

func isDevice(path string) bool {
	for _, device := range devices {
		if path == device {
			return true
		}
	}
	return false
}

// refused returns the denied path that a path lies in, by where it leads or by
// a spelling without dots.
func (p *places) refused(path string) (string, bool) {
	for path = p.key(path); path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		if spelling, found := p.denied[path]; found {
			return spelling, true
		}
		if !strings.Contains(path, "/") {
			break
		}
	}
	spelling, found := p.denied["/"]
	return spelling, found
}

// refusedBelow returns a denied path that lies below a directory.
func (p *places) refusedBelow(dir string) (string, bool) {
	dir = p.key(dir)
	for _, s := range p.deny {
		if under(s.path, dir) || under(s.spelling, dir) {
			return s.spelling, true
		}
	}
	return "", false
}

// holdsHome reports whether a path is a home, lies above one, or is the root of
// the file system.
func (p *places) holdsHome(path string) bool {
	path = p.key(path)
	return path == "/" || path != "" && slices.ContainsFunc(p.homes, func(home string) bool { return home != "" && under(home, path) })
}
