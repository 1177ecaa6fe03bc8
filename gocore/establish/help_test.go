package establish

import (
	"context"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Shorthand for plans made by hand.

var bash52 = shellplan.Shell{Dialect: shellplan.DialectBash, Version: 502, Locale: shellplan.LocaleC}

type candidateOption func(*shellplan.Candidate)

// word makes a candidate of a literal or, when it has an operator, a pattern. A
// byte after a backslash is quoted.
func word(spelling string, access shellplan.Access, opts ...candidateOption) shellplan.Candidate {
	c := shellplan.Candidate{Kind: shellplan.KindWord, Access: access, Word: spell(spelling)}
	for _, o := range opts {
		o(&c)
	}
	return c
}

func spell(spelling string) shellplan.Word {
	var w shellplan.Word
	for i := 0; i < len(spelling); i++ {
		m := shellplan.MaskActive
		if spelling[i] == '\\' && i+1 < len(spelling) {
			i, m = i+1, shellplan.MaskQuoted
		}
		if m == shellplan.MaskActive && strings.IndexByte("*?[", spelling[i]) >= 0 {
			w.Pattern = true
		}
		w.Raw, w.Mask = append(w.Raw, spelling[i]), append(w.Mask, m)
	}
	if !w.Pattern {
		w.Mask = nil
	}
	return w
}

func read(spelling string, opts ...candidateOption) shellplan.Candidate {
	return word(spelling, shellplan.AccessRead, opts...)
}

func write(spelling string, opts ...candidateOption) shellplan.Candidate {
	return word(spelling, shellplan.AccessWrite, opts...)
}

func entry(spelling string, opts ...candidateOption) shellplan.Candidate {
	return word(spelling, shellplan.AccessEntry, opts...)
}

func safe(c *shellplan.Candidate) { c.OptionSafe = true }

func tree(t shellplan.Traversal) candidateOption {
	return func(c *shellplan.Candidate) { c.Traversal = &t }
}

// grepR is the walk of grep -r.
var grepR = tree(shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true})

func into(always bool, from ...int) candidateOption {
	return func(c *shellplan.Candidate) { c.Into = &shellplan.Into{Always: always, From: from} }
}

func redirect(op string, fd int) candidateOption {
	return func(c *shellplan.Candidate) {
		c.Redirect = &shellplan.Redirect{Op: op, Fd: fd, OneMatch: true}
	}
}

func cd(words ...string) shellplan.Cwd {
	var c shellplan.Cwd
	for _, w := range words {
		c.Steps = append(c.Steps, shellplan.CwdStep{Word: spell(w)})
	}
	return c
}

// segment runs in the starting directory.
func segment(cands ...shellplan.Candidate) shellplan.Segment {
	return shellplan.Segment{Cwds: []shellplan.Cwd{{}}, Candidates: cands}
}

func plan(segments ...shellplan.Segment) *shellplan.Plan {
	return &shellplan.Plan{Shell: bash52, Source: []byte("made by hand"), Segments: segments}
}

// simple is a plan of one segment.
func simple(cands ...shellplan.Candidate) *shellplan.Plan { return plan(segment(cands...)) }

// boundary is the one most tests use: everything happens in /r.
var rootBoundary = Boundary{ReadRoots: []string{"/r"}, WriteRoots: []string{"/r"}, Home: "/home/u", Cwd: "/r"}

// establishIn establishes a plan and requires that it works.
func establishIn(t testing.TB, env execenv.Env, p *shellplan.Plan) *Established {
	t.Helper()
	return establishAt(t, env, rootBoundary, p)
}

func establishAt(t testing.TB, env execenv.Env, b Boundary, p *shellplan.Plan) *Established {
	t.Helper()
	e, err := New(env, b)
	require.NoError(t, err)
	out, err := e.Establish(context.Background(), p)
	require.NoError(t, err)
	return out
}

// one is the read of a plan of a single candidate.
func one(t testing.TB, env execenv.Env, c shellplan.Candidate) Resolution {
	t.Helper()
	e := establishIn(t, env, simple(c))
	require.Len(t, e.Segments[0].Resolutions, 1)
	return e.Segments[0].Resolutions[0]
}

// pathsOf are the landings of a read, sorted.
func pathsOf(r Resolution) []string {
	out := []string{}
	for _, l := range r.Landings {
		out = append(out, l.Path)
	}
	sort.Strings(out)
	return out
}

// world is a tree of the usual traps.
func world() *execenvtest.Tree {
	return execenvtest.New().
		File("/r/a.txt").File("/r/b.txt").File("/r/src/main.go").File("/r/src/util.go").File("/r/src/sub/deep.txt").
		File("/r/.hid/h.txt").File("/r/src/.env").
		File("/out/secret.txt").File("/out/d/s.txt").
		Link("/r/link-in", "a.txt").Link("/r/link-out", "/out/secret.txt").Link("/r/rel-out", "../out/secret.txt").
		Link("/r/dlink-in", "src").Link("/r/dlink-out", "/out/d").Link("/r/up", "src/sub").
		Link("/r/dangle", "/out/new.txt").Link("/r/dangle-in", "newfile.txt").Link("/r/src/loop", "..").
		Link("/r/loop1", "loop2").Link("/r/loop2", "loop1").Link("/r/self", ".").
		Link("/r/slashlink", "src/").Link("/r/procroot", "/proc/self/root").
		Link("/r/nodirlink", "/out/nodir/x.txt").Dir("/home/u").Dir("/proc").Dir("/dev")
}
