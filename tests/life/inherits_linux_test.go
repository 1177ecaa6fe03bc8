package life

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rule: the sidecar gets no credential, nothing that configures ripgrep, no
// descriptor but its own, and reads nothing.
func TestWhatTheSidecarInherits(t *testing.T) {
	path := install(t, describe)
	cmd := command(t, path, tree(t, "a"), nil)
	kept := []string{"HOME=/nowhere", "LANG=C.UTF-8", "LC_TIME=a=b", "PATH=/usr/bin:/bin", "TMPDIR=/t"}
	cmd.Env = append(slices.Clone(kept),
		"KEYBOARD=us", "XDG_CONFIG_HOME=/x", "LD_LIBRARY_PATH=/x", "GIT_DIR=/x", "NO_COLOR=1",
		"GITHUB_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "OPENAI_API_KEY=x", "DB_PASSWORD=x", "MYSQL_PWD=x", "SSH_AUTH_SOCK=/x",
		"GOOGLE_APPLICATION_CREDENTIALS=/x", "RIPGREP_CONFIG_PATH=/x")
	leak, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer leak.Close()
	cmd.ExtraFiles = []*os.File{leak, leak} // which a careless host leaves open
	s := start(t, cmd)
	for _, call := range []struct {
		tool      string
		arguments map[string]any
		more      string
	}{
		{"grep", needle(), ""},
		{"grep", map[string]any{"pattern": "needle", "include": "*"}, "3 pipe\n"},
		{"glob", map[string]any{"pattern": "*"}, ""},
	} {
		r, err := s.Tool(call.tool, call.arguments)
		require.NoError(t, err)
		require.False(t, r.IsError, r.Text())
		environ, err := os.ReadFile(path + "-rg.environ")
		require.NoError(t, err)
		assert.ElementsMatch(t, kept, strings.Split(string(environ), "\n"))
		open, err := os.ReadFile(path + "-rg.open")
		require.NoError(t, err)
		assert.Equal(t, "0 /dev/null\n1 pipe\n2 pipe\n"+call.more+"group leader: true\n", string(open))
	}
}

// Rule: standard input is never read, whatever is in it and whoever holds it
// open.
func TestStandardInputIsNeverRead(t *testing.T) {
	dir := tree(t, "a")
	for name, args := range map[string][]string{
		"grep":        {"grep", "needle"},
		"grep a file": {"grep", "needle", "a"},
		"glob":        {"glob", "*"},
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			const text = "needle from standard input\n"
			_, err = w.WriteString(text)
			require.NoError(t, err)
			cmd := exec.Command(built, args...)
			cmd.Dir, cmd.Stdin = dir, r // w stays open: a reader would wait for ever
			out, err := cmd.Output()
			require.NoError(t, err)
			assert.NotContains(t, string(out), "standard input")
			assert.Contains(t, string(out), "a")
			require.NoError(t, w.Close())
			left := make([]byte, 2*len(text))
			n, err := r.Read(left)
			require.NoError(t, err)
			assert.Equal(t, text, string(left[:n]))
		})
	}
}

// Rule: what is neither a file nor a directory is refused at once, without a
// sidecar, and in a tree it is passed over.
func TestSpecialFilesAreNeverOpened(t *testing.T) {
	path := install(t, deaf) // it would hang
	dir := tree(t, "a")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	require.NoError(t, os.Symlink("fifo", filepath.Join(dir, "link")))
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	defer syscall.Close(socket)
	require.NoError(t, syscall.Bind(socket, &syscall.SockaddrUnix{Name: filepath.Join(dir, "socket")}))
	s := serve(t, path, dir, nil)
	for special, kind := range map[string]string{
		"fifo": "FIFO", "link": "FIFO", "./fifo": "FIFO", "socket": "socket", "/dev/null": "device", "/dev/zero": "device", "/dev/tty": "device",
	} {
		r, err := s.Tool("grep", map[string]any{"pattern": "needle", "path": special})
		require.NoError(t, err)
		assert.Equal(t, "SEARCH_FAILED", r.Meta.Error.Code, special)
		assert.Contains(t, r.Text(), kind, special)
		r, err = s.Tool("glob", map[string]any{"pattern": "*", "path": special})
		require.NoError(t, err)
		assert.Contains(t, r.Text(), kind, special)
	}
	gone(t, path+"-rg", patient)
	assert.NoFileExists(t, path+"-rg.environ")

	r, err := serve(t, built, dir, nil).Tool("grep", needle())
	require.NoError(t, err)
	assert.Equal(t, "Found 1 match\n\na\nLine 1: needle", r.Text())
}
