package ripgrep_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// mounted runs this test again in a mount namespace of its own, where prepare has
// mounted something at the folder in MOUNTED. It reports whether this is that run.
func mounted(t *testing.T, prepare string) (dir string, inside bool) {
	t.Helper()
	if dir := os.Getenv("MOUNTED"); dir != "" {
		return dir, true
	}
	dir = t.TempDir()
	cmd := exec.Command("unshare", "-rm", "sh", "-ec", prepare+"\nexec \"$@\"", "sh", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "MOUNTED="+dir)
	out, err := cmd.CombinedOutput()
	if probe := exec.Command("unshare", "-rm", "sh", "-ec", "mount -t tmpfs tmpfs "+dir); err != nil && probe.Run() != nil {
		t.Skip("needs mount namespaces (unshare -rm), which this system does not give")
	}
	require.NoError(t, err, "%s", out)
	return dir, false
}

// With only the sidecar on a file system that is mounted noexec, chmod is no advice.
func TestSidecarOnNoexec(t *testing.T) {
	dir, inside := mounted(t, `mount -t tmpfs -o noexec tmpfs "$MOUNTED"; printf '#!/bin/sh\n' > "$MOUNTED/rg"; chmod 755 "$MOUNTED/rg"`)
	if !inside {
		return
	}
	p := problem(t, ripgrep.At(dir+"/rg").Check())
	assert.Equal(t, "noexec", p.Code)
	assert.Equal(t, fmt.Sprintf("the ripgrep sidecar %s/rg lies on a file system that is mounted noexec (at %s): put it, and the runtime beside it, on one that is not", dir, dir), p.Detail)
}

func TestSidecarWithoutTheBitOnReadOnly(t *testing.T) {
	dir, inside := mounted(t, `mount -t tmpfs tmpfs "$MOUNTED"; printf '#!/bin/sh\n' > "$MOUNTED/rg"; chmod 644 "$MOUNTED/rg"; mount -o remount,ro tmpfs "$MOUNTED"`)
	if !inside {
		return
	}
	p := problem(t, ripgrep.At(dir+"/rg").Check())
	assert.Equal(t, "mode", p.Code)
	assert.Contains(t, p.Detail, "is not executable (mode 0644), and "+dir+" is mounted read-only: run chmod +x on it where it can be written")
}

// A file whose bit another user keeps for himself is not one without the bit.
func TestSidecarOfAnotherUser(t *testing.T) {
	if os.Geteuid() == 0 {
		dir, err := os.MkdirTemp("", "hydra-owner-") // where others can go, unlike t.TempDir
		require.NoError(t, err)
		t.Cleanup(func() { os.RemoveAll(dir) })
		require.NoError(t, os.Chmod(dir, 0o755))
		require.NoError(t, os.WriteFile(dir+"/rg", []byte("#!/bin/sh\n"), 0o744))
		t.Setenv("OWNERS", dir+"/rg")
	}
	if !coretest.AsNobody(t) {
		return
	}
	path := os.Getenv("OWNERS")
	if path == "" {
		t.Skip("only root can make a file of another user")
	}
	p := problem(t, ripgrep.At(path).Check())
	assert.Equal(t, "denied", p.Code)
	assert.Contains(t, p.Detail, "(permission denied; its mode is 0744 and it belongs to user 0): give this user the executable bit")
}

func TestWrongPages(t *testing.T) {
	assert.True(t, ripgrep.WrongPages("<jemalloc>: Unsupported system page size\nmemory allocation of 8 bytes failed\n"))
	assert.False(t, ripgrep.WrongPages("rg: page size: No such file or directory"))
	assert.Contains(t, ripgrep.PagesAdvice(), fmt.Sprintf("(%d bytes)", os.Getpagesize()))
}
