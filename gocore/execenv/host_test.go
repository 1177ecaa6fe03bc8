//go:build unix

package execenv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func scratch(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, d := range []string{"r/src/sub", "out/d"} {
		require.NoError(t, os.MkdirAll(dir+"/"+d, 0o755))
	}
	for _, f := range []string{"r/a.txt", "r/src/main.go", "out/secret", "r/gone (deleted)"} {
		require.NoError(t, os.WriteFile(dir+"/"+f, []byte("x"), 0o644))
	}
	for l, to := range map[string]string{
		"r/up": "src/sub", "r/out": "../out/d", "r/dang": "none", "r/loop": "loop", "r/slash": "src/",
		"r/fileslash": "a.txt/", "r/self": ".", "r/proc": "/proc/self/cwd", "r/abs": dir + "/out", "r/mounts": "/proc/mounts",
	} {
		require.NoError(t, os.Symlink(to, dir+"/"+l))
	}
	for i := range 42 {
		to := fmt.Sprintf("c%02d", i+1)
		if i == 41 {
			to = "a.txt"
		}
		require.NoError(t, os.Symlink(to, fmt.Sprintf("%s/r/c%02d", dir, i)))
	}
	return dir
}

// Both resolvers of the host, the kernel's and the component walk, give the
// same answers.
func TestCanonicalPath(t *testing.T) {
	dir := scratch(t)
	caps := Host{}.Capabilities()
	first := 42 - caps.Links()
	for path, want := range map[string]any{
		"/r/a.txt": "/r/a.txt", "/r//./a.txt": "/r/a.txt", "/r/up/..": "/r/src", "/r/up/../main.go": "/r/src/main.go",
		"/r/out/../secret": "/out/secret", "/r/self/self/a.txt": "/r/a.txt", "/r/slash/main.go": "/r/src/main.go",
		"/r/slash": "/r/src", "/r/abs/secret": "/out/secret", "/r/gone (deleted)": "/r/gone (deleted)",
		"/r/a.txt/": NotDir, "/r/a.txt/../a.txt": NotDir, "/r/a.txt/.": NotDir, "/r/fileslash": NotDir,
		"/r/none": NotExist, "/r/none/../a.txt": NotExist, "/r/dang": NotExist, "/r/loop": Loop,
		fmt.Sprintf("/r/c%02d", first): "/r/a.txt", fmt.Sprintf("/r/c%02d", first-1): Loop,
		"/r/" + strings.Repeat("n", 256):            TooLong,
		"/r" + strings.Repeat("/.", 2200):           TooLong,
		"/r" + strings.Repeat("/.", 100) + "/a.txt": "/r/a.txt",
	} {
		for name, resolve := range map[string]func(string) (string, error){
			"host": func(p string) (string, error) { return Host{}.CanonicalPath(context.Background(), p) },
			"walk": func(p string) (string, error) { return hostWalk(p, func(string, string) bool { return false }) },
		} {
			got, err := resolve(dir + path)
			if p, ok := want.(Problem); ok {
				assert.ErrorIs(t, err, &Error{Problem: p}, "%s %.60s", name, path)
				continue
			}
			require.NoError(t, err, "%s %.60s", name, path)
			assert.Equal(t, dir+want.(string), got, "%s %.60s", name, path)
		}
	}
}

func TestBadQuestions(t *testing.T) {
	ctx := context.Background()
	for _, p := range []string{"", "a", "/a\x00b"} {
		_, err := Host{}.CanonicalPath(ctx, p)
		assert.ErrorIs(t, err, &Error{Problem: NoAnswer}, "%q", p)
	}
	dead, cancel := context.WithCancel(ctx)
	cancel()
	_, err := Host{}.Lstat(dead, "/")
	assert.ErrorIs(t, err, context.Canceled)
	assert.True(t, Cancelled(dead, err))
	assert.Equal(t, NoAnswer, ProblemOf(fmt.Errorf("something else")))
	assert.Equal(t, NoAnswer, ProblemOf(failed("lstat", "/", unix.ENOENT)), "the root is always there")
}

func TestLstatAndList(t *testing.T) {
	ctx := context.Background()
	dir := scratch(t)
	require.NoError(t, unix.Mkfifo(dir+"/r/fifo", 0o600))
	for name, want := range map[string]Kind{"a.txt": File, "src": Dir, "up": Link, "dang": Link, "fifo": Other} {
		k, err := Host{}.Lstat(ctx, dir+"/r/"+name)
		require.NoError(t, err)
		assert.Equal(t, want, k, name)
	}
	text, err := Host{}.ReadLink(ctx, dir+"/r/slash")
	require.NoError(t, err)
	assert.Equal(t, "src/", text)
	list, err := Host{}.ListDir(ctx, dir+"/r", 5)
	require.NoError(t, err)
	assert.Len(t, list, 6, "one name more than asked for says that there are more")
	list, err = Host{}.ListDir(ctx, dir+"/r", 1000)
	require.NoError(t, err)
	kinds := map[string]Kind{}
	for _, e := range list {
		kinds[e.Name] = e.Kind
	}
	assert.Equal(t, Link, kinds["up"])
	assert.Equal(t, Dir, kinds["src"])
	assert.Equal(t, File, kinds["a.txt"])
	assert.NotContains(t, kinds, ".")
	for path, want := range map[string]Problem{"/r/up": NotDir, "/r/a.txt": NotDir, "/r/none": NotExist} {
		_, err := Host{}.ListDir(ctx, dir+path, 10)
		require.Error(t, err, path)
		got := ProblemOf(err)
		if path == "/r/up" { // ELOOP or ENOTDIR, by the way it is refused
			assert.Contains(t, []Problem{NotDir, Loop}, got)
			continue
		}
		assert.Equal(t, want, got, path)
	}
}

func TestReadFile(t *testing.T) {
	ctx := context.Background()
	dir := scratch(t)
	data, err := Host{}.ReadFile(ctx, dir+"/r/a.txt", 1)
	require.NoError(t, err)
	assert.Equal(t, "x", string(data))
	require.NoError(t, os.WriteFile(dir+"/r/a.txt", []byte("xx"), 0o644))
	_, err = Host{}.ReadFile(ctx, dir+"/r/a.txt", 1)
	assert.ErrorIs(t, err, &Error{Problem: TooLong})
	require.NoError(t, unix.Mkfifo(dir+"/r/fifo", 0o600))
	_, err = Host{}.ReadFile(ctx, dir+"/r/fifo", 10)
	assert.ErrorIs(t, err, &Error{Problem: NoAnswer}, "a pipe does not block the look")
	x, err := Host{}.Executable(ctx, dir+"/r/a.txt")
	require.NoError(t, err)
	assert.False(t, x)
	require.NoError(t, os.Chmod(dir+"/r/a.txt", 0o744))
	x, err = Host{}.Executable(ctx, dir+"/r/a.txt")
	require.NoError(t, err)
	assert.True(t, x)
}
