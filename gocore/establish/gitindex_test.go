package establish

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// The reader agrees with git about what it wrote, in each format.
func TestIndexesOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine: it writes the indexes")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@x.test", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
	}
	git("init", "-q", ".")
	for _, f := range []string{"a", "long/" + strings.Repeat("x", 200), "z"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(dir+"/"+f), 0o755))
		require.NoError(t, os.WriteFile(dir+"/"+f, []byte(f), 0o600))
	}
	git("init", "-q", "long/sub")
	git("-C", "long/sub", "commit", "-q", "--allow-empty", "-m", "x")
	git("add", "-A")
	for _, v := range []string{"2", "3", "4"} {
		git("update-index", "--index-version", v)
		data, err := os.ReadFile(dir + "/.git/index")
		require.NoError(t, err)
		got, ok := gitlinks(data)
		assert.True(t, ok, v)
		assert.Equal(t, []string{"long/sub"}, got, v)
		for n := range data { // cut short it is refused, or its entries are whole
			gitlinks(data[:n])
		}
	}
	git("update-index", "--split-index")
	data, err := os.ReadFile(dir + "/.git/index")
	require.NoError(t, err)
	_, ok := gitlinks(data)
	assert.False(t, ok, "most entries are in another file")
}
