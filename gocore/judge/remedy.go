package judge

import (
	"encoding/json"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// RemedyKind says what would make an allow of a reason. The set is closed.
type RemedyKind string

// The kinds. A reason without one is told in its message alone.
const (
	// RemedyReadRoot: Root among the read roots.
	RemedyReadRoot RemedyKind = "readRoot"
	// RemedyWriteRoot: Root among the write roots.
	RemedyWriteRoot RemedyKind = "writeRoot"
	// RemedyDeniedPath: a command that stays clear of the denied path that Rule
	// spells, or a list without it.
	RemedyDeniedPath RemedyKind = "deniedPath"
	// RemedyTrust: the rule Trust in the policy, the narrowest that would do.
	RemedyTrust RemedyKind = "trust"
	// RemedyRewrite: the command, written as the message says.
	RemedyRewrite RemedyKind = "rewrite"
	// RemedyApprove: a person who has looked at it.
	RemedyApprove RemedyKind = "approve"
)

// Remedy is what would make an allow of a reason, as data.
type Remedy struct {
	Kind RemedyKind
	// Root is the directory to add, for the two kinds of roots.
	Root string
	// Rule is the entry of the policy that stands in the way.
	Rule string
	// Trust is the rule to add.
	Trust *Rule
}

type remedyJSON struct {
	Kind      RemedyKind `json:"kind"`
	Root      string     `json:"root,omitempty"`
	RootBytes []byte     `json:"rootBytes,omitempty"`
	Rule      string     `json:"rule,omitempty"`
	RuleBytes []byte     `json:"ruleBytes,omitempty"`
	Trust     *Rule      `json:"trust,omitempty"`
}

// MarshalJSON writes the remedy; bytes that are not UTF-8 are escaped in the
// text and exact in the field beside it.
func (r Remedy) MarshalJSON() ([]byte, error) {
	w := remedyJSON{Kind: r.Kind, Trust: r.Trust}
	w.Root, w.RootBytes = shellplan.EscapeText([]byte(r.Root))
	w.Rule, w.RuleBytes = shellplan.EscapeText([]byte(r.Rule))
	return json.Marshal(w)
}

// Words are how a door tells its caller to add a root or a rule: formats with one
// %s, the directory or the rule.
type Words struct{ ReadRoot, WriteRoot, Trust string }

// Tell is the message with its remedy in a door's own words.
func (w Words) Tell(r Reason) string {
	format, what := "", r.Remedy.Root
	switch r.Remedy.Kind {
	case RemedyReadRoot:
		format = w.ReadRoot
	case RemedyWriteRoot:
		format = w.WriteRoot
	case RemedyTrust:
		format, what = w.Trust, r.Remedy.Trust.String()
	}
	if format == "" {
		return r.Message
	}
	return r.Message + "; " + fmt.Sprintf(format, shown(what))
}
