package judge

import (
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/establish"
)

// Decision is the answer. Deny is the zero value.
type Decision uint8

// The decisions, the strongest first.
const (
	Deny Decision = iota
	Ask
	// Confine: it may run unasked, below a sandbox of the kernel and not without.
	Confine
	Allow
)

var decisionNames = [...]string{"deny", "ask", "confine", "allow"}

func (v Decision) String() string {
	if int(v) < len(decisionNames) {
		return decisionNames[v]
	}
	return decisionNames[Deny]
}

// MarshalText writes allow, confine, ask or deny.
func (v Decision) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads allow, confine, ask or deny.
func (v *Decision) UnmarshalText(text []byte) error {
	for i, name := range decisionNames {
		if name == string(text) {
			*v = Decision(i)
			return nil
		}
	}
	return fmt.Errorf("%q is none of deny, ask, confine, allow", text)
}

// Ruling is a decision with its reasons; Allow has none.
type Ruling struct {
	Decision Decision `json:"decision"`
	Reasons  []Reason `json:"reasons"`
}

// Policy says what becomes of what is not known. The zero Policy denies it.
type Policy struct {
	// Opaque is the decision on a command that is not wholly understood.
	Opaque Decision
	// Unestablishable is the decision on a word whose place is not known.
	Unestablishable Decision
	// ContainedTraversal lets a walk that was not enumerated count as its root,
	// when it follows no links and no denied path lies below.
	ContainedTraversal bool
	// Confine says which commands may run unasked below a sandbox of the kernel.
	Confine Confinement
	// Network says that there is a network in that sandbox.
	Network bool
	// Trust are rules about programs, which Check has found nothing wrong with.
	Trust []Rule
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
func (j *Judge) Decide(e *establish.Established) Ruling {
	if e == nil || e.Plan == nil {
		return Ruling{Decision: Deny, Reasons: []Reason{{Code: NotEstablished, Decision: Deny, Message: "nothing was established, so nothing can be allowed"}}}
	}
	t := &trial{judge: j, of: e, places: placesOf(e)}
	t.plan(e, nil)
	d := Ruling{Decision: Allow, Reasons: t.reasons}
	for i := range d.Reasons {
		if r := &d.Reasons[i]; r.held && r.Decision == Ask && j.policy.Confine != ConfineNever {
			r.confine()
		}
		d.Decision = min(d.Decision, d.Reasons[i].Decision)
	}
	if d.Reasons == nil {
		d.Reasons = []Reason{}
	}
	return d
}
