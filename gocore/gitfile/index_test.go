package gitfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		got, ok := Submodules(data)
		assert.True(t, ok, v)
		assert.Equal(t, []string{"long/sub"}, got, v)
		for n := range data { // cut short it is refused, or its entries are whole
			Submodules(data[:n])
		}
	}
	git("update-index", "--split-index")
	data, err := os.ReadFile(dir + "/.git/index")
	require.NoError(t, err)
	_, ok := Submodules(data)
	assert.False(t, ok, "most entries are in another file")
}
