package spill

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestWhatAnotherUserMadeIsNotUsed: a folder, a session's directory and a file
// that belong to somebody else are refused, each by itself.
func TestWhatAnotherUserMadeIsNotUsed(t *testing.T) {
	s := newDirStore(t, Options{})
	a := save(t, s, "s", "n", "x")
	root, err := openDir(s.Root())
	require.NoError(t, err)
	defer root.close()
	session, err := s.openSession(root, ownerKey("s"))
	require.NoError(t, err)
	defer session.close()

	s.uid++ // another user runs this now
	err = s.checkRoot("open", root)
	assert.ErrorIs(t, err, unix.EPERM)
	assert.ErrorContains(t, err, "belongs to user")
	_, err = s.openSession(root, ownerKey("s"))
	assert.ErrorIs(t, err, unix.EPERM)
	assert.ErrorContains(t, err, "belongs to user")
	_, err = s.open(session, Session("s"), ownerKey("s"), filepath.Base(a.Locator))
	assert.Equal(t, errNotOurs, err)

	s.uid--
	o, err := s.open(session, Session("s"), ownerKey("s"), filepath.Base(a.Locator))
	require.NoError(t, err)
	require.NoError(t, o.f.Close())
}
