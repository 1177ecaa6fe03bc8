package judge

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Code is the kind of a reason. The set is closed.
type Code string

// The codes.
const (
	// DeniedPath: the word leads to a denied path.
	DeniedPath Code = "DENIED_PATH"
	// Harm: the command removes a home or all of the file system.
	Harm Code = "HARM"
	// DeniedBelow: the command works below a directory that holds a denied path.
	DeniedBelow Code = "DENIED_BELOW"
	// OutsideRead: the word reads outside the read roots.
	OutsideRead Code = "OUTSIDE_READ"
	// OutsideStat: the word looks at something outside the read roots.
	OutsideStat Code = "OUTSIDE_STAT"
	// OutsideWrite: the word writes outside the write roots.
	OutsideWrite Code = "OUTSIDE_WRITE"
	// GuardedWrite: the word writes hooks or settings that decide what runs
	// later.
	GuardedWrite Code = "GUARDED_WRITE"
	// OutsideExec: the command runs a file outside the roots.
	OutsideExec Code = "OUTSIDE_EXEC"
	// Unestablishable: where the word leads is not known.
	Unestablishable Code = "UNESTABLISHABLE"
	// NotEnumerated: a walk is too large to look through, and it may leave its
	// root.
	NotEnumerated Code = "NOT_ENUMERATED"
	// Opaque: the command does more than its words say.
	Opaque Code = "OPAQUE"
	// CheckFailed: a file that the command obeys makes it run or reach more.
	CheckFailed Code = "CHECK_FAILED"
	// CheckUnknown: that file could not be looked at.
	CheckUnknown Code = "CHECK_UNKNOWN"
	// ByRule: a rule of the policy asks about the program, or denies it.
	ByRule Code = "BY_RULE"
	// Changed: a place moved since the establishment.
	Changed Code = "CHANGED"
	// NotEstablished: there is nothing to judge.
	NotEstablished Code = "NOT_ESTABLISHED"
)

// Reason is one thing that stands in the way of an allow.
type Reason struct {
	Code Code
	// Decision is what this reason alone would make of the command.
	Decision Decision
	// Nested leads to the plan, an index into nested plans at each level; empty
	// for the outermost. Segment is the index of the command in it, -1 for the
	// whole text.
	Nested  []int
	Segment int
	// Word is the word as the text spells it, and Span where it stands in its
	// plan's source. Both are empty for what no word names.
	Word string
	Span shellplan.Span
	// Access is what happens to the target.
	Access shellplan.Access
	// Target is where the word leads, or empty.
	Target string
	// Detail is the finer reason of an opaque command or an unknown place.
	Detail string
	// Message is one sentence that says what was found and, where the command
	// itself can be written otherwise, how. What only a caller can change is the
	// Remedy: each door words it in its own terms.
	Message string
	// Remedy is what would make it an allow.
	Remedy Remedy

	held bool // a sandbox holds what is not known here
}

type reasonJSON struct {
	Code        Code            `json:"code"`
	Decision    Decision        `json:"decision"`
	Nested      []int           `json:"nested,omitempty"`
	Segment     int             `json:"segment"`
	Word        string          `json:"word,omitempty"`
	WordBytes   []byte          `json:"wordBytes,omitempty"`
	Span        *shellplan.Span `json:"span,omitempty"`
	Access      string          `json:"access,omitempty"`
	Target      string          `json:"target,omitempty"`
	TargetBytes []byte          `json:"targetBytes,omitempty"`
	Detail      string          `json:"detail,omitempty"`
	Message     string          `json:"message"`
	Remedy      *Remedy         `json:"remedy,omitempty"`
}

// MarshalJSON writes the reason; bytes that are not UTF-8 are escaped in the
// text and exact in the field beside it.
func (r Reason) MarshalJSON() ([]byte, error) {
	w := reasonJSON{
		Code: r.Code, Decision: r.Decision, Nested: r.Nested, Segment: r.Segment,
		Detail: shown(r.Detail), Message: r.Message,
	}
	w.Word, w.WordBytes = shellplan.EscapeText([]byte(r.Word))
	w.Target, w.TargetBytes = shellplan.EscapeText([]byte(r.Target))
	if r.Span != (shellplan.Span{}) {
		w.Span = &r.Span
	}
	if r.Access != 0 {
		w.Access = r.Access.String()
	}
	if r.Remedy.Kind != "" {
		w.Remedy = &r.Remedy
	}
	return json.Marshal(w)
}

// shown is text for a message.
func shown(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	text, _ := shellplan.EscapeText([]byte(s))
	return text
}
