package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// then is a plan of two segments, the first with an effect.
func then(first shellplan.Segment, kind shellplan.EffectKind, cand int, from []int, second ...shellplan.Candidate) *shellplan.Plan {
	first.Effects = []shellplan.Effect{{Kind: kind, Candidate: cand, From: from, VisibleFrom: 1}}
	return plan(first, segment(second...))
}

// A name that an earlier segment re-points has no answer; nothing has moved yet
// when the text is looked at.
func TestMutatedEarlier(t *testing.T) {
	for _, tt := range []struct {
		name    string
		p       *shellplan.Plan
		mutated bool
	}{
		{"ln -s, then through it", then(segment(entry("nl")), shellplan.EffectLink, 0, nil, write("nl")), true},
		{"ln -s, then below it", then(segment(entry("nl")), shellplan.EffectLink, 0, nil, read("nl/x")), true},
		{"ln -s, then `..` behind it", then(segment(entry("src/l")), shellplan.EffectLink, 0, nil, read("src/l/../x")), true},
		{"ln -s, then rm of it", then(segment(entry("nl")), shellplan.EffectLink, 0, nil, entry("nl")), false},
		{"ln -s, then rm through a slash", then(segment(entry("nl")), shellplan.EffectLink, 0, nil, entry("nl/")), true},
		{"ln -s over a link, then a pattern without a match", then(segment(entry("dlink-in")), shellplan.EffectLink, 0, nil, read("dlink-in/zz*", globbing(shellplan.GlobNull))), true},
		{"ln -s of .git, then git", then(segment(entry(".git")), shellplan.EffectLink, 0, nil, read(".", kind(shellplan.KindGitDir))), true},
		{"ln -s, then another word", then(segment(entry("nl")), shellplan.EffectLink, 0, nil, read("a.txt")), false},
		{"ln -s, then a pattern that meets it", then(segment(entry("nl")), shellplan.EffectLink, 0, nil, read("n*")), true},
		{"ln -s, then a pattern that does not", then(segment(entry("nl")), shellplan.EffectLink, 0, nil, read("a*")), false},
		{"ln -s, then a pattern through it", then(segment(entry("nl")), shellplan.EffectLink, 0, nil, read("*/x", safe)), true},
		{"mv of a file", then(segment(entry("a.txt"), entry("c.txt", into(false, 0))), shellplan.EffectMove, 1, []int{0}, read("c.txt")), false},
		{"mv of a link", then(segment(entry("link-out"), entry("c.txt", into(false, 0))), shellplan.EffectMove, 1, []int{0}, read("c.txt")), true},
		{"mv of a link, then its old name", then(segment(entry("link-out"), entry("c", into(false, 0))), shellplan.EffectMove, 1, []int{0}, write("link-out")), true},
		{"mv of a directory", then(segment(entry("src"), entry("lib", into(false, 0))), shellplan.EffectMove, 1, []int{0}, read("lib/main.go")), true},
		{"mv over a link", then(segment(entry("a.txt"), entry("link-out", into(false, 0))), shellplan.EffectMove, 1, []int{0}, write("link-out")), true},
		{"mv of what is made in between", then(segment(entry("later"), entry("c", into(false, 0))), shellplan.EffectMove, 1, []int{0}, read("c")), true},
		{"cp -P of a link", then(segment(stat("link-out", noFollow), entry("c", into(false, 0))), shellplan.EffectCopy, 1, []int{0}, read("c")), true},
		{"cp -r of a tree with links", then(segment(read("src", copyR), word("lib", shellplan.AccessTree, into(false, 0))), shellplan.EffectCopy, 1, []int{0}, read("lib/main.go")), true},
		{"cp -r of a tree without", then(segment(read("src/sub", copyR), word("lib", shellplan.AccessTree, into(false, 0))), shellplan.EffectCopy, 1, []int{0}, read("lib/deep.txt")), false},
		{"cp -r of a tree with links into where one is", then(segment(read("src/.", copyR), word(".", shellplan.AccessTree, into(true, 0))), shellplan.EffectCopy, 1, []int{0}, read("loop")), true},
		{"rm of a link", then(segment(entry("link-out")), shellplan.EffectRemove, 0, nil, write("link-out")), true},
		{"rm of a file", then(segment(entry("a.txt")), shellplan.EffectRemove, 0, nil, write("a.txt")), false},
		{"rm -r, then through a link below", then(segment(entry("src", removeR)), shellplan.EffectRemove, 0, nil, write("src/loop/new")), true},
		{"rm -r, then a file below", then(segment(entry("src", removeR)), shellplan.EffectRemove, 0, nil, write("src/new")), false},
		{"sed -i of a link", then(segment(entry("link-out")), shellplan.EffectReplace, 0, nil, write("link-out")), true},
		{"sed -i of a file", then(segment(entry("a.txt")), shellplan.EffectReplace, 0, nil, write("a.txt")), false},
		{"tar x, then a member", then(segment(word(".", shellplan.AccessTree)), shellplan.EffectTree, 0, nil, read("a.txt")), true},
		{"tar x elsewhere", then(segment(word("src", shellplan.AccessTree)), shellplan.EffectTree, 0, nil, read("a.txt")), false},
		{"tar x, then a pattern", then(segment(word("src", shellplan.AccessTree)), shellplan.EffectTree, 0, nil, read("src/*")), true},
		{"mv of the directory one is in", then(segment(entry("/r"), entry("/q")), shellplan.EffectMove, 1, []int{0}, read("a.txt")), true},
	} {
		e := establishIn(t, world(), tt.p)
		r := e.Segments[1].Resolutions[0]
		assert.Equal(t, tt.mutated, r.Reason == MutatedEarlier, "%s: %s %v", tt.name, r.Reason, pathsOf(r))
		assert.Equal(t, tt.mutated, r.State == Unestablishable, tt.name)
	}
}

