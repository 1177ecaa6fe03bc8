package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/confine"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/shellsyntax"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

const (
	// probeTime bounds the trial of a sandbox: two programs that do nothing.
	probeTime = 5 * time.Second
	// probeBytes is more than its answer has.
	probeBytes = 4 << 10
)

// Sandbox is what a caller wants of the sandbox beyond roots and denied paths.
type Sandbox struct {
	// Net is none or all; empty is none.
	Net confine.Net `json:"net"`
	// Tmp and Cache are folders for TMPDIR and for caches of tools; empty are
	// private ones, kept for the write roots.
	Tmp   string `json:"tmp"`
	Cache string `json:"cache"`
	// KeepEnv are variables that stay though they look like secrets.
	KeepEnv []string `json:"keepEnv"`
}

// check finds what no sandbox has. The error is a *ShellError.
func (s *Sandbox) check() error {
	if s == nil {
		return nil
	}
	if s.Net != "" && s.Net != confine.NetNone && s.Net != confine.NetAll {
		return &ShellError{"confine.net", fmt.Sprintf("%q is not known; write none or all", s.Net)}
	}
	for _, folder := range []struct{ field, path string }{{"confine.tmp", s.Tmp}, {"confine.cache", s.Cache}} {
		if folder.path != "" && !isAbsolute(folder.path) {
			return &ShellError{folder.field, fmt.Sprintf("%q is not an absolute path; give one", folder.path)}
		}
	}
	return nil
}

// Confinement is how a command is started below the sandbox that holds it.
type Confinement struct {
	// Level is the level that this machine has.
	Level confine.Level `json:"level"`
	// Prefix are the words to put before a program and its arguments.
	Prefix []string `json:"prefix"`
	// Command is the command with the prefix, as a text for its shell.
	Command string `json:"command"`
	// Notes say what was left out for it.
	Notes []string `json:"notes,omitempty"`
}

// confine works out how a judged command is confined. Where it cannot be, why
// says so, and nothing may rest on it.
func (r *Runtime) confine(ctx context.Context, req *GateRequest) (c *Confinement, why string) {
	own := r.ownCommand(req.Boundary.WriteRoots)
	if own == "" {
		return nil, "the runtime's own executable lies where the command may write, or is not known"
	}
	probe, err := r.sandbox(ctx)
	switch {
	case err != nil:
		return nil, err.Error()
	case probe.Level == "":
		return nil, probe.String()
	}
	policy := req.sandbox()
	plan, err := confine.Compile(policy, req.world(), probe.Level)
	if err != nil {
		return nil, err.Error()
	}
	c = &Confinement{Level: probe.Level, Prefix: prefix(own, policy, probe.Level), Notes: plan.Notes}
	words := slices.Concat(c.Prefix, []string{req.shellProgram(), "-c", req.Command})
	for i := range words {
		words[i] = Quote(words[i])
	}
	c.Command = strings.Join(words, " ")
	return c, ""
}

// sandbox asks once which level this machine has: the executable starts itself,
// as it will for the command.
func (r *Runtime) sandbox(ctx context.Context) (confine.Probe, error) {
	r.probing.Lock()
	defer r.probing.Unlock()
	if r.probed != nil {
		return *r.probed, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	said := subprocess.NewExcerpt(probeBytes)
	out, err := r.runner.Run(ctx, subprocess.Spec{
		Path: r.options.RuntimePath, Args: []string{"confine", "--probe"}, Env: r.options.Environ, Stdout: said,
		Grace: time.Duration(r.options.Config.GraceMs) * time.Millisecond,
	})
	switch {
	case err != nil:
		return confine.Probe{}, fmt.Errorf("the sandbox cannot be tried: %w", err)
	case out.Cause != nil || out.Signal != 0 || out.ExitCode != 0:
		return confine.Probe{}, fmt.Errorf("the sandbox cannot be tried: confine --probe ended with status %d, signal %v: %v", out.ExitCode, out.Signal, out.Cause)
	}
	var probe confine.Probe
	if err := strictjson.Unmarshal([]byte(said.Head()), &probe); err != nil {
		return confine.Probe{}, fmt.Errorf("the sandbox cannot be tried: confine --probe: %w", err)
	}
	r.probed = &probe
	return probe, nil
}

// sandbox is the policy of the kernel that says what the boundary says.
func (req *GateRequest) sandbox() confine.Policy {
	p := confine.Policy{
		Roots: req.Boundary.ReadRoots, WriteRoots: req.Boundary.WriteRoots, Home: req.Boundary.Home, HomeDenied: judge.DefaultDenied,
	}
	if !req.denyDefault {
		p.DenyPaths = req.Boundary.DenyPaths
	}
	if s := req.Sandbox; s != nil {
		p.Net, p.Tmp, p.Cache, p.KeepEnv = s.Net, s.Tmp, s.Cache, s.KeepEnv
	}
	return p
}

func (req *GateRequest) world() confine.World {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(req.Env)) {
		env = append(env, name+"="+req.Env[name])
	}
	return confine.World{Tree: confine.HostTree{}, Env: env, Cwd: req.Cwd, UID: uint32(os.Geteuid())}
}

// Quote spells a word for any shell.
func Quote(word string) string { return shellsyntax.Quote(word) }

func (req *GateRequest) shellProgram() string {
	if req.Shell == "" {
		return "bash"
	}
	if req.Shell == "posix" {
		return "sh"
	}
	return req.Shell
}

// prefix spells a policy as the flags of the command confine.
func prefix(own string, p confine.Policy, level confine.Level) []string {
	words := []string{own, "confine", "--level", string(level)}
	each := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, flag, v)
			}
		}
	}
	each("--root", p.Roots...)
	each("--write-root", p.WriteRoots...)
	each("--deny-path", p.DenyPaths...)
	each("--home", p.Home)
	each("--net", string(p.Net))
	each("--tmp", p.Tmp)
	each("--cache", p.Cache)
	each("--keep-env", p.KeepEnv...)
	return append(words, "--")
}

// confined decides again where a command may run confined: with the sandbox that
// holds it, or as if there were none.
func (r *Runtime) confined(ctx context.Context, req *GateRequest, g *Gate) {
	mode := judge.ConfineNever
	if req.Policy != nil {
		mode = req.Policy.Confine
	}
	if mode == judge.ConfineNever || g.Decision < judge.Confine || g.Decision == judge.Allow && mode != judge.ConfineAll {
		return
	}
	var why string
	if g.Confinement, why = r.confine(ctx, req); why == "" {
		return
	}
	g.Unconfined = why
	if g.Decision == judge.Confine {
		policy := *req.Policy
		policy.Confine = judge.ConfineNever
		again := *req
		again.Policy = &policy
		g.Ruling = again.decide(g.Establishment)
	}
}

// confinementJSON is the part of the answer about the sandbox.
func (g *Gate) confinementJSON() ([]byte, error) {
	var b []byte
	if g.Confinement != nil {
		text, err := json.Marshal(g.Confinement)
		if err != nil {
			return nil, err
		}
		b = slices.Concat(b, []byte(`,"confinement":`), text)
	}
	if g.Unconfined != "" {
		text, err := json.Marshal(g.Unconfined)
		if err != nil {
			return nil, err
		}
		b = slices.Concat(b, []byte(`,"unconfined":`), text)
	}
	return b, nil
}
