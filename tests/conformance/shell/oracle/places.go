//go:build linux

package oracle

import (
	"os"
	"path/filepath"
	"strings"
)

// dir is the directory that argument i of a call is relative to.
func (r *recorder) dir(c *call, i int) string {
	if i < len(c.fds) {
		return c.fds[i]
	}
	if r.cwd != "" {
		return r.cwd
	}
	return r.Start
}

func absolute(dir, p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}

// linksBelow are the symbolic links of a tree with their targets.
func linksBelow(base string) map[string]string {
	out := map[string]string{}
	filepath.WalkDir(base, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type()&os.ModeSymlink != 0 {
			if t, err := os.Readlink(p); err == nil {
				out[p] = t
			}
		}
		return nil
	})
	return out
}

// landed resolves all links of a path: as they are now, after the run, or as
// they were before when the run took something on the way.
func (r *recorder) landed(p string) string {
	if full, err := filepath.EvalSymlinks(p); err == nil {
		return full
	}
	cur, rest := "/", strings.Split(p, "/")
	for hops := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			cur = filepath.Dir(cur)
			continue
		}
		next := strings.TrimSuffix(cur, "/") + "/" + name
		target, before := r.Links[next]
		if now, err := os.Readlink(next); err == nil {
			target, before = now, true
		}
		if !before || hops > 40 {
			cur = next
			continue
		}
		hops++
		if strings.HasPrefix(target, "/") {
			cur = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return cur
}

// entry resolves all but the last component.
func (r *recorder) entry(p string) string {
	p = strings.TrimRight(p, "/")
	dir, base := filepath.Split(p)
	if base == "." || base == ".." || base == "" {
		return r.landed(p)
	}
	return strings.TrimSuffix(r.landed(dir), "/") + "/" + base
}

// entryAt is the entry that a call names by argument i and a word. The trace
// tells where the kernel had the directory at that moment: a bare name needs no
// links resolved, which may lead elsewhere by now.
func (r *recorder) entryAt(c *call, i int, word string) string {
	dir := r.dir(c, i)
	if known := i < len(c.fds) || r.cwd != ""; known && word != "." && word != ".." && word != "" && !strings.Contains(word, "/") {
		return absolute(dir, word)
	}
	return r.entry(absolute(dir, word))
}
