package life

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/tests/internal/live"
)

func childrenOf(t *testing.T, s *live.Server) []int {
	t.Helper()
	children, err := live.Children(s.PID())
	require.NoError(t, err)
	return children
}

// Rule: 1,000 cancelled calls leave no process, no zombie and no descriptor, and
// the runtime answers as before. (gocore/subprocess counts goroutines, too.)
func TestAThousandCancelledCallsLeaveNothing(t *testing.T) {
	const waves, wave = 250, 4
	dir := endless(t)
	s := serve(t, built, dir, map[string]any{"graceMs": 60_000})
	warm, err := s.Tool("glob", map[string]any{"pattern": "*"})
	require.NoError(t, err)
	require.Equal(t, hole, warm.Text())
	before, err := live.Descriptors(s.PID())
	require.NoError(t, err)
	seen := map[int]bool{}
	fresh := func() bool { // a sidecar that was not there before
		pids, err := live.Running(built + "-rg")
		found := false
		for _, pid := range pids {
			found = found || !seen[pid]
			seen[pid] = true
		}
		return err == nil && found
	}
	for n := range waves {
		var ids []int64
		for range wave {
			id, _ := begin(t, s, "grep", search())
			ids = append(ids, id)
		}
		if n%2 == 0 { // half of the waves reach a sidecar at work, half may not
			require.Eventually(t, fresh, patient, tick)
		}
		for _, id := range ids {
			require.NoError(t, s.Cancel(id))
		}
	}
	gone(t, built+"-rg", patient)
	assert.Eventually(t, func() bool { return len(childrenOf(t, s)) == 0 }, patient, tick)
	assert.Eventually(t, func() bool {
		now, err := live.Descriptors(s.PID())
		return err == nil && now == before
	}, patient, tick)
	again, err := s.Tool("glob", map[string]any{"pattern": "*"})
	require.NoError(t, err)
	assert.Equal(t, warm.Text(), again.Text())
}

// Rule: neither do 200 calls whose sidecars fail, find nothing, or find much.
func TestFailedCallsLeaveNothing(t *testing.T) {
	dir := tree(t, "a")
	s := serve(t, built, dir, map[string]any{"rawOutputMaxBytes": 1000})
	_, err := s.Tool("grep", needle())
	require.NoError(t, err)
	before, err := live.Descriptors(s.PID())
	require.NoError(t, err)
	for range 50 {
		for _, arguments := range []map[string]any{
			{"pattern": "("}, {"pattern": "nowhere"}, {"pattern": "needle", "include": "*.none"}, {"pattern": `(?=needle)`},
		} {
			_, err := s.Call("tools/call", map[string]any{"name": "grep", "arguments": arguments})
			require.NoError(t, err)
		}
	}
	now, err := live.Descriptors(s.PID())
	require.NoError(t, err)
	assert.Equal(t, before, now)
	assert.Empty(t, childrenOf(t, s))
	var tools struct{ Tools []json.RawMessage }
	text, err := s.Call("tools/list", map[string]any{})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &tools))
	assert.Len(t, tools.Tools, 2)
}
