package spill

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// tree lists the entries below a store's folder, session directories apart.
func tree(t testing.TB, s *DirStore) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(s.Root(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, strings.TrimPrefix(path, s.Root()+"/"))
		}
		return err
	})
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return found
}

func TestDirLayout(t *testing.T) {
	old := syscall.Umask(0) // the modes are the store's, not the umask's
	defer syscall.Umask(old)
	for session, key := range map[string]string{"session-1": "84097828fc31", "../../etc/passwd": "3754d6cb3a38"} {
		for _, name := range []string{"glob-results.txt", "grep-results.txt"} {
			s := newDirStore(t, Options{})
			assert.NoDirExists(t, s.Root(), "opening makes nothing")
			a := save(t, s, session, name, "a\nb")
			assert.Equal(t, s.Root()+"/session-"+a.ID, a.Locator)
			found := tree(t, s)
			require.Len(t, found, 1, "a saved result is one file")
			assert.Regexp(t, "^session-"+key+"/[0-9a-f]{12}-"+name+"$", found[0])
			for path, mode := range map[string]fs.FileMode{
				s.Root(): fs.ModeDir | 0o700, filepath.Dir(a.Locator): fs.ModeDir | 0o700, a.Locator: 0o600,
			} {
				info, err := os.Lstat(path)
				require.NoError(t, err)
				assert.Equal(t, mode, info.Mode(), path)
			}
			text, err := os.ReadFile(a.Locator)
			require.NoError(t, err)
			assert.Equal(t, "a\nb", string(text), "the locator opens")
			assert.Contains(t, a.Hint, a.ID)
		}
	}
}

func TestOpenDirStoreRefuses(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(dir+"/real", 0o700))
	require.NoError(t, os.Symlink("real", dir+"/link"))
	require.NoError(t, os.WriteFile(dir+"/file", nil, 0o600))
	for _, mode := range []fs.FileMode{0o720, 0o702, 0o777, 0o1777} {
		require.NoError(t, os.Mkdir(fmt.Sprintf("%s/%o", dir, mode), 0o700))
		require.NoError(t, unix.Chmod(fmt.Sprintf("%s/%o", dir, mode), uint32(mode)))
	}
	for root, want := range map[string]string{
		"":               "not an absolute path",
		"relative/path":  "not an absolute path",
		"/":              "the root directory",
		"/x/..":          "the root directory",
		dir + "/a\nb":    "one line of text",
		dir + "/\xff":    "one line of text",
		dir + "/\x00":    "one line of text",
		dir + "/link":    "symbolic link",
		dir + "/file":    "symbolic link or no directory",
		dir + "/file/in": "symbolic link or no directory",
		dir + "/720":     "may be written by other users (mode 0720); run chmod go-w",
		dir + "/702":     "may be written by other users",
		dir + "/777":     "may be written by other users",
		dir + "/1777":    "may be written by other users",
	} {
		_, err := OpenDirStore(root, Options{})
		assert.ErrorIs(t, err, ErrFailed, root)
		assert.ErrorContains(t, err, want, "%q", root)
	}
	for _, mode := range []fs.FileMode{0o700, 0o750, 0o755} {
		require.NoError(t, os.Chmod(dir+"/real", mode))
		s, err := OpenDirStore(dir+"/real/", Options{})
		require.NoError(t, err, mode)
		save(t, s, "s", "n", "x")
	}
	for _, o := range []Options{{MaxBytes: -2}, {MaxAge: -2}} {
		_, err := OpenDirStore(dir+"/real", o)
		assert.ErrorIs(t, err, ErrFailed)
		_, err = NewMemoryStore(o)
		assert.ErrorIs(t, err, ErrFailed)
	}
}

func TestForeignRoot(t *testing.T) {
	dir := t.TempDir()
	root := dir + "/spill"
	require.NoError(t, os.Mkdir(root, 0o700))
	if os.Geteuid() != 0 {
		root = "/" + filepath.Join("usr", "bin") // any directory of somebody else
	} else {
		require.NoError(t, os.Chown(root, 65534, 65534))
	}
	_, err := OpenDirStore(root, Options{})
	assert.ErrorIs(t, err, ErrFailed)
	assert.ErrorContains(t, err, "belongs to user")
	assert.ErrorContains(t, err, "configure another spillRoot")
}

