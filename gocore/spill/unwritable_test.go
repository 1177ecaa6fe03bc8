package spill

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestUnwritableRoot is the read-only folder of a user who is not root.
func TestUnwritableRoot(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("modes do not bind root; TestReadOnlyRoot mounts instead")
	}
	s := newDirStore(t, Options{})
	a := save(t, s, "s", "n", "kept")
	require.NoError(t, os.Chmod(s.Root(), 0o500))
	t.Cleanup(func() { _ = os.Chmod(s.Root(), 0o700) })
	_, err := s.SaveText(ctx, Meta{Owner: "new"}, Text("x"))
	assert.ErrorIs(t, err, ErrFailed)
	assert.ErrorIs(t, err, unix.EACCES)
	assert.ErrorContains(t, err, "no permission")
	got, err := readAll(s, Session("s"), a.ID)
	require.NoError(t, err)
	assert.Equal(t, "kept", got)
}
