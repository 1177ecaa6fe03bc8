package establish

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// indexOf writes an index of format 2 with one entry per path.
func indexOf(modes map[string]uint32, order ...string) string {
	out := []byte("DIRC\x00\x00\x00\x02")
	out = binary.BigEndian.AppendUint32(out, uint32(len(order)))
	for _, path := range order {
		e := make([]byte, 62)
		binary.BigEndian.PutUint32(e[24:], modes[path])
		e = append(e, path...)
		for n := 8 - len(e)%8; n > 0; n-- {
			e = append(e, 0)
		}
		out = append(out, e...)
	}
	return string(out)
}

// A repository inside another one has settings of its own, and git runs itself
// there.
func TestSubmodulesAreLookedAt(t *testing.T) {
	index := indexOf(map[string]uint32{"a": 0o100644, "sub": 0o160000}, "a", "sub")
	look := func(w *execenvtest.Tree) CheckState {
		s := simple()
		s.Segments[0].Checks = []shellplan.Check{gitCheck(nil, "core.fsmonitor")}
		return establishAt(t, w, rootBoundary, s).Segments[0].Checks[0].State
	}
	assert.Equal(t, Holds, look(repoWorld()), "no index")
	assert.Equal(t, Holds, look(repoWorld().Content("/r/.git/index", index)))
	bad := "[core]\n fsmonitor = /x\n"
	assert.Equal(t, Fails, look(repoWorld().Content("/r/.git/index", index).Content("/r/.git/modules/sub/config", bad)))
	assert.Equal(t, Holds, look(repoWorld().Content("/r/.git/index", indexOf(nil, "a")).Content("/r/.git/modules/sub/config", bad)), "no submodule")
	assert.Equal(t, CouldNotLook, look(repoWorld().Content("/r/.git/index", "nonsense")))
}
