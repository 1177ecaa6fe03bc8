// Package judge says whether a command may run: allow, ask or deny, with the
// reasons.
//
// It holds an established plan (package establish) against roots, refused
// places and a policy. It is pure: no file system, no clock, the same
// establishment gives the same decision. The zero Verdict is Deny and the zero
// Policy refuses whatever is not known.
//
// What Allow means: every path that the words of the command lead to lies where
// it may be read or written, and nothing about the command is unknown. It does
// not mean that the command is harmless, that a program does only what its words
// say, or that the places stay where they are until it runs.
//
// Rules, in order of strength:
//   - a path at or below a refused place, by its landing or by its spelling, is
//     a Deny, whatever happens to it;
//   - reading and looking needs a read root, writing a write root; a write root
//     may be read too;
//   - what is not known (a word without an answer, an opaque command) is what
//     the policy says;
//   - a walk that was too large to enumerate but cannot leave its root counts as
//     that root, when the policy allows it and no refused place lies below.
package judge

import (
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Verdict is the answer. Deny is the zero value.
type Verdict uint8

// The verdicts, the strongest first.
const (
	Deny Verdict = iota
	Ask
	Allow
)

var verdictNames = [...]string{"deny", "ask", "allow"}

func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return verdictNames[Deny]
}

// MarshalText writes allow, ask or deny.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads allow, ask or deny.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("%q is none of deny, ask, allow", text)
}

// Decision is a verdict with its reasons; Allow has none.
type Decision struct {
	Verdict Verdict  `json:"decision"`
	Reasons []Reason `json:"reasons"`
}

// Policy says what becomes of what is not known. The zero Policy denies it.
type Policy struct {
	// Opaque is the verdict on a command that is not wholly understood.
	Opaque Verdict
	// Unestablishable is the verdict on a word whose place is not known.
	Unestablishable Verdict
	// ContainedTraversal lets a walk that was not enumerated count as its root,
	// when it follows no links and no refused place lies below.
	ContainedTraversal bool
}

// DefaultPolicy asks about what is not known and lets contained walks pass.
func DefaultPolicy() Policy {
	return Policy{Opaque: Ask, Unestablishable: Ask, ContainedTraversal: true}
}

// Judge decides by one policy.
type Judge struct{ policy Policy }

// New returns a judge. A policy cannot allow what is not known: Allow becomes
// Ask.
func New(p Policy) *Judge {
	p.Opaque, p.Unestablishable = min(p.Opaque, Ask), min(p.Unestablishable, Ask)
	return &Judge{policy: p}
}

// Decide judges an established plan. A nil establishment is denied.
func (j *Judge) Decide(e *establish.Established) Decision {
	if e == nil || e.Plan == nil {
		return Decision{Verdict: Deny, Reasons: []Reason{{Code: NotEstablished, Verdict: Deny, Message: "nothing was established, so nothing can be allowed"}}}
	}
	t := &trial{judge: j, of: e, places: placesOf(e)}
	t.plan(e, nil)
	d := Decision{Verdict: Allow, Reasons: t.reasons}
	for i := range d.Reasons {
		d.Verdict = min(d.Verdict, d.Reasons[i].Verdict)
	}
	if d.Reasons == nil {
		d.Reasons = []Reason{}
	}
	return d
}

// trial is one decision in the making.
type trial struct {
	judge   *Judge
	of      *establish.Established
	places  places
	reasons []Reason
}

// plan judges a plan and what is nested in it. way leads to it: an index into
// Nested at each level.
func (t *trial) plan(e *establish.Established, way []int) {
	for _, o := range e.Plan.Opaque {
		t.opaque(o, "", way, -1)
	}
	if len(e.Plan.Segments) == 0 && len(e.Plan.Opaque) == 0 && len(way) == 0 {
		t.add(Reason{Code: NotEstablished, Verdict: t.judge.policy.Opaque, Segment: -1, Message: "the text holds no command; write one"})
	}
	for i := range e.Segments {
		t.segment(&e.Plan.Segments[i], &e.Segments[i], way, i)
	}
	for i, nested := range e.Nested {
		t.plan(nested, append(way[:len(way):len(way)], i))
	}
}

func (t *trial) segment(plan *shellplan.Segment, found *establish.Segment, way []int, index int) {
	for _, o := range plan.Opaque {
		t.opaque(o, plan.Command, way, index)
	}
	for i := range found.Checks {
		t.check(plan, &found.Checks[i], way, index)
	}
	for i := range found.Resolutions {
		t.read(plan, &found.Resolutions[i], way, index)
	}
}

// add keeps a reason, once.
func (t *trial) add(r Reason) {
	for i := range t.reasons {
		if have := &t.reasons[i]; have.Code == r.Code && have.Segment == r.Segment && have.Span == r.Span && have.Target == r.Target && have.Message == r.Message {
			return
		}
	}
	t.reasons = append(t.reasons, r)
}
