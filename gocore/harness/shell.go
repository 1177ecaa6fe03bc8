package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/confine"
	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/planner"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// ShellCommand is a command text and the shell that would run it.
type ShellCommand struct {
	Command string
	// Shell is bash, dash or posix; empty is bash.
	Shell string
	// Cwd is the absolute directory that the command starts in, as its PWD
	// spells it.
	Cwd string
	// Env is the environment of the shell. Nil means that it is not known: a
	// word made of a variable is then dynamic.
	Env map[string]string
}

// MaxCommandBytes bounds a command text. Linux refuses a longer argument to
// sh -c (128 KiB); what is longer comes from a file and is judged as one.
const MaxCommandBytes = 1 << 20

// ShellError is a request about a command that cannot be answered: Field says
// which part of it is wrong.
type ShellError struct {
	Field, Message string
}

func (e *ShellError) Error() string { return e.Field + ": " + e.Message }

// FailureCode puts the error into the table of failures.
func (e *ShellError) FailureCode() string { return failure.ToolArgument }

// FailureDetails names the part.
func (e *ShellError) FailureDetails() any { return failure.Detail("argument", e.Field) }

// Plan reads a command: which words it may read or write. Whatever the text,
// the answer is a plan; what is not understood is in it. The error is a
// *ShellError.
func (r *Runtime) Plan(c ShellCommand) (*shellplan.Plan, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	options.Own = r.ownCommand(nil)
	return planner.Build(c.Command, options), nil
}

func (c *ShellCommand) options() (planner.Options, error) {
	o := planner.Options{Cwd: c.Cwd, Env: c.Env, EnvComplete: c.Env != nil}
	switch c.Shell {
	case "", "bash":
		o.Dialect = shellplan.DialectBash
	case "dash":
		o.Dialect = shellplan.DialectDash
	case "posix":
		o.Dialect = shellplan.DialectPosix
	default:
		return o, &ShellError{"shell", fmt.Sprintf("%q is not known; write bash, dash or posix", c.Shell)}
	}
	switch {
	case len(c.Command) > MaxCommandBytes:
		return o, &ShellError{"command", fmt.Sprintf("it has %d bytes, at most %d are read", len(c.Command), MaxCommandBytes)}
	case c.Cwd != "" && (!strings.HasPrefix(c.Cwd, "/") || strings.ContainsRune(c.Cwd, 0)):
		return o, &ShellError{"cwd", fmt.Sprintf("%q is not an absolute path; give one", c.Cwd)}
	}
	return o, nil
}

// EnvCapabilities are what a caller declares about the environment in which a
// command will run.
type EnvCapabilities struct {
	// BoundaryIsTheSandbox says that the environment is isolated: paths in it are
	// not paths of this host, so that words go by their spelling and nothing is
	// asked.
	BoundaryIsTheSandbox bool `json:"boundaryIsTheSandbox"`
}

// Establish says where the words of a plan land on this host; lexical asks
// nothing of it and goes by the spelling. The error is an *establish.Error.
func (r *Runtime) Establish(ctx context.Context, plan *shellplan.Plan, b establish.Boundary, lexical bool) (*establish.Established, error) {
	if lexical {
		return establish.Lexically(plan, b)
	}
	e, err := establish.New(execenv.Host{}, b)
	if err != nil {
		return nil, err
	}
	return e.Establish(ctx, plan)
}

// Reestablish looks again and says what moved. A boundary that is given must be
// the one of the establishment. The error is an *establish.Error.
func (r *Runtime) Reestablish(ctx context.Context, previous *establish.Established, b *establish.Boundary) (*establish.Change, error) {
	if b == nil {
		b = &previous.Boundary
	}
	e, err := establish.New(execenv.Host{}, *b)
	if err != nil {
		return nil, err
	}
	return e.Reestablish(ctx, previous)
}

// GateRequest asks whether a command may run.
type GateRequest struct {
	ShellCommand
	// Boundary says where it may read and write. Nil DenyPaths are the default
	// places below its homes; empty ones are none.
	Boundary establish.Boundary
	// Policy is about what is not known; nil is the default, which asks.
	Policy *judge.Policy
	// Owner is the session that asks: it may read what it has saved itself, as
	// the pages tell it to. Without one nothing is added.
	Owner string

	// Sandbox is what a command that is confined gets; nil is what every one gets.
	Sandbox *Sandbox

	trust       []judge.Rule // of the configuration
	denyDefault bool         // the denied paths are the default ones
}

// Gate is the answer, and what it rests on.
type Gate struct {
	judge.Ruling
	// Establishment is where every word landed. Confirm takes it back.
	Establishment *establish.Established `json:"establishment"`
	// Digest binds the answer to the command, its directory, its environment
	// and the establishment.
	Digest string `json:"digest"`
	// Confinement is how the command is started, where it is to be confined; nil
	// otherwise.
	Confinement *Confinement `json:"confinement"`
	// Unconfined says why it cannot be, where the policy asked for it.
	Unconfined string `json:"unconfined"`

	text json.RawMessage // the establishment, written once
}

