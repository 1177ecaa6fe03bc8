package planner

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellsyntax"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// Options say what is known about the shell that will run the text.
type Options struct {
	// Dialect is the shell's language. Unset, the text is read as bash where
	// it parses and every segment says that the shell is not known.
	Dialect shellplan.Dialect
	// Version is the shell's version as in Shell.Version; 0 is unknown.
	Version int
	// Sh is what `sh` runs; unset, an sh of unknown make.
	Sh shellplan.Dialect
	// Cwd is the absolute logical directory the text starts in (PWD); empty
	// leaves words that need it ($PWD, ~+) unknown.
	Cwd string
	// Env is the environment the shell gets. HOME and PATH are read from it.
	Env map[string]string
	// EnvComplete says that a variable which is not in Env is unset. If not,
	// it is unknown, and a word made from it is dynamic; variables that
	// steer the shell (BASH_ENV, CDPATH, IFS) are taken as unset either way.
	EnvComplete bool
	// Own is where this runtime's own executable lies: a command of that path, or
	// of its name where PATH leads there, is read by its row.
	Own string
	// Args are $0, $1 and so on, for a text run with arguments.
	Args []string
}

// Build reads a command text. It never fails: a text it cannot read is a plan
// without segments and with the reason in Opaque. Time and memory are bounded
// by the constants of limits.go whatever the text.
func Build(command string, o Options) *shellplan.Plan {
	p := newPlanner(newBudget(len(command)), []byte(command), o)
	st := p.initialState()
	p.run(st)
	return p.plan
}

// budget is shared by a plan and everything nested in it.
type budget struct {
	work       int // see spend
	steps      int // statements evaluated, loops unrolled and functions inlined
	bytes      int // bytes produced by expansions
	segments   int
	candidates int
	nesting    int  // current depth of nested plans
	wrote      bool // a command before may have written files of any name
}

// Planning one text has a budget of work, counted and not timed, so that a text
// always has the same plan. A unit is about a tenth of a microsecond of an everyday
// machine.
const (
	// baseWork keeps planning a text of 4 KB under 20 ms of processor time.
	// What agents write takes a hundredth of it.
	baseWork = 60_000
	// workPerByte lets a long text that is plainly written, such as a generated
	// list of files, be read to its end.
	workPerByte = 20

	costStep      = 30 // a statement, with the copies of the state that it makes
	costSegment   = 20
	costCandidate = 25
	costField     = 16
	// perUnit is how many bytes of text are made in the time of a unit.
	perUnit = 4
	// perMatch is how many bytes a pattern goes over in the time of a unit, once
	// for each star behind the first.
	perMatch = 32
)

func newBudget(bytes int) *budget {
	return &budget{
		work: baseWork + workPerByte*bytes, steps: maxSteps, bytes: shellplan.MaxExpansion,
		segments: shellplan.MaxSegments, candidates: shellplan.MaxCandidates,
	}
}

// match spends for a pattern that is held against a text.
func (b *budget) match(pattern, text []byte) {
	stars := bytes.Count(pattern, []byte("*"))
	cost := 1 + (len(text)+len(pattern))/perMatch
	if stars > 2 {
		cost += len(text) * len(text) * (stars - 2) / (4 * perMatch)
	}
	b.spend(cost)
}

// spend takes from the work of the plan and leaves the walk when none is left.
func (b *budget) spend(n int) {
	if b.work -= n; b.work < 0 {
		panic(tooLarge{"more to work out than the planner does: loops, branches and expansions that multiply each other"})
	}
}

// maxSteps bounds how many simple and compound commands one text may evaluate:
// a loop of static words is unrolled, a function inlined.
const maxSteps = 50_000

// tooLarge is the sentinel that leaves the walk when a bound is passed.
type tooLarge struct{ what string }

// planner builds one plan; nested texts get a planner of their own on the same
// budget.
type planner struct {
	opts    Options
	plan    *shellplan.Plan
	budget  *budget
	src     shellsyntax.Source
	base    baseVars
	reach   int                // > 0 below a condition
	visible int                // first segment that sees effects made now; -1: the next one
	running int                // first segment of what runs on until the text ends; -1: nothing does
	depth   int                // compound nesting
	loops   []*loopFrame       // innermost last
	frames  []*callFrame       // functions, innermost last
	out     shellword.Output   // what the statements so far print
	prints  int                // how many commands said what they print
	choice  *choice            // case splitting over variables with alternatives
	listen  int                // > 0 while something reads what commands print
	looping int                // > 0 inside a loop, its condition included
	pending []shellplan.Opaque // reasons met in expansions, for the next segment
	dry     int                // > 0 while a loop looks for its fixed point
}

