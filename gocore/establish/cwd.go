package establish

import (
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// maxCwds is how many directories one list of changes may fan out into before
// the directory counts as not known: a pattern as the operand of cd, a cd that
// may read `..` in two ways. Eight times the planner's own bound.
const maxCwds = 64

// starts are the readings of the starting directory: its spelling as PWD, and,
// where a later cd reads PWD as a text, the path it leads to, because a shell
// that is not handed PWD takes that.
func (r *run) starts(steps []shellplan.CwdStep) ([]resolve.Dir, error) {
	if r.boundary.Cwd == "" {
		return []resolve.Dir{{State: Unestablishable, Reason: CwdUnknown}}, nil
	}
	p, err := r.resolve(&resolve.RootDir, r.boundary.Cwd, resolve.Options{Follow: true, Reads: true})
	if err != nil {
		return nil, err
	}
	logical := r.boundary.Cwd
	if resolve.Clean(logical) != logical {
		logical = "" // no shell takes that for its PWD
	}
	s := p.Dir(logical)
	out := []resolve.Dir{s}
	for i := range steps {
		if steps[i].Mode == shellplan.CwdLogical && logical != "" && logical != s.Path() {
			out = append(out, p.Dir(""))
			break
		}
	}
	return out, nil
}

// directories walks a list of changes from the starting directory.
func (r *run) directories(steps []shellplan.CwdStep, sh *shellplan.Shell, p *earlier) ([]resolve.Dir, error) {
	cwds, err := r.starts(steps)
	if err != nil {
		return nil, err
	}
	return r.change(cwds, steps, sh, p)
}

func (r *run) change(cwds []resolve.Dir, steps []shellplan.CwdStep, sh *shellplan.Shell, p *earlier) ([]resolve.Dir, error) {
	for i := range steps {
		var next []resolve.Dir
		for j := range cwds {
			to, err := r.chdir(&cwds[j], &steps[i], sh, p)
			if err != nil {
				return nil, err
			}
			next = append(next, to...)
		}
		if cwds = distinct(next); len(cwds) > maxCwds {
			return []resolve.Dir{{State: Unestablishable, Reason: CwdUnknown}}, nil
		}
	}
	return cwds, nil
}

func distinct(cwds []resolve.Dir) []resolve.Dir {
	type key struct {
		path, logical string
		state         State
		reason        Reason
	}
	seen := map[key]bool{}
	out := cwds[:0]
	for _, s := range cwds {
		k := key{s.Path(), s.Logical, s.State, s.Reason}
		if !seen[k] {
			seen[k] = true
			out = append(out, s)
		}
	}
	return out
}

// chdir is one change of directory from one directory.
func (r *run) chdir(s *resolve.Dir, step *shellplan.CwdStep, sh *shellplan.Shell, p *earlier) ([]resolve.Dir, error) {
	words := []string{string(step.Raw)}
	if step.Pattern {
		b := budget{bounds: r.bounds}
		ex, f, err := r.expand(s, &step.Word, sh, resolve.Options{Follow: true, Reads: true, Record: p.repoints()}, &b, p)
		if err != nil {
			return nil, err
		}
		if f != nil {
			return []resolve.Dir{{State: Unestablishable, Reason: f.reason, Detail: f.detail}}, nil
		}
		if !ex.literal {
			words = nil
		}
		for _, m := range ex.found {
			words = append(words, m.spelled)
		}
	}
	var out []resolve.Dir
	for _, w := range words {
		to, err := r.chdirTo(s, w, step, sh, p)
		if err != nil {
			return nil, err
		}
		out = append(out, to...)
	}
	return out, nil
}

func (r *run) chdirTo(s *resolve.Dir, word string, step *shellplan.CwdStep, sh *shellplan.Shell, p *earlier) ([]resolve.Dir, error) {
	if word == "" {
		return []resolve.Dir{*s}, nil // `cd ""` stays
	}
	if s.State == Unestablishable && word[0] != '/' {
		return []resolve.Dir{*s}, nil
	}
	first, _, _ := strings.Cut(word, "/")
	if len(step.CDPath) == 0 || word[0] == '/' || first == "." || first == ".." {
		return r.enterDir(s, word, step.Mode, sh, p)
	}
	// CDPATH: the first entry that holds such a directory wins; one that
	// nobody can answer for leaves the later ones possible.
	var out []resolve.Dir
	for _, e := range step.CDPath {
		operand := word
		if len(e) > 0 {
			operand = string(e) + "/" + word
		}
		to, err := r.enterDir(s, operand, step.Mode, sh, p)
		if err != nil {
			return nil, err
		}
		sure := true
		for _, t := range to {
			if t.State != AbsentTail || p.makes(t.Path()) {
				out = append(out, t)
			}
			if t.State != Canonical {
				sure = false
			}
		}
		if sure {
			return out, nil
		}
	}
	to, err := r.enterDir(s, word, step.Mode, sh, p)
	return append(out, to...), err
}

// enterDir is a change to a directory by one spelling.
func (r *run) enterDir(s *resolve.Dir, word string, mode shellplan.CwdMode, sh *shellplan.Shell, p *earlier) ([]resolve.Dir, error) {
	h := resolve.Options{Follow: true, Reads: true, Record: p.repoints(), Fds: &resolve.Descriptors{Reads: true, From: s}}
	physical, err := r.resolve(s, word, h)
	if err != nil {
		return nil, err
	}
	if mode != shellplan.CwdLogical {
		return r.asDir(physical, "", p, s)
	}
	full := word
	if word[0] != '/' {
		full = s.PWD() + "/" + word
	}
	clean := resolve.Clean(full)
	if !goesUp(full) {
		return r.asDir(physical, clean, p, s)
	}
	textual, err := r.resolve(&resolve.RootDir, clean, h)
	if err != nil {
		return nil, err
	}
	if textual.State == AbsentTail && len(s.Missing) > 0 {
		textual.Passed = physical.Passed
	}
	out, err := r.asDir(textual, clean, p, s)
	if err != nil || textual.Path == physical.Path && textual.State == physical.State {
		return out, err
	}
	// The text and the kernel disagree. Dash takes the text. Bash takes it
	// when each directory that a `..` takes back exists and the result does;
	// else it hands the operand to the kernel as it is.
	if sh.Dialect == shellplan.DialectDash {
		return out, nil
	}
	here, err := r.isDir(&textual)
	if err != nil {
		return nil, err
	}
	if here {
		if all, err := r.prefixesExist(full); err != nil || all {
			return out, err
		}
	}
	also, err := r.asDir(physical, "", p, s)
	return append(out, also...), err
}

// goesUp reports whether a text has a `..` component. Without one the text and
// the kernel name the same directory.
func goesUp(text string) bool {
	return strings.Contains(text+"/", "/../") || strings.HasPrefix(text+"/", "../")
}

// asDir makes a place the next directory. One that an earlier segment
// re-points has no answer.
func (r *run) asDir(p resolve.Place, logical string, before *earlier, from *resolve.Dir) ([]resolve.Dir, error) {
	if before.touches(p, from) {
		return []resolve.Dir{{State: Unestablishable, Reason: MutatedEarlier, Detail: p.Path}}, nil
	}
	return []resolve.Dir{p.Dir(logical)}, nil
}

// prefixesExist reports whether each directory that a `..` of the text takes
// back is surely there.
func (r *run) prefixesExist(full string) (bool, error) {
	for i := 0; i+2 < len(full); i++ {
		if full[i:i+3] != "/.." || i+3 < len(full) && full[i+3] != '/' {
			continue
		}
		p, err := r.resolve(&resolve.RootDir, resolve.Clean(full[:i]), resolve.Options{Follow: true, Reads: true})
		if err != nil {
			return false, err
		}
		if isDir, err := r.isDir(&p); err != nil || !isDir {
			return false, err
		}
	}
	return true, nil
}
