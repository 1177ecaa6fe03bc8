package spill

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// One saved result that cannot be read hides none of the others: the list has them,
// and says what it lacks.
func TestAnUnreadableResultHidesNoOther(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	s, err := OpenDirStore(t.TempDir()+"/spill", Options{})
	require.NoError(t, err)
	var kept []Result
	for range 3 {
		r, err := s.SaveText(t.Context(), Meta{Owner: "s", Name: "x.txt"}, Text("x"))
		require.NoError(t, err)
		kept = append(kept, r)
	}
	require.NoError(t, os.Chmod(kept[1].Locator, 0))
	for name, scope := range map[string]Scope{"its owner": Session("s"), "everybody": AllSessions()} {
		list, err := s.List(t.Context(), scope)
		assert.ErrorContains(t, err, "a part of the spill folder", name)
		if assert.Len(t, list, 2, name) {
			assert.ElementsMatch(t, []string{kept[0].ID, kept[2].ID}, []string{list[0].ID, list[1].ID}, name)
		}
	}
}