func newPlanner(b *budget, src []byte, o Options) *planner {
	p := &planner{opts: o, budget: b, visible: -1, running: -1}
	p.plan = &shellplan.Plan{Source: src, Shell: profile(o)}
	if strings.HasPrefix(o.Cwd, "/") && !strings.Contains(o.Cwd, "\x00") {
		p.plan.Start = []byte(o.Cwd)
	}
	p.base = newBaseVars(o)
	p.base.budget = b
	return p
}

// profile is the shell before the text changes it.
func profile(o Options) shellplan.Shell {
	s := shellplan.Shell{Dialect: o.Dialect, Version: o.Version, Locale: localeOf(o)}
	if s.Dialect != shellplan.DialectBash && s.Dialect != shellplan.DialectDash {
		s.Dialect = shellplan.DialectPosix
	}
	if s.Dialect == shellplan.DialectBash && s.Version >= 502 {
		s.Glob |= shellplan.GlobSkipDots
	}
	return s
}

// localeOf reads what matching depends on. A name other than C gives no
// certainty: the locale may not be installed, so both readings hold.
func localeOf(o Options) shellplan.Locale {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := o.Env[name]; v != "" {
			if v == "C" || v == "POSIX" {
				if name != "LC_ALL" && o.Env["LC_COLLATE"] != "" && o.Env["LC_COLLATE"] != v {
					return shellplan.LocaleUnknown
				}
				return shellplan.LocaleC
			}
			return shellplan.LocaleUnknown
		}
	}
	if o.EnvComplete && o.Env["LC_COLLATE"] == "" {
		return shellplan.LocaleC
	}
	return shellplan.LocaleUnknown
}

// run parses and walks the text. Whatever goes wrong becomes a reason.
func (p *planner) run(st *state) (end flow) {
	end = flow{st, st}
	whole := shellplan.Span{Start: 0, End: len(p.plan.Source)}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooLarge:
			p.plan.Opaque = append(p.plan.Opaque, shellplan.Opaque{
				Code: shellplan.OpaqueTooLarge, Span: whole,
				Detail: "the text has " + r.what,
			})
			p.abandon()
		default:
			// The parser is not ours and reads hostile text.
			p.plan.Opaque = append(p.plan.Opaque, shellplan.Opaque{
				Code: shellplan.OpaqueSyntax, Span: whole,
				Detail: shellplan.Shown(fmt.Sprintf("reading the text failed: %v", r)),
			})
			p.abandon()
		}
		if p.dry > 0 {
			p.dry = 0
		}
	}()
	file, src, reason := shellsyntax.Parse(p.plan.Source, p.plan.Shell.Dialect)
	p.src = src
	if reason != nil {
		p.plan.Opaque = append(p.plan.Opaque, *reason)
		return end
	}
	p.environment(st)
	end = p.stmts(file.Stmts, st)
	p.flush(whole, st)
	if len(p.plan.Segments) == 0 { // comments, assignments, functions: nothing is touched
		p.segmentOf("", whole, st)
	}
	return end
}

// abandon drops what a walk that was cut short may have left half made: the
// segments stay, since each is whole, but indices beyond them do not.
func (p *planner) abandon() {
	for i := range p.plan.Segments {
		s := &p.plan.Segments[i]
		for j := range s.Effects {
			s.Effects[j].VisibleFrom = min(s.Effects[j].VisibleFrom, len(p.plan.Segments))
		}
	}
}

// span is the place of a node in the plan's source.
func (p *planner) span(n syntax.Node) shellplan.Span {
	return p.between(n.Pos(), n.End())
}

func (p *planner) between(from, to syntax.Pos) shellplan.Span {
	s := shellplan.Span{Start: p.src.Offset(int(from.Offset())), End: p.src.Offset(int(to.Offset()))}
	if !from.IsValid() {
		s.Start = 0
	}
	if !to.IsValid() || s.End > len(p.plan.Source) {
		s.End = len(p.plan.Source)
	}
	if s.End < s.Start {
		s.End = s.Start
	}
	return s
}

// textOf is the source text of a span, cut short when it is long: it is for
// people.
func (p *planner) textOf(s shellplan.Span) []byte {
	return p.plan.Source[s.Start:min(s.End, s.Start+shellplan.MaxShown)]
}
