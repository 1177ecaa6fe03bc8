//go:build linux

package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
	"github.com/hydraharness/harness-runtime/tests/oracle/kernel"
)

// environment is that of a case.
func (e *Engine) environment(b *family.Block, c *family.Case) map[string]string {
	fixed := &truth.Case{Cwd: truth.Text(b.Cwd), Env: map[string]*truth.Text{"GIT_CONFIG_NOSYSTEM": text("1")}}
	if b.Locale != "" {
		fixed.Env["LC_ALL"] = text(b.Locale)
	}
	for name, v := range c.Env {
		fixed.Env[name] = text(v)
	}
	return e.now.Environment(fixed)
}

func text(s string) *truth.Text { t := truth.Text(s); return &t }

// fill puts the places of the world into a list.
func (e *Engine) fill(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, e.now.Fill(truth.Text(s)))
	}
	return out
}

// request is the question about a case.
func (e *Engine) request(b *family.Block, c *family.Case) harness.GateRequest {
	home := e.now.Out + "/home"
	boundary := establish.Boundary{
		ReadRoots: e.fill(b.Read), WriteRoots: e.fill(b.Write), Home: home, Cwd: e.now.Fill(truth.Text(b.Cwd)),
		DenyPaths: append(judge.DenyPaths(judge.DefaultDenied, home), e.fill(b.Denied)...),
	}
	return harness.GateRequest{
		ShellCommand: harness.ShellCommand{Command: e.now.Fill(truth.Text(c.Command)), Shell: shellOf(b, c), Cwd: boundary.Cwd, Env: e.environment(b, c)},
		Boundary:     boundary,
	}
}

func shellOf(b *family.Block, c *family.Case) string {
	switch {
	case c.Shell != "":
		return c.Shell
	case b.Shell != "":
		return b.Shell
	}
	return "bash"
}

// ask asks the gate, and for a case that somebody else changes something about,
// asks again as it is done just before the start. The world is then changed.
func (e *Engine) ask(b *family.Block, c *family.Case) (answer judge.Ruling, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the gate fell over %q: %v", c.Command, p)
		}
	}()
	if e.Trust {
		return judge.Ruling{Decision: judge.Allow}, nil
	}
	req := e.request(b, c)
	g, err := e.gate.Gate(context.Background(), req)
	if err != nil || c.Between == "" || g.Decision != judge.Allow {
		if err != nil { // no answer is no allow
			return judge.Ruling{Decision: judge.Ask}, nil
		}
		return g.Ruling, nil
	}
	if err := e.now.Change(c.Between); err != nil {
		return judge.Ruling{}, err
	}
	again, err := e.gate.Confirm(context.Background(), harness.ConfirmRequest{GateRequest: req, Establishment: g.Establishment, Digest: g.Digest})
	if err != nil {
		return judge.Ruling{Decision: judge.Ask}, nil
	}
	return again.Ruling, nil
}

// bounds are the block's, where the kernel has them.
func (e *Engine) bounds(b *family.Block) *kernel.Bounds {
	land := func(list []string) []string {
		out := e.fill(list)
		for i := range out {
			if strings.HasSuffix(out[i], "/way") { // the root that is a link
				out[i] = e.now.Root
			}
		}
		return out
	}
	return &kernel.Bounds{Read: land(b.Read), Write: land(b.Write), Denied: land(b.Denied), Temp: e.now.Out + "/tmp"}
}

// outside is what a run touched beyond the bounds.
func (e *Engine) outside(b *family.Block, ran *kernel.Ran) *kernel.Touched {
	t := e.bounds(b).Outside(ran.Seen)
	t.Writes = slices.DeleteFunc(t.Writes, func(p string) bool { return !e.now.Touched(p) })
	return t
}
