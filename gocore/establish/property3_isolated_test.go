package establish

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Property 3: an isolated environment stays lexical, disclosed, and is asked
// nothing.
func TestIsolated(t *testing.T) {
	sandbox := execenvtest.Untouchable{Caps: execenv.Capabilities{Isolated: true, Authoritative: true}}
	p := plan(
		segment(read("a.txt"), read("up/../util.go"), read("../x/./y"), read("/abs//p/"), read("*/../*.txt"), read(""), read("src", grepR)),
		shellplan.Segment{Cwds: []shellplan.Cwd{cd("sub", "../lib"), {}}, Candidates: []shellplan.Candidate{read("m.go"), entry("dst", into(false, 0))}},
		shellplan.Segment{CwdUnknown: true, Candidates: []shellplan.Candidate{read("q"), read("/q")}},
	)
	p.Segments[0].Checks = []shellplan.Check{{Kind: shellplan.CheckGit}}
	p.Nested = []shellplan.Nested{{Segment: 0, How: "$()", Plan: *simple(read("in"))}}
	b := rootBoundary
	b.DenyPaths = []string{"/home/u/.ssh/"}
	e, err := New(sandbox, b)
	require.NoError(t, err)
	assert.True(t, e.LexicalOnly())
	got, err := e.Establish(context.Background(), p)
	require.NoError(t, err)
	assert.True(t, got.LexicalOnly)
	var targets []string
	for _, r := range got.Segments[0].Resolutions {
		targets = append(targets, r.Target())
		if r.Reason != EmptyWord {
			assert.Equal(t, Lexical, r.State)
		}
	}
	assert.Equal(t, []string{"/r/a.txt", "/r/util.go", "/x/y", "/abs/p", "/r/*.txt", "", "/r/src"}, targets)
	assert.Equal(t, []Subtree{{Root: "/r/src", Access: shellplan.AccessRead}}, got.Segments[0].Resolutions[6].Subtrees)
	assert.Equal(t, []string{"/r/lib/m.go"}, pathsOf(got.Segments[1].Resolutions[0]))
	assert.Equal(t, []string{"/r/m.go"}, pathsOf(got.Segments[1].Resolutions[1]))
	assert.Equal(t, []string{"/r/lib/dst", "/r/lib/dst/m.go"}, pathsOf(got.Segments[1].Resolutions[2]))
	assert.Equal(t, CwdUnknown, got.Segments[2].Resolutions[0].Reason)
	assert.Equal(t, "/q", got.Segments[2].Resolutions[1].Target(), "an absolute word needs no directory")
	assert.Equal(t, CouldNotLook, got.Segments[0].Checks[0].State)
	assert.Equal(t, "/r/in", got.Nested[0].Segments[0].Resolutions[0].Target())
	assert.Equal(t, []Root{{Spelling: "/home/u/.ssh/", Path: "/home/u/.ssh", State: Lexical}}, got.DenyPaths)

	pure, err := Lexically(p, b)
	require.NoError(t, err)
	assert.Equal(t, got, pure, "the same value with no environment in hand")

	c, err := e.Reestablish(context.Background(), got)
	require.NoError(t, err)
	assert.False(t, c.Any())
}

// The split is the declared isolation and nothing else: an environment that
// cannot read links or files is resolved all the same.
func TestNotIsolatedIsResolved(t *testing.T) {
	r := one(t, execenvtest.Only{Env: world()}, read("link-out"))
	assert.Equal(t, Canonical, r.State)
	assert.Equal(t, "/out/secret.txt", r.Target())
}
