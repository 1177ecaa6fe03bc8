package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Confinement says which commands run below a sandbox of the kernel, which knows
// the same roots and denied paths. Never is the zero value.
type Confinement uint8

// The choices, the fewest commands first.
const (
	// ConfineNever: what is not known is asked about.
	ConfineNever Confinement = iota
	// ConfineOpaque: what is not known runs confined.
	ConfineOpaque
	// ConfineAll: and so does what is allowed, so that nothing that moves between
	// the last look and the start leads outside.
	ConfineAll
)

var confinementNames = [...]string{"never", "opaque", "all"}

func (c Confinement) String() string {
	if int(c) < len(confinementNames) {
		return confinementNames[c]
	}
	return confinementNames[ConfineNever]
}

// MarshalText writes never, opaque or all.
func (c Confinement) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads never, opaque or all.
func (c *Confinement) UnmarshalText(text []byte) error {
	i := slices.Index(confinementNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is none of never, opaque, all", text)
	}
	*c = Confinement(i)
	return nil
}

// confine makes of an ask what a sandbox makes of it: nobody has to do anything.
func (r *Reason) confine() {
	r.Decision = Confine
	if end := strings.LastIndex(r.Message, "; "); end >= 0 { // the advice
		r.Message = r.Message[:end]
	}
	r.Message += "; the kernel keeps it inside"
	r.Remedy = Remedy{}
}

// unread are the codes of a text that nobody has read, so that nobody knows what
// would run at all.
var unread = []shellplan.OpaqueCode{shellplan.OpaqueUnstated, shellplan.OpaqueSyntax, shellplan.OpaqueTooLarge}

// holds reports whether the kernel would hold what is not known of a command, and
// the command could do its work all the same.
func (j *Judge) holds(o shellplan.Opaque) bool {
	switch o.Needs {
	case shellplan.NeedNothing:
		return !slices.Contains(unread, o.Code)
	case shellplan.NeedNetwork:
		return j.policy.Network
	}
	return false
}
