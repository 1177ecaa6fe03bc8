package establish

import (
	"github.com/hydraharness/harness-runtime/gocore/gitfile"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
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

// submodules looks at the repositories inside one: git runs itself in them, by
// their own configuration and hooks, to say what changed there.
func (l *configLook) submodules(c *shellplan.Check, repo *repository) error {
	if repo.top == "" {
		return nil
	}
	file := resolve.Join(repo.gitDir, "index")
	p, err := l.resolve(&resolve.RootDir, file, resolve.Options{Follow: true, Reads: true})
	if err != nil || p.State == AbsentTail {
		return err
	}
	files, ok := l.files, l.files != nil
	if !ok || p.State != Canonical {
		l.out.worsen(CouldNotLook, "%s cannot be read", file)
		return nil
	}
	data, err := files.ReadFile(l.ctx, p.Path, maxIndex)
	if err != nil {
		if err := l.gone(err); err != nil {
			return err
		}
		l.out.worsen(CouldNotLook, "%s cannot be read", file)
		return nil
	}
	links, ok := gitfile.Submodules(data)
	if !ok && len(data) > 0 {
		l.out.worsen(CouldNotLook, "%s has a form that is not read", file)
		return nil
	}
	for _, at := range links {
		if l.modules++; l.modules > maxSubmodules {
			l.out.worsen(CouldNotLook, "%s has too many submodules", repo.top)
			return nil
		}
		top := resolve.Join(repo.top, at)
		dir, err := l.resolve(&resolve.RootDir, top, resolve.Options{Follow: true, Reads: true})
		if err != nil {
			return err
		}
		if dir.State == AbsentTail {
			continue
		}
		sub, f, err := l.discover(dir.Path)
		if err != nil {
			return err
		}
		switch {
		case f != nil || dir.State != Canonical:
			l.out.worsen(CouldNotLook, "the submodule %s", top)
			continue
		case sub == nil || sub.top != dir.Path:
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
