package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// with gives a segment its effects, all visible from the next one on.
func with(s shellplan.Segment, visibleFrom int, effects ...shellplan.Effect) shellplan.Segment {
	for _, e := range effects {
		e.VisibleFrom = visibleFrom
		s.Effects = append(s.Effects, e)
	}
	return s
}

func link(candidate int) shellplan.Effect {
	return shellplan.Effect{Kind: shellplan.EffectLink, Candidate: candidate}
}

func move(candidate int, from ...int) shellplan.Effect {
	return shellplan.Effect{Kind: shellplan.EffectMove, Candidate: candidate, From: from}
}

// A name below a directory that the text makes is met like any other.
func TestBelowWhatTheTextMakes(t *testing.T) {
	for _, tt := range []struct {
		name string
		word shellplan.Candidate
		want Reason
	}{
		{"the link", read("nd/l"), MutatedEarlier},
		{"below it", write("nd/l/x"), MutatedEarlier},
		{"back out of it", read("nd/l/../x"), MutatedEarlier},
		{"another name there", read("nd/m"), NoReason},
		{"the directory", read("nd"), NoReason},
		{"a pattern that meets it", read("nd/*"), MutatedEarlier},
		{"a pattern through it", read("nd/*/x"), MutatedEarlier},
		{"a pattern for the directory", read("n*/l"), MutatedEarlier},
		{"a walk that follows", read("nd", diffR), MutatedEarlier},
		{"a walk that does not", read("nd", grepR), NoReason},
		{"its removal", entry("nd/l"), NoReason},
	} {
		p := plan(segment(entry("nd")), with(segment(entry("nd/l")), 2, link(0)), segment(tt.word))
		r := establishIn(t, world(), p).Segments[2].Resolutions[0]
		assert.Equal(t, tt.want, r.Reason, "%s: %v", tt.name, pathsOf(r))
	}
	p := plan(with(segment(entry("nd/l")), 1, link(0)), shellplan.Segment{Cwds: []shellplan.Cwd{cd("nd/l")}, Candidates: []shellplan.Candidate{read("x")}})
	assert.Equal(t, MutatedEarlier, establishIn(t, world(), p).Segments[1].Resolutions[0].Reason, "a working directory")
}

// What was re-pointed stays re-pointed under each name it gets.
func TestCarriedOn(t *testing.T) {
	p := plan(
		with(segment(entry("a.txt")), 1, link(0)),
		with(segment(entry("a.txt"), entry("q", into(false, 0))), 2, move(1, 0)),
		with(segment(entry("q"), entry("r", into(false, 0))), 3, move(1, 0)),
		segment(read("r")), segment(read("b.txt")),
	)
	e := establishIn(t, world(), p)
	assert.Equal(t, MutatedEarlier, e.Segments[3].Resolutions[0].Reason)
	assert.Equal(t, NoReason, e.Segments[4].Resolutions[0].Reason)

	// In a loop each round carries it one name further.
	p = plan(
		segment(read("r")),
		with(segment(entry("q"), entry("r", into(false, 0))), 0, move(1, 0)),
		with(segment(entry("a.txt"), entry("q", into(false, 0))), 0, move(1, 0)),
		with(segment(entry("a.txt")), 0, link(0)),
	)
	assert.Equal(t, MutatedEarlier, establishIn(t, world(), p).Segments[0].Resolutions[0].Reason)
}

// The directory the shell stands in is moved, though it is not there yet.
func TestMovedWorkingDirectory(t *testing.T) {
	p := plan(
		with(segment(entry("p/q"), entry("q2", into(false, 0))), 1, move(1, 0)),
		shellplan.Segment{Cwds: []shellplan.Cwd{cd("p/q")}, Candidates: []shellplan.Candidate{read("../../out/x")}},
	)
	assert.Equal(t, MutatedEarlier, establishIn(t, world(), p).Segments[1].Resolutions[0].Reason)
}
