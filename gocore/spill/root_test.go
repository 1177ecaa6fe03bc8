package spill

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRootLoosenedWhileRunning(t *testing.T) {
	s := newDirStore(t, Options{})
	a := save(t, s, "s", "n", "x")
	require.NoError(t, os.Chmod(s.Root(), 0o777))
	_, err := s.SaveText(ctx, Meta{Owner: "s"}, Text("x"))
	assert.ErrorContains(t, err, "may be written by other users")
	_, err = readAll(s, Session("s"), a.ID)
	assert.ErrorIs(t, err, ErrFailed)
	require.NoError(t, os.Chmod(s.Root(), 0o700))
	require.NoError(t, os.Chmod(filepath.Dir(a.Locator), 0o755))
	b := save(t, s, "s", "n", "x")
	info, err := os.Stat(filepath.Dir(b.Locator))
	require.NoError(t, err)
	assert.EqualValues(t, 0o700, info.Mode().Perm(), "a session's directory is tightened")
}

func TestRootRemovedWhileRunning(t *testing.T) {
	s := newDirStore(t, Options{})
	a := save(t, s, "s", "n", "x")
	require.NoError(t, os.RemoveAll(s.Root()))
	_, err := readAll(s, Session("s"), a.ID)
	assert.ErrorIs(t, err, ErrFailed, "gone is not the same as never saved")
	_, err = s.List(ctx, Session("s"))
	assert.ErrorIs(t, err, ErrFailed)
	_, err = s.Sweep(ctx, AllSessions())
	assert.ErrorIs(t, err, ErrFailed)
	_, err = s.SaveText(ctx, Meta{Owner: "s"}, Text("x"))
	assert.ErrorIs(t, err, ErrFailed)
	assert.ErrorContains(t, err, s.Root()+" is gone")
	assert.NoDirExists(t, s.Root())
	b := save(t, s, "s", "n", "again")
	got, err := readAll(s, Session("s"), b.ID)
	require.NoError(t, err)
	assert.Equal(t, "again", got, "the save after the failed one begins afresh")
}

// TestRootLostDuringSave takes the folder away at every step of a save.
func TestRootLostDuringSave(t *testing.T) {
	for _, step := range []string{"created", "written", "flushed", "renamed"} {
		for way, lose := range map[string]func(root string) error{
			"removed": os.RemoveAll,
			"moved":   func(root string) error { return os.Rename(root, root+".moved") },
			"replaced": func(root string) error {
				if err := os.Rename(root, root+".moved"); err != nil {
					return err
				}
				return os.Mkdir(root, 0o700)
			},
		} {
			s := newDirStore(t, Options{})
			save(t, s, "s", "n", "x")
			s.step = func(at string) {
				if at == step {
					require.NoError(t, lose(s.Root()))
				}
			}
			_, err := s.SaveText(ctx, Meta{Owner: "s", Name: "lost.txt"}, Text("x"))
			assert.ErrorIs(t, err, ErrFailed, "%s at %s", way, step)
			left, err := filepath.Glob(s.Root() + "*/session-*/*lost*")
			require.NoError(t, err)
			assert.Empty(t, left, "%s at %s", way, step)
			left, err = filepath.Glob(s.Root() + "*/session-*/.tmp-*")
			require.NoError(t, err)
			assert.Empty(t, left, "%s at %s", way, step)
		}
	}
}