// JSON writes the JSON form.
func (g *Gate) JSON() (json.RawMessage, error) {
	text := g.text
	if text == nil {
		var err error
		if text, err = g.Establishment.JSON(); err != nil {
			return nil, err
		}
	}
	head, err := json.Marshal(g.Ruling)
	if err != nil {
		return nil, err
	}
	digest, err := json.Marshal(g.Digest)
	if err != nil {
		return nil, err
	}
	more, err := g.confinementJSON()
	if err != nil {
		return nil, err
	}
	return slices.Concat(head[:len(head)-1], more, []byte(`,"establishment":`), text, []byte(`,"digest":`), digest, []byte("}")), nil
}

// MarshalJSON writes the JSON form.
func (g *Gate) MarshalJSON() ([]byte, error) { return g.JSON() }

// Gate plans, establishes and judges a command. The error is a *ShellError or
// an *establish.Error; a caller treats it as no allow.
func (r *Runtime) Gate(ctx context.Context, req GateRequest) (*Gate, error) {
	req.fill()
	req.trust = r.options.Config.Trust
	options, err := req.options()
	if err != nil {
		return nil, err
	}
	if err := req.Sandbox.check(); err != nil {
		return nil, err
	}
	if req.Policy != nil {
		if field, err := judge.Check(req.Policy.Trust); err != nil {
			return nil, &ShellError{"policy.trust" + field, err.Error()}
		}
	}
	options.Own = r.ownCommand(req.Boundary.WriteRoots)
	plan := planner.Build(req.Command, options)
	r.addOwnFolder(&req)
	found, err := r.Establish(ctx, plan, req.Boundary, false)
	if err != nil {
		return nil, err
	}
	text, err := found.JSON()
	if err != nil {
		return nil, fmt.Errorf("write the establishment down: %w", err)
	}
	digest, err := req.digest(text)
	if err != nil {
		return nil, err
	}
	g := &Gate{Ruling: req.decide(found), Establishment: found, Digest: digest, text: text}
	r.confined(ctx, &req, g)
	return g, nil
}

// fill completes a request from its own parts.
func (req *GateRequest) fill() {
	if req.Cwd == "" {
		req.Cwd = req.Boundary.Cwd
	}
	if req.Boundary.Cwd == "" {
		req.Boundary.Cwd = req.Cwd
	}
	if req.Boundary.Home == "" {
		req.Boundary.Home = req.Env["HOME"]
	}
	if req.denyDefault = req.Boundary.DenyPaths == nil; req.denyDefault {
		req.Boundary.DenyPaths = judge.DenyPaths(judge.DefaultDenied, req.homes()...)
	}
}

// accountOf asks the system for an account; tests replace it.
var accountOf = user.LookupId

// homes are the homes whose credentials are refused: the command sees the one of
// its environment, whoever asks. When neither names one, the account of this
// process does.
func (req *GateRequest) homes() []string {
	homes := append([]string{req.Boundary.Home}, req.Boundary.HomeViews...)
	if home := req.Env["HOME"]; !slices.Contains(homes, home) {
		homes = append(homes, home)
	}
	if !slices.ContainsFunc(homes, filepath.IsAbs) {
		if account, err := accountOf(strconv.Itoa(os.Getuid())); err == nil {
			homes = append(homes, account.HomeDir)
		}
	}
	return homes
}

// decide judges an establishment. Without a list of denied paths, and without
// a home to make one for, nothing can be allowed.
func (req *GateRequest) decide(found *establish.Established) judge.Ruling {
	d := req.judge().Decide(found)
	if req.Boundary.DenyPaths == nil && !slices.ContainsFunc(req.homes(), filepath.IsAbs) {
		d.Reasons = append(d.Reasons, judge.Reason{
			Code: judge.NotEstablished, Decision: judge.Ask, Segment: -1,
			Message: "no home is known, so that credentials cannot be told from other files; give HOME in the environment of the command, or its home",
		})
		d.Decision = min(d.Decision, judge.Ask)
	}
	return d
}

func (req *GateRequest) judge() *judge.Judge {
	policy := judge.DefaultPolicy()
	if req.Policy != nil {
		policy = *req.Policy
	}
	policy.Trust = slices.Concat(req.trust, policy.Trust)
	policy.Network = req.Sandbox != nil && req.Sandbox.Net == confine.NetAll
	return judge.New(policy)
}

// ParsePlan reads the JSON form of a plan. The error is an *establish.Error or a
// *shellplan.Error that names the field.
func ParsePlan(text []byte) (*shellplan.Plan, error) {
	plan := new(shellplan.Plan)
	if err := plan.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	return plan, nil
}
