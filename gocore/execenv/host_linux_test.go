package execenv

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A link that leads to this process's own directory or descriptors is no
// answer for another process.
func TestMagicLinksStop(t *testing.T) {
	ctx := context.Background()
	dir := scratch(t)
	for _, p := range []string{"/proc/self/cwd", "/proc/self/root/etc", "/proc/thread-self/cwd", "/dev/fd/0", dir + "/r/proc", dir + "/r/proc/x"} {
		_, err := Host{}.CanonicalPath(ctx, p)
		assert.ErrorIs(t, err, &Error{Problem: Loop}, p)
		_, err = hostWalk(p, linuxMagic)
		assert.ErrorIs(t, err, &Error{Problem: Loop}, "walk %s", p)
	}
	got, err := hostWalk(dir+"/r/mounts", linuxMagic)
	require.NoError(t, err, "an ordinary link of procfs is one like any other")
	want, err := Host{}.CanonicalPath(ctx, dir+"/r/mounts")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// A descriptor of an unlinked file has no path, whatever its name looks like.
func TestDeletedHasNoName(t *testing.T) {
	path := t.TempDir() + "/x"
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	_, ok := fdName(fd)
	assert.True(t, ok)
	require.NoError(t, os.Remove(path))
	_, ok = fdName(fd)
	assert.False(t, ok)
}
