package confine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FoldersBase is where the folders for temporary files and caches of confined
// programs lie, or nothing where no home is known.
func FoldersBase(env []string) string {
	e := environ(env)
	if dir := e.get("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hydra-harness-runtime", "confine")
	}
	if home := e.get("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "hydra-harness-runtime", "confine")
	}
	return ""
}

// Folders fills in Tmp and Cache where the policy names none: private folders
// that belong to these write roots and last from one program to the next. Nothing
// that is not confined ever uses them, since a cache that confined code may write
// is a way out. A TMPDIR inside the write roots stays.
func Folders(p Policy, w World) (Policy, []string, error) {
	var notes []string
	for _, own := range []string{p.Tmp, p.Cache} {
		if own == "" {
			continue
		}
		if !filepath.IsAbs(own) {
			own = filepath.Join(w.Cwd, own)
		}
		if err := os.MkdirAll(own, 0o700); err != nil {
			return p, nil, err
		}
	}
	if len(p.WriteRoots) == 0 {
		return p, notes, nil
	}
	base := FoldersBase(w.Env)
	if base == "" {
		return p, append(notes, "no home is known, so that there is no folder for caches"), nil
	}
	dir := filepath.Join(base, p.key(w))
	tmp := environ(w.Env).get("TMPDIR")
	for _, f := range []struct {
		to   *string
		name string
		keep bool
	}{{&p.Tmp, "tmp", p.inside(tmp, w)}, {&p.Cache, "cache", false}} {
		if *f.to != "" || f.keep {
			continue
		}
		own := filepath.Join(dir, f.name)
		if err := private(own, base); err != nil {
			notes = append(notes, fmt.Sprintf("no folder of its own for %s: %v", f.name, err))
			continue
		}
		l, err := land(w.Tree, own)
		if err != nil || p.passes(l, w) {
			notes = append(notes, fmt.Sprintf("%s is reached through a link in a write root and not used", own))
			continue
		}
		*f.to = l.path
	}
	return p, notes, nil
}

// key names the write roots, in their order or not.
func (p Policy) key(w World) string {
	roots := p.landings(w)
	slices.Sort(roots)
	sum := sha256.Sum256([]byte(strings.Join(roots, "\x00")))
	return hex.EncodeToString(sum[:6]) // as short as the folders of saved results
}

func (p Policy) landings(w World) []string {
	var roots []string
	for _, text := range p.WriteRoots {
		if !filepath.IsAbs(text) {
			text = w.Cwd + "/" + text
		}
		if l, err := land(w.Tree, text); err == nil {
			roots = append(roots, l.path)
		}
	}
	return roots
}

func (p Policy) inside(dir string, w World) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	l, err := land(w.Tree, dir)
	return err == nil && l.kind == Dir && underAny(l.path, p.landings(w))
}

// passes reports whether a link on the way could have been made by the program.
func (p Policy) passes(l landing, w World) bool {
	roots := p.landings(w)
	return slices.ContainsFunc(l.links, func(link string) bool { return underAny(link, roots) })
}

// private makes a folder, for this user alone from base on, and refuses one that
// is somebody else's or a link.
func private(dir, base string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for at := dir; len(at) >= len(base); at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder", at)
		}
		if uid, ok := (HostTree{}).Owner(at); !ok || uid != uint32(os.Geteuid()) {
			return fmt.Errorf("%s belongs to somebody else", at)
		}
		if info.Mode().Perm()&0o022 != 0 {
			return fmt.Errorf("others may write in %s", at)
		}
	}
	return nil
}

// FoldersSize is how many bytes lie in the folders of confined programs.
func FoldersSize(base string) (bytes int64, err error) {
	err = filepath.WalkDir(base, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // removed while we look, or never made
			}
			return err
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes, err
}
