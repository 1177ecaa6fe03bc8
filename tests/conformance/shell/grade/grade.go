//go:build linux

// Package grade holds what a plan and its establishment say of a recorded
// command against what the kernel saw.
package grade

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/planner"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// Result is the grade of one case.
type Result struct {
	Case *truth.Case
	// Misses are the paths the kernel saw that nothing covers, while the
	// answer claims to be complete.
	Misses []string
	// Opaque says why the answer does not claim to be complete; empty when it
	// does.
	Opaque []string
	// Missing and Extra are the paths in which an answer that claims to be
	// complete differs from the kernel: covered by a walk only, or
	// established without being opened.
	Missing, Extra []string
	// Ruling is the judge's.
	Ruling judge.Ruling
	// Wrong says what is wrong with a re-establishment; empty when nothing is.
	Wrong string

	left string // a path outside the roots that the kernel saw
}

// Options are how a shell is declared to the planner.
type Options struct {
	// Version is the bash version as in shellplan.Shell; the truth was
	// recorded with 502.
	Version int
	// Sh is what sh was.
	Sh shellplan.Dialect
	// Run, when it is set, runs the command in its tree once it was
	// established and gives the truth, in place of the recorded one.
	Run func(context.Context, *truth.Case, *truth.Stage) (*truth.Seen, error)
}

// Recorded is how the truth was recorded.
var Recorded = Options{Version: 502, Sh: shellplan.DialectDash}

// Plan plans the command of a case.
func Plan(c *truth.Case, s *truth.Stage, o Options) *shellplan.Plan {
	opts := planner.Options{
		Dialect: shellplan.DialectBash, Version: o.Version, Sh: o.Sh, Cwd: s.Fill(c.Cwd),
		Env: s.Environment(c), EnvComplete: true,
	}
	switch c.Shell {
	case "dash":
		opts.Dialect, opts.Version = shellplan.DialectDash, 0
	case "posix":
		opts.Dialect, opts.Version = shellplan.DialectPosix, 0
	}
	return planner.Build(s.Fill(c.Command), opts)
}

// Boundary is what a case is held against: its roots for reading and writing,
// the credentials below its home refused.
func Boundary(c *truth.Case, s *truth.Stage) establish.Boundary {
	roots := s.FillAll(c.Roots)
	writes := roots
	if c.WriteRoots != nil {
		writes = s.FillAll(c.WriteRoots)
	}
	home := s.Fill(c.Home)
	return establish.Boundary{
		ReadRoots: roots, WriteRoots: writes, Home: home, Cwd: s.Fill(c.Cwd),
		DenyPaths: append(judge.DenyPaths(judge.DefaultDenied, home), s.FillAll(c.Denied)...),
	}
}

