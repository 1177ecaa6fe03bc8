package spill

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestPlantedEntries(t *testing.T) {
	s := newDirStore(t, Options{MaxAge: time.Hour})
	a := save(t, s, "s", "n", "x")
	session := filepath.Dir(a.Locator)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	inside := save(t, s, "other", "n", "other's text")

	id := func(digits string) string {
		return filepath.Base(session)[len("session-"):] + "/" + digits + "-planted"
	}
	path := func(digits string) string { return session + "/" + digits + "-planted" }
	require.NoError(t, os.Symlink(secret, path("000000000001")))
	require.NoError(t, os.Link(secret, path("000000000002")))
	require.NoError(t, unix.Mkfifo(path("000000000003"), 0o600))
	require.NoError(t, os.Mkdir(path("000000000004"), 0o700))
	require.NoError(t, os.Symlink(inside.Locator, path("000000000005"))) // stays inside the folder
	require.NoError(t, os.Symlink("nowhere", path("000000000006")))
	require.NoError(t, os.Link(inside.Locator, path("000000000007")))
	for i := 1; i <= 7; i++ {
		digits := fmt.Sprintf("%012d", i)
		for _, scope := range []Scope{Session("s"), AllSessions()} {
			got, err := readAll(s, scope, id(digits))
			assert.ErrorIs(t, err, ErrFailed, digits)
			assert.Empty(t, got, digits)
			_, err = s.Stat(ctx, scope, id(digits))
			assert.ErrorIs(t, err, ErrFailed, digits)
			assert.ErrorContains(t, err, "not a plain file of the store's own")
		}
	}
	list, err := s.List(ctx, Session("s"))
	require.NoError(t, err)
	assert.Equal(t, []Result{a}, list)

	far := time.Now().Add(100 * time.Hour)
	s.opts.Now = func() time.Time { return far }
	swept, err := s.Sweep(ctx, Session("s"))
	require.NoError(t, err)
	assert.Equal(t, 5, swept.Foreign)
	for path, want := range map[string]string{secret: "secret", inside.Locator: "other's text"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(text), "what a link points to is untouched")
	}
}

func TestPlantedSessionLink(t *testing.T) {
	s := newDirStore(t, Options{MaxAge: time.Hour})
	theirs := save(t, s, "theirs", "n", "x")
	outside := t.TempDir()
	for _, target := range []string{outside, filepath.Dir(theirs.Locator)} {
		link := s.Root() + "/session-" + ownerKey("mine")
		require.NoError(t, os.Symlink(target, link))
		_, err := s.SaveText(ctx, Meta{Owner: "mine"}, Text("x"))
		assert.ErrorIs(t, err, ErrFailed)
		assert.ErrorContains(t, err, "a link")
		_, err = readAll(s, Session("mine"), ownerKey("mine")+"/"+filepath.Base(theirs.Locator))
		assert.ErrorIs(t, err, ErrFailed)
		_, err = s.Sweep(ctx, AllSessions())
		require.NoError(t, err)
		require.NoError(t, os.Remove(link))
	}
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestOwnerHashCollision: the same 48 bits in a directory's name do not make
// the same owner.
func TestOwnerHashCollision(t *testing.T) {
	s := newDirStore(t, Options{})
	a := save(t, s, "victim", "n", "secret")
	mine := s.Root() + "/session-" + ownerKey("attacker")
	require.NoError(t, os.Rename(filepath.Dir(a.Locator), mine))
	id := ownerKey("attacker") + "/" + filepath.Base(a.Locator)
	if f, err := os.Open(mine + "/" + filepath.Base(a.Locator)); assert.NoError(t, err) {
		_, known := readRecord(f)
		require.NoError(t, f.Close())
		if !known {
			t.Skip("the file system of the temporary directory has no extended attributes")
		}
	}
	_, err := readAll(s, Session("attacker"), id)
	assert.ErrorIs(t, err, ErrNotFound)
	list, err := s.List(ctx, Session("attacker"))
	require.NoError(t, err)
	assert.Empty(t, list)
}
