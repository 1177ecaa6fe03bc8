package establish

import (
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/gitfile"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// hooks looks for the hooks that a subcommand may run. Which ones it runs has
// changed from version to version of git, so that any that is there counts, but
// for those that other subcommands alone run.
func (s *segmentRun) hooks(c *shellplan.Check, repo *repository, out *Check) error {
	dir := resolve.Join(repo.common, "hooks")
	names := slices.DeleteFunc(slices.Clone(c.Hooks), func(h string) bool { return h == shellplan.AnyHook })
	if len(names) < len(c.Hooks) {
		s.asked = append(s.asked, rest{check: c, path: dir, below: true})
		there, err := s.hooksThere(dir, out)
		if err != nil {
			return err
		}
		names = append(names, there...)
	}
	for _, h := range names {
		if err := s.hook(c, resolve.Join(dir, h), out); err != nil {
			return err
		}
	}
	return nil
}

// hooksThere lists the files in a directory of hooks that may run.
func (s *segmentRun) hooksThere(dir string, out *Check) ([]string, error) {
	p, err := s.resolve(&resolve.RootDir, dir, resolve.Options{Follow: true, Reads: true})
	if err != nil || p.State == AbsentTail {
		return nil, err
	}
	if p.State != Canonical {
		out.worsen(CouldNotLook, "%s: %s", dir, p.Reason)
		return nil, nil
	}
	entries, err := s.env.ListDir(s.ctx, p.Path, maxHooks)
	if err != nil {
		if err := s.gone(err); err != nil {
			return nil, err
		}
		if execenv.ProblemOf(err) != execenv.NotDir {
			out.worsen(CouldNotLook, "%s cannot be listed", dir)
		}
		return nil, nil
	}
	if len(entries) > maxHooks {
		out.worsen(CouldNotLook, "%s holds more than %d files", dir, maxHooks)
	}
	var names []string
	for _, e := range entries {
		if e.Kind != execenv.Dir && !gitfile.HookRunsElsewhere(e.Name) {
			names = append(names, e.Name)
		}
	}
	return names, nil
}

// hook looks whether one file would run.
func (s *segmentRun) hook(c *shellplan.Check, file string, out *Check) error {
	p, err := s.resolve(&resolve.RootDir, file, resolve.Options{Follow: true, Reads: true})
	if err != nil {
		return err
	}
	s.rests(c, file, p.Path)
	if p.State == AbsentTail {
		return nil
	}
	out.Files = append(out.Files, file)
	if p.State != Canonical {
		out.worsen(CouldNotLook, "%s: %s", file, p.Reason)
		return nil
	}
	x := s.runs
	if x == nil {
		out.worsen(Fails, "the hook %s is there", file)
		return nil
	}
	runs, err := x.Executable(s.ctx, p.Path)
	if err != nil {
		if err := s.gone(err); err != nil {
			return err
		}
		out.worsen(CouldNotLook, "%s cannot be looked at", file)
	} else if runs {
		out.worsen(Fails, "the hook %s would run", file)
	}
	return nil
}
