package dispatch

import (
	"context"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// shellMethods plan, establish and judge commands. They are stateless: values go
// out and come back.
func (d *Dispatcher) shellMethods() map[string]method {
	all := map[string]method{
		"hydra/shell/plan":        takes(d.shellPlan),
		"hydra/shell/establish":   takes(d.shellEstablish),
		"hydra/shell/reestablish": takes(d.shellReestablish),
		"hydra/shell/gate":        takes(d.shellGate),
		"hydra/shell/confirm":     takes(d.shellConfirm),
	}
	for name, m := range all {
		m.ended, m.factor = establishEnded, reserveValue
		if name == "hydra/shell/plan" || name == "hydra/shell/gate" {
			m.factor = reserveCommand
		}
		all[name] = m
	}
	return all
}

func establishEnded(cause error, _ bool) error {
	return &establish.Error{Code: establish.CodeAborted, Message: "the call was given up before it was complete", Err: cause}
}

// commandParams are the parameters that name a command. Command and cwd need
// not be Unicode: their siblings carry any bytes.
type commandParams struct {
	Command      string            `json:"command"`
	CommandBytes []byte            `json:"commandBytes"`
	Shell        string            `json:"shell"`
	Cwd          string            `json:"cwd"`
	CwdBytes     []byte            `json:"cwdBytes"`
	Env          map[string]string `json:"env"`
}

func (p *commandParams) command() harness.ShellCommand {
	return harness.ShellCommand{
		Command: either(p.Command, p.CommandBytes), Shell: p.Shell, Cwd: either(p.Cwd, p.CwdBytes), Env: p.Env,
	}
}

// gateParams are the parameters of hydra/shell/gate. A boundary without a list
// of denied paths has the default one.
type gateParams struct {
	commandParams
	Boundary establish.Boundary `json:"boundary"`
	Policy   policyParams       `json:"policy"`
	Confine  harness.Sandbox    `json:"confine"`
}

func (p *gateParams) request() harness.GateRequest {
	return harness.GateRequest{ShellCommand: p.command(), Boundary: p.Boundary, Policy: p.Policy.policy(), Sandbox: &p.Confine}
}

// establishParams are the parameters of hydra/shell/establish.
type establishParams struct {
	Plan         *shellplan.Plan         `json:"plan"`
	Boundary     establish.Boundary      `json:"boundary"`
	Lexical      bool                    `json:"lexical"`
	Capabilities harness.EnvCapabilities `json:"capabilities"`
}

// reestablishParams are the parameters of hydra/shell/reestablish.
type reestablishParams struct {
	Previous *establish.Established `json:"previous"`
	Boundary *establish.Boundary    `json:"boundary"`
}

// confirmParams are the parameters of hydra/shell/confirm.
type confirmParams struct {
	gateParams
	Establishment *establish.Established `json:"establishment"`
	Digest        string                 `json:"digest"`
}

// policyParams are the settings of the judge; what is left out is the default.
type policyParams struct {
	Opaque             *judge.Decision   `json:"opaque"`
	Unestablishable    *judge.Decision   `json:"unestablishable"`
	ContainedTraversal *bool             `json:"containedTraversal"`
	Trust              []judge.Rule      `json:"trust"`
	Confine            judge.Confinement `json:"confine"`
}

func (p *policyParams) policy() *judge.Policy {
	policy := judge.DefaultPolicy()
	if p.Opaque != nil {
		policy.Opaque = *p.Opaque
	}
	if p.Unestablishable != nil {
		policy.Unestablishable = *p.Unestablishable
	}
	if p.ContainedTraversal != nil {
		policy.ContainedTraversal = *p.ContainedTraversal
	}
	policy.Trust, policy.Confine = p.Trust, p.Confine
	return &policy
}

func (d *Dispatcher) shellPlan(_ context.Context, _ call, p *commandParams) (any, error) {
	plan, err := d.runtime.Plan(p.command())
	if err != nil {
		return nil, err
	}
	return map[string]any{"plan": plan}, nil
}

func (d *Dispatcher) shellEstablish(ctx context.Context, _ call, p *establishParams) (any, error) {
	found, err := d.runtime.Establish(ctx, p.Plan, p.Boundary, p.Lexical || p.Capabilities.BoundaryIsTheSandbox)
	if err != nil {
		return nil, err
	}
	return map[string]any{"established": found}, nil
}

func (d *Dispatcher) shellReestablish(ctx context.Context, _ call, p *reestablishParams) (any, error) {
	if p.Previous == nil {
		return nil, &tool.ArgumentError{Argument: "previous", Message: "it is missing; hand back an establishment"}
	}
	change, err := d.runtime.Reestablish(ctx, p.Previous, p.Boundary)
	if err != nil {
		return nil, err
	}
	return changeOf(change.Changed, change.ChangedRoots), nil
}

// changeJSON is what moved.
type changeJSON struct {
	Changed      []movedJSON `json:"changed"`
	ChangedRoots []string    `json:"changedRoots"`
}

// movedJSON is one word that leads elsewhere.
type movedJSON struct {
	Nested  []int                `json:"nested,omitempty"`
	Segment int                  `json:"segment"`
	Before  establish.Resolution `json:"before"`
	Now     establish.Resolution `json:"now"`
}

func changeOf(moved []establish.Moved, roots []establish.MovedRoot) changeJSON {
	out := changeJSON{Changed: []movedJSON{}, ChangedRoots: []string{}}
	for _, m := range moved {
		out.Changed = append(out.Changed, movedJSON{m.Nested, m.Segment, m.Before, m.Now})
	}
	for _, m := range roots {
		text, _ := shellplan.EscapeText([]byte(m.Now.Spelling))
		out.ChangedRoots = append(out.ChangedRoots, text)
	}
	return out
}

func (d *Dispatcher) shellGate(ctx context.Context, c call, p *gateParams) (any, error) {
	req := p.request()
	req.Owner = c.Owner
	return d.runtime.Gate(ctx, req)
}

func (d *Dispatcher) shellConfirm(ctx context.Context, _ call, p *confirmParams) (any, error) {
	answer, err := d.runtime.Confirm(ctx, harness.ConfirmRequest{GateRequest: p.request(), Establishment: p.Establishment, Digest: p.Digest})
	if err != nil {
		return nil, err
	}
	return struct {
		judge.Ruling
		changeJSON
	}{answer.Ruling, changeOf(answer.Changed, answer.ChangedRoots)}, nil
}