// The change of directory is held against earlier effects, too.
func TestMutatedDirectory(t *testing.T) {
	first := segment(entry("nl"))
	first.Effects = []shellplan.Effect{{Kind: shellplan.EffectLink, Candidate: 0, VisibleFrom: 1}}
	p := plan(first, shellplan.Segment{Cwds: []shellplan.Cwd{cd("nl")}, Candidates: []shellplan.Candidate{read("x"), read("/r/a.txt")}})
	e := establishIn(t, world(), p)
	assert.Equal(t, MutatedEarlier, e.Segments[1].Resolutions[0].Reason)
	assert.Equal(t, Canonical, e.Segments[1].Resolutions[1].State)
}

// Effects reach the segments that may run after them, in a loop the earlier
// ones too, into nested plans and out of them.
func TestEffectsReach(t *testing.T) {
	linking := segment(entry("nl"))
	linking.Effects = []shellplan.Effect{{Kind: shellplan.EffectLink, Candidate: 0, VisibleFrom: 0}}
	e := establishIn(t, world(), plan(segment(read("nl")), linking))
	assert.Equal(t, MutatedEarlier, e.Segments[0].Resolutions[0].Reason, "a loop")

	linking.Effects[0].VisibleFrom = 2
	e = establishIn(t, world(), plan(segment(read("nl")), linking))
	assert.NotEqual(t, MutatedEarlier, e.Segments[0].Resolutions[0].Reason)

	linking.Effects[0].VisibleFrom = 1
	p := plan(linking, segment())
	p.Nested = []shellplan.Nested{{Segment: 1, How: "bash -c", Plan: *simple(read("nl"))}}
	assert.Equal(t, MutatedEarlier, establishIn(t, world(), p).Nested[0].Segments[0].Resolutions[0].Reason, "into a nested plan")

	inner := segment(entry("nl"))
	inner.Effects = []shellplan.Effect{{Kind: shellplan.EffectLink, Candidate: 0, VisibleFrom: 1}}
	p = plan(segment(), segment(read("nl")))
	p.Nested = []shellplan.Nested{{Segment: 0, How: "$()", Plan: *plan(inner)}}
	assert.Equal(t, MutatedEarlier, establishIn(t, world(), p).Segments[1].Resolutions[0].Reason, "out of one")
}

