package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// commandParams are the parts of a request that name a command.
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

// gateParams are the parameters of hydra/shell/gate.
type gateParams struct {
	commandParams
	Boundary boundary      `json:"boundary"`
	Policy   *policyParams `json:"policy"`
}

// boundary is a boundary that tells whether deny seats were given: none means
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
		DenySeats      *json.RawMessage `json:"denySeats"`
		DenySeatsBytes *json.RawMessage `json:"denySeatsBytes"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	if b.DenySeats == nil && (given.DenySeats != nil || given.DenySeatsBytes != nil) {
		b.DenySeats = []string{}
	}
	return nil
}

// policyParams are the settings of the judge; what is left out is the default.
type policyParams struct {
	Opaque             *judge.Verdict `json:"opaque"`
	Unestablishable    *judge.Verdict `json:"unestablishable"`
	ContainedTraversal *bool          `json:"containedTraversal"`
}

func (p *policyParams) policy() *judge.Policy {
	policy := judge.DefaultPolicy()
	if p == nil {
		return &policy
	}
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

func (p *gateParams) request() harness.GateRequest {
	return harness.GateRequest{ShellCommand: p.command(), Boundary: p.Boundary.Boundary, Policy: p.Policy.policy()}
}

func (s *Server) shellPlan(_ context.Context, _ call, body json.RawMessage) (any, error) {
	var p commandParams
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	plan, err := s.runtime.Plan(p.command())
	if err != nil {
		return nil, err
	}
	return map[string]any{"plan": plan}, nil
}

func (s *Server) shellEstablish(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	var p struct {
		Plan         *shellplan.Plan         `json:"plan"`
		Boundary     establish.Boundary      `json:"boundary"`
		Lexical      bool                    `json:"lexical"`
		Capabilities harness.EnvCapabilities `json:"capabilities"`
	}
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	found, err := s.runtime.Establish(ctx, p.Plan, p.Boundary, p.Lexical || p.Capabilities.BoundaryIsTheSandbox)
	if err != nil {
		return nil, err
	}
	return map[string]any{"established": found}, nil
}

func (s *Server) shellReestablish(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	var p struct {
		Previous *establish.Established `json:"previous"`
		Boundary *establish.Boundary    `json:"boundary"`
	}
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	if p.Previous == nil {
		return nil, &tool.ArgumentError{Argument: "previous", Message: "it is missing; hand back an establishment"}
	}
	change, err := s.runtime.Reestablish(ctx, p.Previous, p.Boundary)
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
	Nested  []int          `json:"nested,omitempty"`
	Segment int            `json:"segment"`
	Before  establish.Read `json:"before"`
	Now     establish.Read `json:"now"`
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

func (s *Server) shellGate(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	var p gateParams
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	return s.runtime.Gate(ctx, p.request())
}

func (s *Server) shellConfirm(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	var p struct {
		gateParams
		Establishment *establish.Established `json:"establishment"`
		Digest        string                 `json:"digest"`
	}
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	answer, err := s.runtime.Confirm(ctx, harness.ConfirmRequest{GateRequest: p.request(), Establishment: p.Establishment, Digest: p.Digest})
	if err != nil {
		return nil, err
	}
	return struct {
		judge.Decision
		changeJSON
	}{answer.Decision, changeOf(answer.Changed, answer.ChangedRoots)}, nil
}

// shellFailure describes an error of the shell half, or returns nil.
func shellFailure(err error) *tool.Failure {
	var wrong *harness.ShellError
	var found *establish.Error
	var planned *shellplan.Error
	switch {
	case errors.As(err, &wrong):
		return tool.FailureOf(&tool.ArgumentError{Argument: wrong.Field, Message: wrong.Message})
	case errors.As(err, &found):
		return establishFailure(string(found.Code), found.Field, found)
	case errors.As(err, &planned):
		return establishFailure(string(planned.Code), planned.Field, planned)
	}
	return nil
}

func establishFailure(code, field string, err error) *tool.Failure {
	details := json.RawMessage(`{}`)
	if text, marshalErr := json.Marshal(map[string]string{"field": field}); field != "" && marshalErr == nil {
		details = text
	}
	return &tool.Failure{Name: "EstablishError", Code: code, Message: err.Error(), Details: details}
}
