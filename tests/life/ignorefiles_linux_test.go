package life

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Rule: an ignore file that is no plain file, or is far too large, is not read:
// the search goes on without it, and says so.
func TestStrangeIgnoreFiles(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a FIFO":   func(path string) error { return unix.Mkfifo(path, 0o644) },
		"too large": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("/some/pattern/of/a/list\n", 50_000)), 0o644)
		},
	} {
		for _, file := range []string{".ignore", ".rgignore", ".gitignore"} {
			t.Run(fmt.Sprint(name, file), func(t *testing.T) {
				dir := tree(t, "a.txt")
				require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
				require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "b.txt"), []byte("needle\n"), 0o644))
				require.NoError(t, make(filepath.Join(dir, file)))
				s := serve(t, built, dir, map[string]any{"timeoutMs": 20_000})
				for _, where := range []string{".", "sub"} {
					r, err := s.Tool("grep", map[string]any{"pattern": "needle", "path": where})
					require.NoError(t, err)
					assert.Contains(t, r.Text(), "Line 1: needle")
					assert.Contains(t, r.Text(), "no "+file+" was applied")
				}
			})
		}
	}
}

// Rule: one that lies further down is met by ripgrep alone; the error that
// follows names it.
func TestAStrangeIgnoreFileFurtherDown(t *testing.T) {
	dir := tree(t, "a.txt")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "sub", ".ignore"), 0o644))
	s := serve(t, built, dir, map[string]any{"timeoutMs": 300, "graceMs": 10})
	r, err := s.Tool("grep", needle())
	require.NoError(t, err)
	assert.True(t, r.IsError)
	assert.Contains(t, r.Text(), `sub/.ignore", which is a FIFO: remove it`)

	require.NoError(t, os.Remove(filepath.Join(dir, "sub", ".ignore")))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "sub", ".ignore")))
	s = serve(t, built, dir, map[string]any{"timeoutMs": 60_000})
	r, err = s.Tool("grep", needle())
	require.NoError(t, err)
	assert.True(t, r.IsError)
	assert.Contains(t, r.Text(), "ripgrep needed more than the 1024 MiB of memory that it may use")
	assert.Contains(t, r.Text(), `sub/.ignore", which is a device: remove it`)
}
