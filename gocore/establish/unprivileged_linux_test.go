package establish

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const nobody = 65534

// asNobody runs the calling test again in a process without privileges, because
// permissions do not stop root. It reports whether this process is the one to
// go on.
func asNobody(t *testing.T) bool {
	if os.Geteuid() != 0 {
		return true
	}
	dir := t.TempDir()
	for d := dir; d != "/tmp" && d != "/"; d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	work := dir + "/work"
	require.NoError(t, os.Mkdir(work, 0o755))
	require.NoError(t, os.Chown(work, nobody, nobody))
	self, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer self.Close()
	copied, err := os.OpenFile(dir+"/test", os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(copied, self)
	require.NoError(t, err)
	require.NoError(t, copied.Close())
	cmd := exec.Command(dir+"/test", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "TMPDIR="+work, "HOME="+work)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}

// Directories that may not be searched or listed.
func TestPermissions(t *testing.T) {
	if !asNobody(t) {
		return
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, d := range []string{"/r/locked", "/r/nox", "/r/nor"} {
		require.NoError(t, os.MkdirAll(base+d, 0o755))
		require.NoError(t, os.WriteFile(base+d+"/k.txt", nil, 0o644))
	}
	require.NoError(t, os.WriteFile(base+"/r/a.txt", nil, 0o644))
	require.NoError(t, os.Symlink("locked/k.txt", base+"/r/ll"))
	require.NoError(t, os.Symlink("a.txt", base+"/r/nox/l"))
	for d, m := range map[string]os.FileMode{"/r/locked": 0, "/r/nox": 0o444, "/r/nor": 0o311} {
		require.NoError(t, os.Chmod(base+d, m))
		t.Cleanup(func() { os.Chmod(base+d, 0o755) })
	}
	e := hostEstablisher(t, Boundary{ReadRoots: []string{base + "/r"}, Cwd: base + "/r"})
	for word, want := range map[string]Reason{
		"locked/k.txt": SearchDenied, "ll": SearchDenied, "locked/nope": SearchDenied, "locked/*": UnreadableDir, "*/k.txt": SearchDenied,
		"nor/*": UnreadableDir, "locked/../a.txt": SearchDenied, "nox/l": SearchDenied, "nox/[l]": SearchDenied,
	} {
		got, err := e.Establish(context.Background(), simple(read(word)))
		require.NoError(t, err)
		assert.Equal(t, want, got.Segments[0].Resolutions[0].Reason, word)
		assert.Equal(t, Unestablishable, got.Segments[0].Resolutions[0].State, word)
	}
	for word, want := range map[string]string{
		"nor/k.txt": "/r/nor/k.txt", // to search is enough for a name
		"nox/k*":    "/r/nox/k.txt", // to list is enough for a pattern; the open fails
		"locked":    "/r/locked",
		"a*":        "/r/a.txt",
	} {
		got, err := e.Establish(context.Background(), simple(read(word)))
		require.NoError(t, err)
		assert.Equal(t, base+want, got.Segments[0].Resolutions[0].Target(), word)
	}
	assert.ErrorIs(t, unix.Access(base+"/r/locked/k.txt", unix.F_OK), unix.EACCES, "the test has no privileges")
}
