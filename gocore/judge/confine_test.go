package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// opaque is an establishment of one command that is not known for one reason.
func opaque(o shellplan.Opaque) *establish.Established {
	plan := &shellplan.Plan{Segments: []shellplan.Segment{{Command: "x", Opaque: []shellplan.Opaque{o}}}}
	return &establish.Established{Plan: plan, Segments: make([]establish.Segment, 1)}
}

// What the kernel holds is confined where the policy says so; what nobody has
// read, or what would fail in a sandbox, is asked about as ever.
func TestWhatIsNotKnownIsConfined(t *testing.T) {
	for name, tc := range map[string]struct {
		o    shellplan.Opaque
		p    Policy
		want Decision
	}{
		"a program":                {shellplan.Opaque{Code: shellplan.OpaqueProgram}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Confine},
		"with all":                 {shellplan.Opaque{Code: shellplan.OpaqueProgram}, Policy{Opaque: Ask, Confine: ConfineAll}, Confine},
		"a word":                   {shellplan.Opaque{Code: shellplan.OpaqueDynamic}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Confine},
		"an environment":           {shellplan.Opaque{Code: shellplan.OpaqueEnvironment}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Confine},
		"never":                    {shellplan.Opaque{Code: shellplan.OpaqueProgram}, Policy{Opaque: Ask}, Ask},
		"a policy that denies":     {shellplan.Opaque{Code: shellplan.OpaqueProgram}, Policy{Confine: ConfineOpaque}, Deny},
		"a text that is no text":   {shellplan.Opaque{Code: shellplan.OpaqueSyntax}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Ask},
		"a text that is too large": {shellplan.Opaque{Code: shellplan.OpaqueTooLarge}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Ask},
		"no stated reason":         {shellplan.Opaque{}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Ask},
		"other rights":             {shellplan.Opaque{Code: shellplan.OpaqueProgram, Needs: shellplan.NeedRights}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Ask},
		"a service":                {shellplan.Opaque{Code: shellplan.OpaqueProgram, Needs: shellplan.NeedService}, Policy{Opaque: Ask, Confine: ConfineOpaque, Network: true}, Ask},
		"a terminal":               {shellplan.Opaque{Code: shellplan.OpaqueProgram, Needs: shellplan.NeedTerminal}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Ask},
		"the network, without one": {shellplan.Opaque{Code: shellplan.OpaqueProgram, Needs: shellplan.NeedNetwork}, Policy{Opaque: Ask, Confine: ConfineOpaque}, Ask},
		"the network":              {shellplan.Opaque{Code: shellplan.OpaqueProgram, Needs: shellplan.NeedNetwork}, Policy{Opaque: Ask, Confine: ConfineOpaque, Network: true}, Confine},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(tc.p).Decide(opaque(tc.o))
			assert.Equal(t, tc.want, d.Decision)
			assert.Equal(t, tc.want, d.Reasons[0].Decision)
		})
	}
}

func TestAConfinedReasonAsksForNothing(t *testing.T) {
	d := New(Policy{Opaque: Ask, Confine: ConfineOpaque}).Decide(opaque(shellplan.Opaque{Code: shellplan.OpaqueProgram, Detail: "it runs rules"}))
	assert.Equal(t, "`x` is not wholly understood: it runs rules; the kernel keeps it inside", d.Reasons[0].Message)
	assert.Equal(t, Remedy{}, d.Reasons[0].Remedy)
}

func TestTheNamesOfDecisions(t *testing.T) {
	for d, name := range map[Decision]string{Deny: "deny", Ask: "ask", Confine: "confine", Allow: "allow", 9: "deny"} {
		assert.Equal(t, name, d.String())
	}
	assert.Less(t, Ask, Confine)
	assert.Less(t, Confine, Allow)
	var c Confinement
	assert.EqualError(t, c.UnmarshalText([]byte("yes")), `"yes" is none of never, opaque, all`)
	assert.Equal(t, ConfineNever, c)
}
