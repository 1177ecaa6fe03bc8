package dispatch

import (
	"context"
	"encoding/json"

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
		"hydra/shell/plan":        {do: d.shellPlan},
		"hydra/shell/establish":   {do: d.shellEstablish},
		"hydra/shell/reestablish": {do: d.shellReestablish},
		"hydra/shell/gate":        {do: d.shellGate},
		"hydra/shell/confirm":     {do: d.shellConfirm},
	}
	for name, m := range all {
		m.ended = establishEnded
		all[name] = m
	}
	return all
}

func establishEnded(cause error, _ bool) error {
	return &establish.Error{Code: establish.CodeAborted, Message: "the call was given up before it was complete", Err: cause}
}

// commandParams are the parameters that name a command.
type commandParams struct {
	harness.ShellCommand
	commandBytes, cwdBytes []byte
}

func (p *commandParams) fields() []field {
	return []field{
		{"command", &p.Command}, {"commandBytes", &p.commandBytes}, {"shell", &p.Shell},
		{"cwd", &p.Cwd}, {"cwdBytes", &p.cwdBytes}, {"env", &p.Env},
	}
}

// read decodes a request that names a command and has more fields.
func (p *commandParams) read(body json.RawMessage, more ...field) error {
	if err := decode(body, append(p.fields(), more...)...); err != nil {
		return err
	}
	p.Command, p.Cwd = either(p.Command, p.commandBytes), either(p.Cwd, p.cwdBytes)
	return nil
}

// gateParams are the parameters of hydra/shell/gate.
type gateParams struct {
	commandParams
	boundary boundary
	policy   policyParams
}

func (p *gateParams) read(body json.RawMessage, more ...field) error {
	return p.commandParams.read(body, append(more, field{"boundary", &p.boundary}, field{"policy", &p.policy})...)
}

func (p *gateParams) request() harness.GateRequest {
	return harness.GateRequest{ShellCommand: p.ShellCommand, Boundary: p.boundary.Boundary, Policy: p.policy.policy()}
}

// boundary is a boundary that tells whether deny paths were given: none means
// the default places.
type boundary struct {
	establish.Boundary
}

// UnmarshalJSON reads a boundary.
func (b *boundary) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &b.Boundary); err != nil {
		return err
	}
	var given struct {
		DenyPaths      *json.RawMessage `json:"denyPaths"`
		DenyPathsBytes *json.RawMessage `json:"denyPathsBytes"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	if b.DenyPaths == nil && (given.DenyPaths != nil || given.DenyPathsBytes != nil) {
		b.DenyPaths = []string{}
	}
	return nil
}

// policyParams are the settings of the judge; what is left out is the default.
type policyParams struct {
	Opaque             *judge.Decision `json:"opaque"`
	Unestablishable    *judge.Decision `json:"unestablishable"`
	ContainedTraversal *bool           `json:"containedTraversal"`
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
	return &policy
}

func (d *Dispatcher) shellPlan(_ context.Context, _ call, body json.RawMessage) (any, error) {
	var p commandParams
	if err := p.read(body); err != nil {
		return nil, err
	}
	plan, err := d.runtime.Plan(p.ShellCommand)
	if err != nil {
		return nil, err
	}
	return map[string]any{"plan": plan}, nil
}

func (d *Dispatcher) shellEstablish(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	var plan *shellplan.Plan
	var b establish.Boundary
	var lexical bool
	var env harness.EnvCapabilities
	if err := decode(body, field{"plan", &plan}, field{"boundary", &b}, field{"lexical", &lexical}, field{"capabilities", &env}); err != nil {
		return nil, err
	}
	found, err := d.runtime.Establish(ctx, plan, b, lexical || env.BoundaryIsTheSandbox)
	if err != nil {
		return nil, err
	}
	return map[string]any{"established": found}, nil
}

func (d *Dispatcher) shellReestablish(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	var previous *establish.Established
	var b *establish.Boundary
	if err := decode(body, field{"previous", &previous}, field{"boundary", &b}); err != nil {
		return nil, err
	}
	if previous == nil {
		return nil, &tool.ArgumentError{Argument: "previous", Message: "it is missing; hand back an establishment"}
	}
	change, err := d.runtime.Reestablish(ctx, previous, b)
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

func (d *Dispatcher) shellGate(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	var p gateParams
	if err := p.read(body); err != nil {
		return nil, err
	}
	return d.runtime.Gate(ctx, p.request())
}

func (d *Dispatcher) shellConfirm(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	var p gateParams
	var previous *establish.Established
	var digest string
	if err := p.read(body, field{"establishment", &previous}, field{"digest", &digest}); err != nil {
		return nil, err
	}
	answer, err := d.runtime.Confirm(ctx, harness.ConfirmRequest{GateRequest: p.request(), Establishment: previous, Digest: digest})
	if err != nil {
		return nil, err
	}
	return struct {
		judge.Ruling
		changeJSON
	}{answer.Ruling, changeOf(answer.Changed, answer.ChangedRoots)}, nil
}
