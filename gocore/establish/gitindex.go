package establish

import (
	"bytes"
	"encoding/binary"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

const (
	// maxIndex is the largest index that is read, in bytes: a repository of
	// some 200,000 files. A larger one leaves its submodules unknown.
	maxIndex = 32 << 20
	// maxSubmodules bounds how many repositories inside one are looked at, at
	// all depths together.
	maxSubmodules = 64
)

// gitlinks are the paths of an index that are repositories of their own; false
// when the index is not one that is read here (the formats 2 to 4 are).
func gitlinks(index []byte) ([]string, bool) {
	const header, fixed = 12, 62 // of an entry: times, numbers, mode, name of the object, flags
	if len(index) < header || string(index[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	var out []string
	var path []byte
	rest := index[header:]
	for range count {
		if len(rest) < fixed+1 {
			return nil, false
		}
		mode, flags := binary.BigEndian.Uint32(rest[24:]), binary.BigEndian.Uint16(rest[60:])
		n := fixed
		if version >= 3 && flags&0x4000 != 0 {
			n += 2
		}
		if version == 4 { // so many bytes of the path before are dropped
			drop, k := offsetVarint(rest[n:])
			if k == 0 || drop > len(path) {
				return nil, false
			}
			path, n = path[:len(path)-drop], n+k
		} else {
			path = path[:0]
		}
		end := bytes.IndexByte(rest[min(n, len(rest)):], 0)
		if end < 0 {
			return nil, false
		}
		path = append(path, rest[n:n+end]...)
		if version == 4 {
			n += end + 1
		} else {
			n = (n + end + 8) &^ 7
		}
		if mode == 0o160000 {
			out = append(out, string(path))
		}
		if mode == 0o040000 || n > len(rest) {
			return nil, false // a sparse index names directories
		}
		rest = rest[n:]
	}
	// Behind the entries stand the extensions; with `link` most entries are in
	// another file.
	return out, !bytes.HasPrefix(rest, []byte("link"))
}

// offsetVarint reads git's variable-width number and gives its length, 0 when
// there is none.
func offsetVarint(b []byte) (v, n int) {
	for n < len(b) && n < 5 {
		c := int(b[n])
		n++
		v = v<<7 | c&0x7f
		if c&0x80 == 0 {
			return v, n
		}
		v++
	}
	return 0, 0
}

// submodules looks at the repositories inside one: git runs itself in them, by
// their own configuration and hooks, to say what changed there.
func (l *configLook) submodules(c *shellplan.Check, repo *repository) error {
	if repo.top == "" {
		return nil
	}
	file := join(repo.gitDir, "index")
	p, err := l.resolve(&rootSpot, file, how{follow: true, reads: true})
	if err != nil || p.state == AbsentTail {
		return err
	}
	files, ok := l.env.(execenv.FileReader)
	if !ok || p.state != Canonical {
		l.out.worsen(CouldNotLook, "%s cannot be read", file)
		return nil
	}
	data, err := files.ReadFile(l.ctx, p.path, maxIndex)
	if err != nil {
		if err := l.gone(err); err != nil {
			return err
		}
		l.out.worsen(CouldNotLook, "%s cannot be read", file)
		return nil
	}
	links, ok := gitlinks(data)
	if !ok && len(data) > 0 {
		l.out.worsen(CouldNotLook, "%s has a form that is not read", file)
		return nil
	}
	for _, at := range links {
		if l.modules++; l.modules > maxSubmodules {
			l.out.worsen(CouldNotLook, "%s has too many submodules", repo.top)
			return nil
		}
		top := join(repo.top, at)
		dir, err := l.resolve(&rootSpot, top, how{follow: true, reads: true})
		if err != nil {
			return err
		}
		if dir.state == AbsentTail {
			continue
		}
		sub, f, err := l.discover(dir.path)
		if err != nil {
			return err
		}
		switch {
		case f != nil || dir.state != Canonical:
			l.out.worsen(CouldNotLook, "the submodule %s", top)
			continue
		case sub == nil || sub.top != dir.path:
			continue // not checked out
		}
		if err := l.hooks(c, sub, l.out); err != nil {
			return err
		}
		if err := l.repository(c, sub); err != nil {
			return err
		}
	}
	return nil
}
