package spill

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// inNamespace runs the calling test once more in a process with mounts of its
// own, so that a test may fill and freeze file systems and leaves nothing
// behind. It reports whether this is that process.
func inNamespace(t *testing.T) bool {
	t.Helper()
	const inside = "SPILL_TEST_NAMESPACE"
	if os.Getenv(inside) != "" {
		require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		return true
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("no namespace of its own for mounts here (needs root or user namespaces): %v", err)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("skipped inside the namespace:\n%s", out)
	}
	require.NoError(t, err, "inside the namespace:\n%s", out)
	require.Contains(t, string(out), "--- PASS", "it ran")
	return false
}

func mountOrSkip(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		t.Skipf("cannot mount %s here: %v", kind, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) })
}

func TestFullDisk(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	disk := t.TempDir()
	mountOrSkip(t, "tmpfs", disk, "tmpfs", 0, "size=256k,mode=0700")
	s, err := OpenDirStore(disk+"/spill", Options{})
	require.NoError(t, err)
	a := save(t, s, "s", "n", "fits")

	refused := func(owner string, size int) {
		_, err := s.SaveText(ctx, Meta{Owner: owner}, Text(strings.Repeat("x", size)))
		assert.ErrorIs(t, err, ErrFailed)
		assert.ErrorIs(t, err, unix.ENOSPC)
		assert.ErrorContains(t, err, "the disk is full")
	}
	refused("s", 1<<20)
	assert.Len(t, tree(t, s), 1, "what did not fit is gone, and its room is free again")
	save(t, s, "s", "n", strings.Repeat("y", 64<<10))

	fill, err := os.Create(disk + "/fill")
	require.NoError(t, err)
	for err == nil {
		_, err = fill.Write(make([]byte, 4096))
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	refused("s", 1)
	got, err := readAll(s, Session("s"), a.ID)
	require.NoError(t, err)
	assert.Equal(t, "fits", got, "a full disk takes nothing away")
	require.NoError(t, os.Remove(disk+"/fill"))
	require.NoError(t, fill.Close())
	save(t, s, "s", "n", "room again")
}

// TestFullDiskOfInodes: not even the session's directory can be made.
func TestFullDiskOfInodes(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	disk := t.TempDir()
	mountOrSkip(t, "tmpfs", disk, "tmpfs", 0, "nr_inodes=3,mode=0700")
	s, err := OpenDirStore(disk+"/spill", Options{})
	require.NoError(t, err)
	_, err = s.SaveText(ctx, Meta{Owner: "s"}, Text("x")) // the disk, the folder, the session: no room for the file
	assert.ErrorIs(t, err, unix.ENOSPC)
	assert.ErrorContains(t, err, "the disk is full")
	_, err = s.SaveText(ctx, Meta{Owner: "t"}, Text("x"))
	assert.ErrorIs(t, err, unix.ENOSPC)
	assert.Empty(t, tree(t, s))
}

func TestReadOnlyRoot(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	s := newDirStore(t, Options{MaxAge: 1})
	a := save(t, s, "s", "n", "kept")
	require.NoError(t, os.Chmod(s.Root()+"/session-"+ownerKey("s"), 0o755))
	mountOrSkip(t, s.Root(), s.Root(), "", unix.MS_BIND, "")
	require.NoError(t, unix.Mount("", s.Root(), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	for _, owner := range []string{"s", "new session"} {
		_, err := s.SaveText(ctx, Meta{Owner: owner}, Text("x"))
		assert.ErrorIs(t, err, ErrFailed)
		assert.ErrorIs(t, err, unix.EROFS)
		assert.ErrorContains(t, err, "read-only")
	}
	got, err := readAll(s, Session("s"), a.ID)
	require.NoError(t, err)
	assert.Equal(t, "kept", got, "reading goes on")
	assert.ErrorIs(t, s.Delete(ctx, Session("s"), a.ID), unix.EROFS)
	swept, err := s.Sweep(ctx, AllSessions())
	assert.ErrorIs(t, err, unix.EROFS, "a sweep that cannot remove says so")
	assert.Equal(t, Swept{Kept: 1, KeptBytes: 4}, swept)
	list, err := s.List(ctx, AllSessions())
	require.NoError(t, err)
	assert.Len(t, list, 1)

	fresh, err := OpenDirStore(s.Root()+"/below", Options{})
	require.NoError(t, err)
	_, err = fresh.SaveText(ctx, Meta{Owner: "s"}, Text("x"))
	assert.ErrorIs(t, err, unix.EROFS)
	assert.ErrorContains(t, err, "cannot be made (it is read-only)")
}

// TestNoAttributes: ramfs keeps no extended attributes.
func TestNoAttributes(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	disk := t.TempDir()
	mountOrSkip(t, "ramfs", disk, "ramfs", 0, "mode=0700")
	s, err := OpenDirStore(disk+"/spill", Options{})
	require.NoError(t, err)
	a, err := s.SaveText(ctx, Meta{Owner: "s", Tool: "grep", Name: "n.txt"}, Text("a\nb"))
	require.NoError(t, err)
	stat, err := s.Stat(ctx, Session("s"), a.ID)
	require.NoError(t, err)
	assert.EqualValues(t, 2, stat.Lines)
	assert.Equal(t, a.Created, stat.Created)
	assert.Equal(t, "n.txt", stat.Name)
}