func TestAfterOpaque(t *testing.T) {
	first := segment()
	first.Effects = []shellplan.Effect{{Kind: shellplan.EffectAny, Candidate: -1, VisibleFrom: 1}}
	e := establishIn(t, world(), plan(first, segment(read("a.txt"))))
	r := e.Segments[1].Resolutions[0]
	assert.True(t, r.AfterOpaque)
	assert.Equal(t, Canonical, r.State, "disclosed, not refused")
	assert.False(t, establishIn(t, world(), simple(read("a.txt"))).Segments[0].Resolutions[0].AfterOpaque)
}

// What other segments create is offered to a pattern.
func TestMadeNames(t *testing.T) {
	p := plan(segment(write("q.txt")), segment(read("q*"), read("*.txt")))
	e := establishIn(t, world(), p)
	assert.Equal(t, []string{"/r", "/r/q*", "/r/q.txt"}, pathsOf(e.Segments[1].Resolutions[0]))
	assert.Equal(t, []string{"/r", "/r/a.txt", "/r/b.txt", "/r/q.txt"}, pathsOf(e.Segments[1].Resolutions[1]))
	p = plan(segment(entry("qd/sub", parents)), segment(read("q*/../../out/x")))
	e = establishIn(t, world(), p)
	assert.Contains(t, pathsOf(e.Segments[1].Resolutions[0]), "/out/x", "`..` behind a directory that will be there")
	p = plan(segment(write("all.txt"), read("*.txt")))
	assert.Equal(t, []string{"/r", "/r/a.txt", "/r/b.txt"}, pathsOf(establishIn(t, world(), p).Segments[0].Resolutions[1]), "a segment does not meet its own")
}

// A walk that does not follow links stays where it is, whatever is made below.
func TestWalkAfterMutation(t *testing.T) {
	w := execenvtest.New().Dir("/home/u").Dir("/r/d")
	e := establishIn(t, w, then(segment(entry("d/l")), shellplan.EffectLink, 0, nil, read("d", grepR)))
	assert.Equal(t, Canonical, e.Segments[1].Resolutions[0].State)
	e = establishIn(t, w, then(segment(entry("d/l")), shellplan.EffectLink, 0, nil, read("d", diffR)))
	assert.Equal(t, MutatedEarlier, e.Segments[1].Resolutions[0].Reason)
	e = establishIn(t, w, then(segment(entry("d")), shellplan.EffectLink, 0, nil, read("d", grepR)))
	assert.Equal(t, MutatedEarlier, e.Segments[1].Resolutions[0].Reason)
}

// Too many effects to hold against each other: nothing is vouched for.
func TestCrowded(t *testing.T) {
	var segs []shellplan.Segment
	for i := range maxEarlier + 2 {
		s := segment(entry("l"))
		s.Effects = []shellplan.Effect{{Kind: shellplan.EffectLink, Candidate: 0, VisibleFrom: i + 1}}
		segs = append(segs, s)
	}
	e := establishIn(t, world(), plan(append(segs[:10:10], segment(read("a.txt")))...))
	assert.Equal(t, Canonical, e.Segments[10].Resolutions[0].State)
	e = establishIn(t, world(), plan(append(segs, segment(read("a.txt")))...))
	assert.Equal(t, MutatedEarlier, e.Segments[len(segs)].Resolutions[0].Reason)
}

