package establish

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

var isolated = execenv.Capabilities{Isolated: true}

// A context that ends is an error, whenever it ends; never a partial answer.
func TestAborted(t *testing.T) {
	p := plan(segment(read("a.txt"), read("*/*"), read("src", diffR), write("dangle"), read("nope/../x")),
		shellplan.Segment{Cwds: []shellplan.Cwd{cd("up/..", "s*")}, Candidates: []shellplan.Candidate{read("x")}})
	p.Segments[0].Checks = []shellplan.Check{{Kind: shellplan.CheckGit, Keys: []string{"core.fsmonitor"}}}
	w := world()
	e, err := New(w, rootBoundary)
	require.NoError(t, err)
	before, err := e.Establish(t.Context(), p)
	require.NoError(t, err)
	total := len(w.Calls())
	require.Greater(t, total, 50)
	gaveUp := errors.New("the user pressed stop")
	for n := range total {
		ctx, cancel := context.WithCancelCause(t.Context())
		asked := 0
		w := world().Hook(func(execenvtest.Call) {
			if asked++; asked > n {
				cancel(gaveUp)
			}
		})
		e, err := New(w, rootBoundary)
		require.NoError(t, err)
		got, err := e.Establish(ctx, p)
		require.ErrorIs(t, err, &Error{Code: CodeAborted}, "after %d questions", n)
		require.ErrorIs(t, err, gaveUp)
		require.Nil(t, got)
		assert.LessOrEqual(t, len(w.Calls()), n+2, "no more is asked once it is over")
		again, err := e.Reestablish(ctx, before)
		require.ErrorIs(t, err, &Error{Code: CodeAborted})
		require.Nil(t, again)
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	e, err := New(world(), rootBoundary)
	require.NoError(t, err)
	_, err = e.Establish(ctx, simple(read("a.txt")))
	assert.ErrorIs(t, err, &Error{Code: CodeAborted})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
