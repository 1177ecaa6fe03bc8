package establish

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The work of a plan is bounded as a whole: words are answered in order until it
// is used up, and the rest says so.
func TestWorkOfAWholePlanIsBounded(t *testing.T) {
	e, err := New(world(), rootBoundary)
	require.NoError(t, err)
	e.work = keptWork + 2000
	out, err := e.Establish(context.Background(), simple(read("src/*"), read("a.txt")))
	require.NoError(t, err)
	assert.Equal(t, []State{Canonical, Canonical}, []State{out.Segments[0].Resolutions[0].State, out.Segments[0].Resolutions[1].State})

	e.work = keptWork - 1
	out, err = e.Establish(context.Background(), simple(read("src/*"), read("a.txt")))
	require.NoError(t, err)
	assert.Equal(t, CapWork, out.Segments[0].Resolutions[0].Reason, "a pattern leaves work for the words")
	assert.Equal(t, "/r/a.txt", out.Segments[0].Resolutions[1].Target())

	e.work = 1
	out, err = e.Establish(context.Background(), simple(read("a.txt"), read("a.txt")))
	require.NoError(t, err)
	for i := range 2 {
		assert.Equal(t, Unestablishable, out.Segments[0].Resolutions[i].State)
		assert.Equal(t, CapWork, out.Segments[0].Resolutions[i].Reason)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = e.Establish(ctx, simple(read("a.txt")))
	assert.ErrorIs(t, err, &Error{Code: CodeAborted}, "a caller who leaves is no bound")
}
