package establish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/gitfile"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// check makes one look at file contents. Anything that keeps it from looking
// leaves CouldNotLook.
func (s *segmentRun) check(i int, cwds []resolve.Dir) (Check, error) {
	c := &s.plan.Checks[i]
	out := Check{Check: i, State: Holds}
	if c.Kind == shellplan.CheckAbsent {
		return out, s.absent(c, &out)
	}
	if len(cwds) == 0 {
		out.State, out.Detail = CouldNotLook, "the working directory is not known"
		return out, nil
	}
	for j := range cwds {
		at, err := s.change([]resolve.Dir{cwds[j]}, c.Chdir, s.shell, s.earlier)
		if err != nil {
			return out, err
		}
		for k := range at {
			if err := s.git(c, &at[k], &out); err != nil {
				return out, err
			}
		}
	}
	if s.earlier != nil && s.earlier.any && out.State == Holds {
		out.State, out.Detail = CouldNotLook, "an earlier program may change what is looked at"
	}
	return out, nil
}

// worsen keeps the first answer that is worse than holding; one that fails
// beats one that could not look.
func (c *Check) worsen(s CheckState, format string, args ...any) {
	if c.State == Holds || c.State == CouldNotLook && s == Fails {
		c.State, c.Detail = s, fmt.Sprintf(format, args...)
	}
}

// rests notes the paths whose content or absence the answer rests on.
func (r *run) rests(c *shellplan.Check, paths ...string) {
	for _, p := range paths {
		r.asked = append(r.asked, rest{check: c, path: p})
	}
}

// absent holds when none of the files exists.
func (s *segmentRun) absent(c *shellplan.Check, out *Check) error {
	for _, f := range c.Files {
		out.Files = append(out.Files, string(f))
		s.rests(c, string(f))
		p, err := s.resolve(&resolve.RootDir, string(f), resolve.Options{Follow: true, Reads: true})
		if err != nil {
			return err
		}
		switch {
		case p.State == Canonical:
			out.Found = append(out.Found, p.Path)
			out.worsen(Fails, "%s exists", p.Path)
		case p.State != AbsentTail:
			out.worsen(CouldNotLook, "%s: %s", f, p.Reason)
		}
	}
	return nil
}

// git looks at what can make git run a program or leave its repository: the
// hooks of the subcommand and the configuration of the repository and of the
// user. The machine's own configuration is trusted like its programs.
func (s *segmentRun) git(c *shellplan.Check, at *resolve.Dir, out *Check) error {
	if at.State == Unestablishable || at.State == Lexical {
		out.worsen(CouldNotLook, "the directory: %s", at.Reason)
		return nil
	}
	repo, f, err := s.discover(at.Base)
	if err != nil {
		return err
	}
	if f != nil {
		out.worsen(CouldNotLook, "the repository: %s %s", f.reason, f.detail)
		return nil
	}
	// A repository that the text makes on the way up would be found instead, in
	// directories that it makes, too.
	for dir := at.Path(); ; dir = resolve.Parent(dir) {
		there := repo != nil && dir == repo.top
		s.asked = append(s.asked, rest{check: c, path: resolve.Join(dir, ".git"), below: !there})
		if there || dir == "/" {
			break
		}
	}
	look := configLook{segmentRun: s, check: c, out: out, left: maxIncludes}
	if repo != nil {
		for _, name := range []string{"HEAD", "objects", "refs"} { // without one git goes on upwards
			s.rests(c, resolve.Join(repo.gitDir, name))
		}
		if err := s.hooks(c, repo, out); err != nil {
			return err
		}
		if err := look.repository(c, repo); err != nil {
			return err
		}
		look.own = nil
	}
	if s.boundary.Home == "" {
		out.worsen(CouldNotLook, "the home directory is not known")
		return nil
	}
	files := []string{s.boundary.Home + "/.gitconfig", s.boundary.Home + "/.config/git/config"}
	for _, file := range c.Files {
		if !slices.Contains(files, string(file)) {
			files = append(files, string(file))
		}
	}
	for _, file := range files {
		if err := look.file(file); err != nil {
			return err
		}
	}
	return nil
}