func TestResultWithoutRecord(t *testing.T) {
	c := newClock()
	s := newDirStore(t, Options{Now: c.now})
	a, err := s.SaveText(ctx, Meta{Owner: "s", Tool: "grep", Name: "n.txt"}, Text("a\nb\nc"))
	require.NoError(t, err)
	_ = unix.Removexattr(a.Locator, recordAttribute)
	stat, err := s.Stat(ctx, Session("s"), a.ID)
	require.NoError(t, err)
	want := a
	want.Tool = ""
	assert.Equal(t, want, stat, "lines are counted, the rest is in the file itself")
	list, err := s.List(ctx, Session("s"))
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.EqualValues(t, UnknownLines, list[0].Lines)
}

func TestEditedResult(t *testing.T) {
	s := newDirStore(t, Options{})
	a := save(t, s, "s", "n", "a\nb\nc\n")
	require.NoError(t, os.WriteFile(a.Locator, []byte("a\nbbb\n"), 0o600)) // the same size
	stat, err := s.Stat(ctx, Session("s"), a.ID)
	require.NoError(t, err)
	assert.EqualValues(t, 2, stat.Lines, "a record that does not fit its file is not believed")
}

func TestSweepLeavesForeignAlone(t *testing.T) {
	c := newClock()
	s := newDirStore(t, Options{Now: c.now, MaxAge: time.Hour})
	a := save(t, s, "s", "n", "x")
	session := filepath.Dir(a.Locator)
	keep := []string{
		s.Root() + "/notes.txt", s.Root() + "/session-xyz/0123456789ab-n", s.Root() + "/other/0123456789ab-n",
		session + "/notes.txt", session + "/0123456789AB-n", session + "/0123456789ab-", session + "/0123456789ab",
	}
	past := c.now().Add(-1000 * time.Hour)
	for _, path := range keep {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
		require.NoError(t, os.Chtimes(path, past, past))
	}
	c.advance(time.Hour)
	swept, err := s.Sweep(ctx, AllSessions())
	require.NoError(t, err)
	assert.Equal(t, Swept{Removed: 1, RemovedBytes: 1, Foreign: 4}, swept)
	for _, path := range keep {
		assert.FileExists(t, path)
	}
	gone := save(t, s, "t", "n", "x")
	c.advance(time.Hour)
	_, err = s.Sweep(ctx, AllSessions())
	require.NoError(t, err)
	assert.NoDirExists(t, filepath.Dir(gone.Locator), "an empty session's directory goes, too")
}

func TestDefaultRoot(t *testing.T) {
	of := accountHome
	t.Cleanup(func() { accountHome = of })
	shared := "/tmp/hydra-harness-spill-" + fmt.Sprint(os.Geteuid())
	for _, c := range []struct{ state, home, account, want string }{
		{"/s", "/h", "/a", "/s/hydra-harness/spill"},
		{"", "/h", "/a", "/h/.local/state/hydra-harness/spill"},
		{"relative", "/h", "/a", "/h/.local/state/hydra-harness/spill"},
		{"", "", "/a", "/a/.local/state/hydra-harness/spill"},
		{"", "relative", "/a", "/a/.local/state/hydra-harness/spill"},
		{"", "", "", shared},
		{"", "/", "/a", shared}, // what systemd and containers give a service without a home
	} {
		accountHome = func() string { return c.account }
		env := map[string]string{"XDG_STATE_HOME": c.state, "HOME": c.home, "TMPDIR": "/t", "XDG_CACHE_HOME": "/c"}
		assert.Equal(t, c.want, DefaultRoot(func(name string) string { return env[name] }), "%+v", c)
	}
	base := t.TempDir() + "/not/yet"
	s, err := OpenDirStore(base, Options{})
	require.NoError(t, err)
	save(t, s, "s", "n", "x")
	info, err := os.Stat(base)
	require.NoError(t, err)
	assert.EqualValues(t, 0o700, info.Mode().Perm(), "folders on the way are private as well")
}

func TestErrorText(t *testing.T) {
	err := failed("save", describe("the text could not be kept", unix.ENOSPC), unix.ENOSPC)
	assert.EqualError(t, err, "spill save: the text could not be kept (the disk is full): no space left on device")
	assert.ErrorIs(t, err, unix.ENOSPC)
	assert.ErrorIs(t, err, ErrFailed)
	assert.NotErrorIs(t, err, ErrQuota)
	assert.NotErrorIs(t, err, io.EOF)
	assert.EqualError(t, ErrQuota, "spill: SPILL_QUOTA")
	assert.EqualError(t, notFound("stat", "x\ny"), `spill stat: no saved result "x�y"`)
	for errno, want := range map[error]string{
		unix.EDQUOT: "quota", unix.EROFS: "read-only", unix.EACCES: "no permission", unix.EPERM: "no permission",
		unix.EMFILE: "too many open files", unix.ENOENT: "removed meanwhile",
	} {
		assert.Contains(t, describe("x", errno), want)
	}
}
