package establish

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// planMaker makes valid plans at random: every kind, access, walk, destination,
// effect and check, over words that meet the traps of world.
type planMaker struct{ *rand.Rand }

func (m planMaker) pick(list ...string) string { return list[m.IntN(len(list))] }
func (m planMaker) chance(n int) bool          { return m.IntN(n) == 0 }

func (m planMaker) word() shellplan.Word {
	text := ""
	for n := m.IntN(4); n >= 0; n-- {
		text += m.pick("a.txt", "src", "up", "dlink-out", "dlink-in", "dangle", "..", ".", "nope", "loop1", "self", "procroot", "*", "s*", "?", "[!a]*", "l*", "")
		if n > 0 || m.chance(6) {
			text += "/"
		}
	}
	if m.chance(8) {
		text = m.pick("/", "/out/", "/dev/stdin", "/proc/self/cwd/", "/r/", "/dev/fd/3", "\xff") + text
	}
	return spell(text)
}

func (m planMaker) steps() (out []shellplan.CwdStep) {
	for n := m.IntN(3); n > 0; n-- {
		s := shellplan.CwdStep{Word: m.word(), Mode: shellplan.CwdMode(m.IntN(3))}
		if m.chance(6) {
			s.CDPath = [][]byte{[]byte("/out"), nil}
		}
		out = append(out, s)
	}
	return out
}

func (m planMaker) candidate(others int) shellplan.Candidate {
	c := shellplan.Candidate{
		Word: m.word(), Kind: shellplan.KindWord, Access: shellplan.Access(1 + m.IntN(6)),
		NoFollow: m.chance(6), DirOnly: m.chance(6), OptionSafe: m.chance(2), Parents: m.chance(6), Resplit: m.chance(8),
	}
	if m.chance(5) {
		c.Kind = shellplan.Kind(1 + m.IntN(5))
	}
	if m.chance(6) || c.Kind == shellplan.KindUpward || c.Kind == shellplan.KindBeside {
		c.Names = [][]byte{[]byte(m.pick(".bak", "sed*", ".ignore"))}
	}
	if m.chance(4) {
		c.Traversal = &shellplan.Traversal{FollowRoot: m.chance(2), Links: shellplan.Links(m.IntN(3)), MaxDepth: m.IntN(3), Hidden: m.chance(2), DirsOnly: m.chance(3)}
		if m.chance(3) {
			w := spell("*.go")
			c.Traversal.Match = &w
		}
	}
	if others > 0 && m.chance(4) {
		c.Into = &shellplan.Into{Always: m.chance(2), From: []int{m.IntN(others)}}
	}
	if m.chance(6) {
		c.Redirect = &shellplan.Redirect{Op: m.pick("<", ">", "<>", "&>"), Fd: m.IntN(5) - 1, OneMatch: m.chance(2)}
	}
	if m.chance(6) {
		c.Chdir = m.steps()
	}
	return c
}

func (m planMaker) plan(depth int) *shellplan.Plan {
	p := &shellplan.Plan{Source: []byte("random"), Shell: shellplan.Shell{
		Dialect: shellplan.Dialect(1 + m.IntN(3)), Version: []int{0, 302, 502}[m.IntN(3)], Locale: shellplan.Locale(m.IntN(3)),
	}}
	segments := 1 + m.IntN(4)
	for range segments {
		s := shellplan.Segment{CwdUnknown: m.chance(8)}
		for n := 1 + m.IntN(2); n > 0 && !s.CwdUnknown; n-- {
			s.Cwds = append(s.Cwds, shellplan.Cwd{Steps: m.steps()})
		}
		n := 1 + m.IntN(3)
		for range n {
			s.Candidates = append(s.Candidates, m.candidate(n))
		}
		if m.chance(2) {
			e := shellplan.Effect{Kind: shellplan.EffectKind(1 + m.IntN(6)), Candidate: m.IntN(n), VisibleFrom: m.IntN(segments + 1)}
			if m.chance(2) {
				e.From = []int{m.IntN(n)}
			}
			s.Effects = append(s.Effects, e)
		}
		if m.chance(5) {
			s.Checks = append(s.Checks, gitCheck([]string{"pre-commit"}, "core.fsmonitor"))
		}
		p.Segments = append(p.Segments, s)
	}
	if depth > 0 && m.chance(3) {
		p.Nested = []shellplan.Nested{{Segment: m.IntN(segments), How: "$()", Plan: *m.plan(depth - 1)}}
	}
	return p
}

// What holds for every plan: no panic, no landing without an answer, the JSON
// form comes back, nothing has moved when nothing moved, an isolated
// environment is not touched.
func TestRandomPlans(t *testing.T) {
	m := planMaker{rand.New(rand.NewPCG(oracleSeed(t), 2))}
	for i := range oracleCount(t, "ESTABLISH_RANDOM_PLANS", 1500) {
		p := m.plan(2)
		require.NoError(t, p.Validate(), "plan %d", i)
		caps := execenv.Capabilities{Authoritative: m.chance(2), CanonicalStopsAtMagic: m.chance(2)}
		var env execenv.Env = world().Declare(caps).File("/r/.git/HEAD").Dir("/r/.git/objects").Dir("/r/.git/refs")
		if m.chance(4) {
			env = execenvtest.Only{Env: env}
		}
		e, err := New(env, rootBoundary)
		require.NoError(t, err)
		got, err := e.Establish(t.Context(), p)
		require.NoError(t, err, "plan %d", i)
		checkShape(t, got, p)
		text, err := json.Marshal(got)
		require.NoError(t, err, "plan %d", i)
		var back Established
		require.NoError(t, json.Unmarshal(text, &back), "plan %d", i)
		c, err := e.Reestablish(t.Context(), &back)
		require.NoError(t, err, "plan %d", i)
		if c.Any() {
			moved, _ := json.MarshalIndent(c, "", " ")
			t.Fatalf("plan %d: nothing moved, but: %.3000s", i, moved)
		}
		iso, err := New(execenvtest.Untouchable{Caps: isolated}, rootBoundary)
		require.NoError(t, err)
		_, err = iso.Establish(t.Context(), p)
		require.NoError(t, err, "plan %d", i)
	}
}

func checkShape(t *testing.T, e *Established, p *shellplan.Plan) {
	require.Len(t, e.Segments, len(p.Segments))
	require.Len(t, e.Nested, len(p.Nested))
	for i := range e.Segments {
		answered := map[int]bool{}
		for _, r := range e.Segments[i].Resolutions {
			answered[r.Candidate] = true
			if r.State == Unestablishable {
				require.Empty(t, r.Landings)
				require.NotEqual(t, NoReason, r.Reason)
			}
			for _, l := range r.Landings {
				if l.Path != "" {
					require.Equal(t, byte('/'), l.Path[0])
					if r.State == Canonical {
						require.Equal(t, resolve.Clean(l.Path), l.Path, "a canonical path has no dots and no double slashes")
					}
				}
			}
		}
		require.Len(t, answered, len(p.Segments[i].Candidates), "every candidate has an answer")
		require.Len(t, e.Segments[i].Checks, len(p.Segments[i].Checks))
	}
	for i := range e.Nested {
		checkShape(t, e.Nested[i], &p.Nested[i].Plan)
	}
}
