package judge

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// dangles reports whether a landing outside is nothing but a link in the roots
// that leads nowhere: the command fails on it and touches no file, wherever it
// leads. A word that is spelled as leaving the roots is asked about all the same,
// and confirm sees it when the place comes to exist.
func (t *trial) dangles(s *shellplan.Segment, way []int, index int, r *establish.Resolution, l *establish.Landing) bool {
	c := &s.Candidates[r.Candidate]
	return atOnce(s, way, index) && t.spelledInside(s, c) && fails(c, r, l)
}

// loops reports whether a word opens nothing because more links are on its way
// than the kernel follows: the command fails on it, wherever they lead.
func (t *trial) loops(s *shellplan.Segment, way []int, index int, r *establish.Resolution) bool {
	c := &s.Candidates[r.Candidate]
	opens := c.Access == shellplan.AccessRead || c.Access == shellplan.AccessWrite && c.Redirect != nil
	return r.Reason == establish.LinkHops && opens && c.Kind == shellplan.KindWord && c.Implicit == shellplan.Explicit &&
		!c.Pattern && atOnce(s, way, index) && t.spelledInside(s, c)
}

// waits are the commands that look again and again for what does not exist.
var waits = []string{"tail", "less", "more"}

// atOnce reports whether a command runs first, once and before anything is
// waited for: what was looked at is then what it meets.
func atOnce(s *shellplan.Segment, way []int, index int) bool {
	return len(way) == 0 && index == 0 && s.Reach == shellplan.ReachAlways && !slices.Contains(waits, s.Command)
}

// spelledInside reports whether a word looks like staying in the roots. It
// decides nothing about where the word leads.
func (t *trial) spelledInside(s *shellplan.Segment, c *shellplan.Candidate) bool {
	raw := string(c.Raw)
	if slices.Contains(strings.Split(raw, "/"), "..") {
		return false
	}
	if !strings.HasPrefix(raw, "/") {
		if len(c.Chdir) > 0 || len(s.Cwds) != 1 || len(s.Cwds[0].Steps) > 0 {
			return false
		}
		raw = string(t.of.Plan.Start) + "/" + raw
	}
	return t.places.readable(raw) || t.places.underAny(raw, t.of.Boundary.ReadRoots) || t.places.underAny(raw, t.of.Boundary.WriteRoots)
}

// fails reports whether the word opens nothing: what it would read does not
// exist, or what it would create has no directory to be in.
func fails(c *shellplan.Candidate, r *establish.Resolution, l *establish.Landing) bool {
	switch {
	case r.State != establish.AbsentTail || l.Tail == "" || c.Implicit != shellplan.Explicit || c.Kind != shellplan.KindWord:
		return false
	case l.Access == shellplan.AccessRead:
		return true
	}
	return l.Access == shellplan.AccessWrite && c.Redirect != nil && strings.Contains(l.Tail, "/")
}