// Grade builds the tree of a case below dir and grades the answer.
func Grade(ctx context.Context, dir string, c *truth.Case, o Options) (*Result, error) {
	s, err := truth.Build(dir, c)
	defer s.Remove()
	if err != nil {
		return nil, err
	}
	e, found, err := look(ctx, c, s, o)
	if err != nil {
		return nil, err
	}
	r := &Result{Case: c, Ruling: judge.New(judge.DefaultPolicy()).Decide(found)}
	if len(c.Mutate) > 0 {
		if err := s.Mutate(c); err != nil {
			return nil, err
		}
		change, err := e.Reestablish(ctx, found)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		if change.Any() != c.Moved {
			r.Wrong = fmt.Sprintf("reestablish says changed=%v, the truth moved=%v", change.Any(), c.Moved)
		}
		found = change.Now
		r.Ruling = judge.New(judge.DefaultPolicy()).Decide(found) // as confirm would
	}
	if o.Run != nil {
		seen, err := o.Run(ctx, c, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		live := *c
		live.Seen = *seen
		r.Case = &live
	}
	r.compare(found, s)
	return r, nil
}

// Decide is the judge's answer to a case in a tree that is there already.
func Decide(ctx context.Context, c *truth.Case, s *truth.Stage, o Options) (judge.Ruling, error) {
	e, found, err := look(ctx, c, s, o)
	if err != nil {
		return judge.Ruling{}, err
	}
	answer := judge.New(judge.DefaultPolicy()).Decide(found)
	if c.Between == "" || answer.Decision != judge.Allow {
		return answer, nil
	}
	if err := s.Do(c.Between); err != nil {
		return judge.Ruling{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	change, err := e.Reestablish(ctx, found)
	if err != nil {
		return judge.Ruling{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	answer = judge.New(judge.DefaultPolicy()).Decide(change.Now)
	if change.Any() { // as confirm does
		answer.Decision = min(answer.Decision, judge.Ask)
	}
	return answer, nil
}

// look plans and establishes a case.
func look(ctx context.Context, c *truth.Case, s *truth.Stage, o Options) (*establish.Establisher, *establish.Established, error) {
	plan := Plan(c, s, o)
	if err := plan.Validate(); err != nil {
		return nil, nil, fmt.Errorf("%s: the plan is malformed: %w", c.ID, err)
	}
	e, err := establish.New(execenv.Host{}, Boundary(c, s))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.ID, err)
	}
	found, err := e.Establish(ctx, plan)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.ID, err)
	}
	return e, found, nil
}

// compare fills misses and exactness.
func (r *Result) compare(found *establish.Established, s *truth.Stage) {
	a := answer{}
	a.collect(found)
	r.Opaque = a.opaque
	c := r.Case
	type seen struct {
		path string
		need need
	}
	var all []seen
	for _, t := range c.Reads {
		all = append(all, seen{s.Fill(t), needRead})
	}
	for _, t := range c.Dirs {
		all = append(all, seen{s.Fill(t), needList})
	}
	for _, t := range c.Writes {
		all = append(all, seen{s.Fill(t), needWrite})
	}
	for _, t := range c.Execs {
		all = append(all, seen{s.Fill(t), needExec})
	}
	for _, t := range c.LinkFrom {
		all = append(all, seen{s.Fill(t), needRead})
	}
	roots := s.FillAll(c.Roots)
	for _, k := range all {
		if !slices.ContainsFunc(roots, func(root string) bool { return under(k.path, root) }) && !a.implicit(k.path) {
			r.left = k.path
		}
		switch a.covers(k.path, k.need) {
		case uncovered:
			if len(r.Opaque) == 0 {
				r.Misses = append(r.Misses, k.need.String()+" "+k.path)
			}
		case byWalk:
			r.Missing = append(r.Missing, k.need.String()+" "+k.path)
		}
	}
	if len(r.Opaque) > 0 {
		r.Missing = nil
		return
	}
	r.Extra = a.extra(c, s)
}

type need uint8

const (
	needRead need = iota
	needList
	needWrite
	needExec
)

func (n need) String() string { return [...]string{"read", "list", "write", "exec"}[n] }

type cover uint8

const (
	uncovered cover = iota
	byWalk
	exactly
)

// answer is an establishment, flattened.
type answer struct {
	opaque   []string
	landings []landing
	trees    []establish.Subtree
}

type landing struct {
	establish.Landing
	cand   *shellplan.Candidate
	reason establish.Reason
}

// opened reports whether the landing says that something that exists now is
// opened or changed by the words themselves: not what the kernel refuses, what
// a walk passes over (links and pipes), or what the program does on its own.
func (l *landing) opened() bool {
	special := l.Kind == execenv.Link && !l.Access.IsWrite() || l.Kind == execenv.Other
	if l.Member && (l.Kind == execenv.Link && l.Access != shellplan.AccessEntry || special) {
		return false
	}
	return l.Path != "" && l.Tail == "" && !l.Listed && !special && l.cand.Implicit == shellplan.Explicit &&
		!strings.HasPrefix(l.Path, "/dev/") && l.cand.Kind != shellplan.KindBeside && l.reason != establish.NotDirectory
}

func (a *answer) collect(e *establish.Established) {
	for _, o := range e.Plan.Opaque {
		a.opaque = append(a.opaque, fmt.Sprintf("%s %q: %s", o.Code, o.Word, o.Detail))
	}
	for i := range e.Segments {
		plan := &e.Plan.Segments[i]
		for _, o := range plan.Opaque {
			a.opaque = append(a.opaque, fmt.Sprintf("%s %q: %s", o.Code, o.Word, o.Detail))
		}
		for _, k := range e.Segments[i].Checks {
			if k.State != establish.Holds {
				a.opaque = append(a.opaque, "check "+k.State.String()+": "+k.Detail)
			}
		}
		for _, rd := range e.Segments[i].Resolutions {
			cand := &plan.Candidates[rd.Candidate]
			if rd.State == establish.Unestablishable {
				a.opaque = append(a.opaque, fmt.Sprintf("%s %q: %s %s", rd.Reason, cand.Raw, rd.State, rd.Detail))
			}
			for _, l := range rd.Landings {
				a.landings = append(a.landings, landing{l, cand, rd.Reason})
			}
			a.trees = append(a.trees, rd.Subtrees...)
		}
	}
	for _, n := range e.Nested {
		a.collect(n)
	}
}

func under(p, root string) bool {
	return p == root || root == "/" || strings.HasPrefix(p, root+"/")
}

// covers says how a path the kernel saw is accounted for.
func (a *answer) covers(p string, n need) cover {
	best := uncovered
	for _, l := range a.landings {
		ok := false
		switch n {
		case needRead:
			ok = l.Access == shellplan.AccessRead || l.Access == shellplan.AccessTree || l.Access == shellplan.AccessExec || l.Access.IsWrite() // created and read back
		case needList:
			ok = l.Access == shellplan.AccessRead || l.Listed || l.Access.IsWrite() // made and opened
		case needWrite:
			ok = l.Access.IsWrite()
		case needExec:
			ok = l.Access == shellplan.AccessExec
		}
		if ok && matches(l, p) {
			return exactly
		}
	}
	for _, t := range a.trees {
		ok := n == needList
		switch n {
		case needRead:
			ok = t.Access == shellplan.AccessRead || t.Access == shellplan.AccessTree
		case needWrite:
			ok = t.Access.IsWrite()
		}
		if ok && under(p, t.Root) {
			best = byWalk
		}
	}
	return best
}

// implicit reports whether a path is one that a program reads on its own.
func (a *answer) implicit(p string) bool {
	for _, l := range a.landings {
		if l.Path == p && l.cand.Implicit == shellplan.ImplicitDisclosed {
			return true
		}
	}
	return false
}

// random stands in a recorded path for what a program made up.
const random = "<RANDOM>"

// matches reports whether a landing is a path; a made-up name matches by its
// pattern.
func matches(l landing, p string) bool {
	if l.Path == p {
		return true
	}
	if l.cand.Kind != shellplan.KindBeside || path.Dir(l.Path) != path.Dir(p) {
		return false
	}
	if strings.Contains(path.Base(p), random) {
		return true
	}
	prefix, suffix, star := strings.Cut(path.Base(l.Path), "*")
	return star && strings.HasPrefix(path.Base(p), prefix) && strings.HasSuffix(path.Base(p), suffix)
}

// extra are the existing paths that the answer says are opened or changed and
// that the kernel did not see opened or changed. What merely does not exist,
// what is only looked at and what a program may do by itself is no error.
func (a *answer) extra(c *truth.Case, s *truth.Stage) []string {
	var out []string
	reads := append(s.FillAll(c.Reads), s.FillAll(c.Dirs)...)
	reads = append(reads, s.FillAll(c.LinkFrom)...)
	writes := s.FillAll(c.Writes)
	failed := map[string]bool{}
	for _, f := range c.Failed {
		if len(f) == 3 {
			failed[string(f[0])+s.Fill(f[1])] = true
		}
	}
	for _, l := range a.landings {
		refused := c.Exit != 0 || // the command broke off, or the kernel said no
			l.cand.Traversal != nil && !l.Member && l.Access == shellplan.AccessEntry && strings.HasSuffix(string(l.cand.Raw), "/")
		if !l.opened() || refused {
			continue
		}
		switch {
		case l.Access == shellplan.AccessRead && !slices.Contains(reads, l.Path) && !failed["r"+l.Path]:
			out = append(out, "read "+l.Path)
		case l.Access.IsWrite() && l.Access != shellplan.AccessTree && !slices.Contains(writes, l.Path) && !failed["w"+l.Path]:
			out = append(out, "write "+l.Path)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	// A long list was recorded in part: its length must be right then.
	for key, total := range c.Totals {
		if key == "kernel_reads" && len(out)+len(c.Reads) == total {
			return nil
		}
	}
	return out
}

// Escaped reports an allow of a command that the kernel saw leave the roots,
// for a truth that was not recorded beforehand. What a program reads on its own
// does not count.
func (r *Result) Escaped() bool {
	if r.Ruling.Decision != judge.Allow {
		return false
	}
	return r.left != ""
}