// configLook reads configuration files and those they include.
type configLook struct {
	*segmentRun
	check   *shellplan.Check
	out     *Check
	left    int
	modules int         // how many repositories inside it were looked at
	own     *repository // whose own configuration is read; nil for the user's
}

// repository reads the configuration of a repository and of those inside it.
func (l *configLook) repository(c *shellplan.Check, repo *repository) error {
	l.own = repo
	for _, file := range []string{resolve.Join(repo.common, "config"), resolve.Join(repo.gitDir, "config.worktree")} {
		if err := l.file(file); err != nil {
			return err
		}
	}
	return l.submodules(c, repo)
}

func (l *configLook) file(path string) error {
	p, err := l.resolve(&resolve.RootDir, path, resolve.Options{Follow: true, Reads: true})
	if err != nil {
		return err
	}
	l.rests(l.check, path, p.Path)
	if p.State == AbsentTail {
		return nil
	}
	if r := l.own; r != nil && p.Path != "" && !resolve.Under(p.Path, r.common) && !resolve.Under(p.Path, r.gitDir) && (r.top == "" || !resolve.Under(p.Path, r.top)) {
		l.out.worsen(Fails, "the repository's configuration includes %s", p.Path)
	}
	l.out.Files = append(l.out.Files, path)
	if p.State != Canonical {
		l.out.worsen(CouldNotLook, "%s: %s", path, p.Reason)
		return nil
	}
	text, f, err := l.readLine(p.Path)
	if err != nil {
		return err
	}
	settings, ok := gitfile.ParseConfig(text)
	if f != nil || !ok {
		l.out.worsen(CouldNotLook, "%s cannot be read", path)
		return nil
	}
	for _, set := range settings {
		if err := l.setting(path, p.Path, set); err != nil {
			return err
		}
	}
	return nil
}

func (l *configLook) setting(path, canonical string, set gitfile.Setting) error {
	if set.Key == "include.path" || strings.HasPrefix(set.Key, "includeif.") && strings.HasSuffix(set.Key, ".path") {
		// A condition is taken to hold: what it includes may count.
		if l.left--; l.left < 0 || set.Value == "" {
			l.out.worsen(CouldNotLook, "%s includes too much", path)
			return nil
		}
		target := set.Value
		switch {
		case strings.HasPrefix(target, "~/") && l.boundary.Home != "":
			target = l.boundary.Home + target[1:]
		case target[0] == '~' || target[0] == '%':
			l.out.worsen(CouldNotLook, "%s includes %s", path, target)
			return nil
		case target[0] != '/':
			target = resolve.Join(resolve.Parent(canonical), target)
		}
		return l.file(target)
	}
	if set.Key == "core.hookspath" && len(l.check.Hooks) > 0 {
		l.out.worsen(Fails, "%s sets core.hookspath", path)
	}
	if l.fails(set) {
		l.out.worsen(Fails, "%s sets %s", path, set.Key)
	}
	return nil
}

// fails reports whether a setting can make the subcommand run or open something:
// every one that is not known to be harmless, but for those that the check says
// it does not use.
func (l *configLook) fails(set gitfile.Setting) bool {
	if set.Key == "core.hookspath" {
		return false // above
	}
	if r := l.own; set.Key == "core.worktree" && r != nil && r.top != "" && r.gitDir != resolve.Join(r.top, ".git") {
		at := resolve.Dir{Base: r.gitDir, State: Canonical}
		p, err := l.resolve(&at, set.Value, resolve.Options{Follow: true, Reads: true})
		if err == nil && p.State == Canonical && p.Path == r.top {
			return false // as the .git file of a submodule says
		}
	}
	fails := !gitfile.Harmless(set)
	for _, k := range l.check.Keys {
		if unused, ok := strings.CutPrefix(k, shellplan.UnusedKey); ok {
			fails = fails && !gitfile.KeyMatches(unused, set.Key)
		}
	}
	off := set.Key == "core.fsmonitor" && (set.Value == "" || strings.EqualFold(set.Value, "false"))
	for _, k := range l.check.Keys {
		fails = fails || !off && gitfile.KeyMatches(k, set.Key)
	}
	return fails
}
