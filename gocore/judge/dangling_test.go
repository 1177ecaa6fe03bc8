package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/planner"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func TestALinkThatLeadsNowhereIsNoReasonToAsk(t *testing.T) {
	type change func(e *establish.Established, s *shellplan.Segment, c *shellplan.Candidate, r *establish.Resolution)
	for name, tc := range map[string]struct {
		change change
		want   Decision
	}{
		"read": {nil, Allow},
		"absolute word": {func(_ *establish.Established, _ *shellplan.Segment, c *shellplan.Candidate, _ *establish.Resolution) {
			c.Raw = []byte("/r/link")
		}, Allow},
		"root behind a link": {func(e *establish.Established, _ *shellplan.Segment, _ *shellplan.Candidate, _ *establish.Resolution) {
			e.Boundary.ReadRoots, e.Plan.Start = []string{"/spelled"}, []byte("/spelled/src")
		}, Allow},
		"redirection into no directory": {func(_ *establish.Established, _ *shellplan.Segment, c *shellplan.Candidate, r *establish.Resolution) {
			c.Access, c.Redirect = shellplan.AccessWrite, &shellplan.Redirect{}
			r.Landings[0] = establish.Landing{Path: "/s/no/x", Tail: "no/x", Access: shellplan.AccessWrite}
		}, Allow},
		"redirection into a directory": {func(_ *establish.Established, _ *shellplan.Segment, c *shellplan.Candidate, r *establish.Resolution) {
			c.Access, c.Redirect, r.Landings[0].Access = shellplan.AccessWrite, &shellplan.Redirect{}, shellplan.AccessWrite
		}, Ask},
		"a program may make the directory": {func(_ *establish.Established, _ *shellplan.Segment, c *shellplan.Candidate, r *establish.Resolution) {
			c.Access = shellplan.AccessWrite
			r.Landings[0] = establish.Landing{Path: "/s/no/x", Tail: "no/x", Access: shellplan.AccessWrite}
		}, Ask},
		"look": {func(_ *establish.Established, _ *shellplan.Segment, c *shellplan.Candidate, r *establish.Resolution) {
			c.Access, r.Landings[0].Access = shellplan.AccessStat, shellplan.AccessStat
		}, Ask},
		"it exists": {func(_ *establish.Established, _ *shellplan.Segment, _ *shellplan.Candidate, r *establish.Resolution) {
			r.State, r.Landings[0].Tail = establish.Canonical, ""
		}, Ask},
		"denied path": {func(_ *establish.Established, _ *shellplan.Segment, _ *shellplan.Candidate, r *establish.Resolution) {
			r.Landings[0].Path = "/h/.aws/x"
		}, Deny},
		"spelled with dots": {func(_ *establish.Established, _ *shellplan.Segment, c *shellplan.Candidate, _ *establish.Resolution) {
			c.Raw = []byte("../r/link")
		}, Ask},
		"spelled outside": {func(_ *establish.Established, _ *shellplan.Segment, c *shellplan.Candidate, _ *establish.Resolution) {
			c.Raw = []byte("/s/x")
		}, Ask},
		"start outside": {func(e *establish.Established, _ *shellplan.Segment, _ *shellplan.Candidate, _ *establish.Resolution) {
			e.Plan.Start = []byte("/s")
		}, Ask},
		"another directory": {func(_ *establish.Established, s *shellplan.Segment, _ *shellplan.Candidate, _ *establish.Resolution) {
			s.Cwds = []shellplan.Cwd{{Steps: []shellplan.CwdStep{{}}}}
		}, Ask},
		"may run again": {func(_ *establish.Established, s *shellplan.Segment, _ *shellplan.Candidate, _ *establish.Resolution) {
			s.Reach = shellplan.ReachMaybe
		}, Ask},
		"waits for it": {func(_ *establish.Established, s *shellplan.Segment, _ *shellplan.Candidate, _ *establish.Resolution) {
			s.Command = "tail"
		}, Ask},
		"by itself": {func(_ *establish.Established, _ *shellplan.Segment, c *shellplan.Candidate, _ *establish.Resolution) {
			c.Implicit = shellplan.ImplicitJudged
		}, Ask},
		"behind another command": {func(e *establish.Established, s *shellplan.Segment, _ *shellplan.Candidate, _ *establish.Resolution) {
			e.Plan.Segments = []shellplan.Segment{{Command: "sleep"}, *s}
			e.Segments = []establish.Segment{{}, e.Segments[0]}
		}, Ask},
	} {
		t.Run(name, func(t *testing.T) {
			e := established(shellplan.Candidate{Word: shellplan.Word{Raw: []byte("link")}, Access: shellplan.AccessRead}, establish.Resolution{
				State:    establish.AbsentTail,
				Landings: []establish.Landing{{Path: "/s/x", Tail: "x", Access: shellplan.AccessRead}},
			})
			e.Plan.Start = []byte("/r")
			s := &e.Plan.Segments[0]
			s.Reach, s.Cwds = shellplan.ReachAlways, []shellplan.Cwd{{}}
			if tc.change != nil {
				tc.change(e, s, &s.Candidates[0], &e.Segments[0].Resolutions[0])
			}
			assert.Equal(t, tc.want, New(DefaultPolicy()).Decide(e).Decision)
		})
	}
}

func TestALoopMayWaitForWhatDoesNotExist(t *testing.T) {
	for text, want := range map[string]shellplan.Reach{
		"cat link":                         shellplan.ReachAlways,
		"until cat link; do :; done":       shellplan.ReachMaybe,
		"for ((;;)); do cat link; done":    shellplan.ReachMaybe,
		"f() { cat link; }; sleep 9; f":    shellplan.ReachMaybe,
		"for i in 1 2 3; do cat link;done": shellplan.ReachMaybe,
	} {
		plan := planner.Build(text, planner.Options{Cwd: "/r"})
		for i := range plan.Segments {
			if plan.Segments[i].Command == "cat" {
				assert.Equal(t, want, plan.Segments[i].Reach, text)
			}
		}
	}
}

// More links than the kernel follows: nothing opens, and nobody has to be asked.
func TestALinkThatLeadsToItselfIsNoReasonToAsk(t *testing.T) {
	for name, tc := range map[string]struct {
		c    shellplan.Candidate
		r    establish.Reason
		want Decision
	}{
		"read":        {shellplan.Candidate{Access: shellplan.AccessRead}, establish.LinkHops, Allow},
		"redirection": {shellplan.Candidate{Access: shellplan.AccessWrite, Redirect: &shellplan.Redirect{}}, establish.LinkHops, Allow},
		"copied over": {shellplan.Candidate{Access: shellplan.AccessWrite}, establish.LinkHops, Ask},
		"another why": {shellplan.Candidate{Access: shellplan.AccessRead}, establish.SearchDenied, Ask},
	} {
		tc.c.Raw = []byte("loop")
		e := established(tc.c, establish.Resolution{State: establish.Unestablishable, Reason: tc.r})
		e.Plan.Start = []byte("/r")
		s := &e.Plan.Segments[0]
		s.Reach, s.Cwds = shellplan.ReachAlways, []shellplan.Cwd{{}}
		assert.Equal(t, tc.want, New(DefaultPolicy()).Decide(e).Decision, name)
	}
}