// What earlier segments take away may leave something else there: both are
// reported.
func TestAfterRemoval(t *testing.T) {
	gone := func(word string, opts ...candidateOption) shellplan.Segment {
		s := segment(entry(word, opts...))
		s.Effects = []shellplan.Effect{{Kind: shellplan.EffectRemove, Candidate: 0, VisibleFrom: 1}}
		return s
	}
	w := func() *execenvtest.Tree { return world().Link("/r/b.txt", "/out/secret.txt") }
	reads := func(p *shellplan.Plan) Resolution {
		r := establishIn(t, w(), p).Segments[1].Resolutions
		return r[len(r)-1]
	}
	assert.Equal(t, []string{"/out/secret.txt", "/r", "/r/*.txt", "/r/a.txt"},
		pathsOf(reads(plan(gone("a.txt"), segment(read("*.txt", redirect("<", 0)))))), "one match may be left, or none")
	assert.Equal(t, AmbiguousRedirect, establishIn(t, w(), simple(read("*.txt", redirect("<", 0)))).Segments[0].Resolutions[0].Reason)
	assert.Equal(t, []string{"/r/src", "/r/src/a.txt"}, pathsOf(reads(plan(gone("src", removeR), segment(read("a.txt"), write("src", into(false, 0)))))))
	assert.Equal(t, []string{"/r/a.txt", "/r/a.txt/main.go"}, pathsOf(reads(plan(gone("a.txt"), segment(read("src/main.go"), write("a.txt", into(false, 0)))))))
	assert.Equal(t, shellplan.AccessRead, reads(plan(gone("a.txt"), segment(read("a.txt", dirOnly)))).Landings[0].Access)
	r := reads(plan(gone("a.txt"), segment(read("a.txt", grepR))))
	assert.Equal(t, []Subtree{{Root: "/r/a.txt", Access: shellplan.AccessRead}}, r.Subtrees)
	assert.Equal(t, MutatedEarlier, reads(plan(gone("dlink-out"), segment(read("dlink-out", findP)))).Reason, "a directory may stand where the link was")
}

// An effect whose own place has no answer may have re-pointed anything.
func TestUnknownEffect(t *testing.T) {
	e := establishIn(t, world(), then(segment(entry("loop1/x")), shellplan.EffectLink, 0, nil, read("a.txt")))
	assert.Equal(t, MutatedEarlier, e.Segments[1].Resolutions[0].Reason)
	// So may one that turns out to have none only in view of what is before it.
	first, second := segment(entry("e")), segment(entry("e/n"))
	first.Effects = []shellplan.Effect{{Kind: shellplan.EffectLink, Candidate: 0, VisibleFrom: 1}}
	second.Effects = []shellplan.Effect{{Kind: shellplan.EffectLink, Candidate: 0, VisibleFrom: 2}}
	e = establishIn(t, world(), plan(first, second, segment(read("n"))))
	assert.Equal(t, MutatedEarlier, e.Segments[1].Resolutions[0].Reason)
	assert.Equal(t, MutatedEarlier, e.Segments[2].Resolutions[0].Reason, "ln -s . e; ln -s /out/secret e/n; cat n")
}

// Where case does not count, neither does it for what is re-pointed.
func TestMutatedInAnotherCase(t *testing.T) {
	w := world().Declare(execenv.Capabilities{Authoritative: true, CanonicalStopsAtMagic: true, CaseInsensitive: true})
	for _, word := range []string{"nl/x", "n*", "NL"} {
		e := establishIn(t, w, then(segment(entry("NL")), shellplan.EffectLink, 0, nil, read(word)))
		assert.Equal(t, MutatedEarlier, e.Segments[1].Resolutions[0].Reason, word)
		assert.True(t, e.CaseInsensitive)
	}
}

// Ignore files and directories of CDPATH that the text makes are met.
func TestMadeElsewhere(t *testing.T) {
	up := func(c *shellplan.Candidate) {
		c.Kind, c.Names = shellplan.KindUpward, [][]byte{[]byte(".ignore")}
	}
	e := establishIn(t, world(), plan(segment(write(".ignore")), segment(read("src", up))))
	assert.Equal(t, []string{"/r/.ignore"}, pathsOf(e.Segments[1].Resolutions[0]))
	c := cd("d")
	c.Steps[0].CDPath = [][]byte{[]byte("/out/new"), []byte("/nowhere")}
	p := plan(segment(entry("/out/new/d", parents)), shellplan.Segment{Cwds: []shellplan.Cwd{c}, Candidates: []shellplan.Candidate{read("x")}})
	e = establishIn(t, world(), p)
	var got []string
	for _, r := range e.Segments[1].Resolutions {
		got = append(got, r.Target())
	}
	assert.Equal(t, []string{"/out/new/d/x", "/r/d/x"}, got)
}
