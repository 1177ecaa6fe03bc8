package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// bench is a set of tools over a tree, and what a test may change about it.
type bench struct {
	t       testing.TB
	root    string
	sidecar *ripgrep.Sidecar
	runner  subprocess.Runner
	config  search.Config
	policy  render.Policy
	store   spill.Store
	names   []string
	session Session
	saved   string // the locator of a result that was saved before the call
}

// newBench plants a tree (coretest.Tree) and sets the standard tools up over it, with
// the pinned ripgrep.
func newBench(t testing.TB, entries ...string) *bench {
	t.Helper()
	root := coretest.Tree(t, entries...)
	return &bench{
		t: t, root: root,
		sidecar: ripgrep.At(coretest.Ripgrep(t)), runner: &subprocess.Local{},
		config: search.DefaultConfig(), policy: render.DefaultPolicy(true),
		names: Standard(), session: Session{Workdir: root, Owner: "session", CallID: "call-1"},
	}
}

func (b *bench) set() *Set {
	b.t.Helper()
	set, err := NewSet(search.New(b.sidecar, b.runner, b.config, os.Environ()), b.policy, b.store, b.names)
	require.NoError(b.t, err)
	return set
}

// call runs a tool with arguments as a model writes them.
func (b *bench) call(name, arguments string) Result {
	b.t.Helper()
	return b.callIn(b.t.Context(), name, arguments)
}

func (b *bench) callIn(ctx context.Context, name, arguments string) Result {
	b.t.Helper()
	return b.set().Call(ctx, b.session, name, json.RawMessage(arguments))
}

// memory keeps what is saved, in the process.
func (b *bench) memory() *spill.MemoryStore {
	b.t.Helper()
	store, err := spill.NewMemoryStore(spill.Options{})
	require.NoError(b.t, err)
	b.store = store
	return store
}

// scripted is a sidecar that says what it is told to.
type scripted struct {
	stdout, stderr string
	outcome        subprocess.Outcome
	// wait makes it wait for its context when it has spoken; spoken, when there
	// is one, is then closed.
	wait   bool
	spoken chan struct{}
}

func (s *scripted) Run(ctx context.Context, spec subprocess.Spec) (subprocess.Outcome, error) {
	out := s.outcome
	if _, err := spec.Stdout.Write([]byte(s.stdout)); err != nil {
		out.SinkErr = err
		return out, nil
	}
	if _, err := spec.Stderr.Write([]byte(s.stderr)); err != nil {
		out.SinkErr = err
		return out, nil
	}
	if s.wait {
		if s.spoken != nil {
			close(s.spoken)
		}
		<-ctx.Done()
		out.Cause = context.Cause(ctx)
		out.ExitCode = -1
	}
	return out, nil
}

// script replaces ripgrep by what s says. The sidecar stays an executable.
func (b *bench) script(s *scripted) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "hydra-harness-runtime-rg")
	require.NoError(b.t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755))
	b.sidecar, b.runner = ripgrep.At(path), s
}
