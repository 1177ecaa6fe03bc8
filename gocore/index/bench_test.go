package index_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// goSource is the Go source tree.
func goSource(b *testing.B) string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(b, err)
	dir, err := filepath.EvalSymlinks(strings.TrimSpace(string(root)) + "/src")
	require.NoError(b, err)
	return dir
}

// BenchmarkGlob lists from an index, and BenchmarkSelect says what a grep has to look
// at: all that an index adds to a search.
func BenchmarkGlob(b *testing.B) {
	dir := goSource(b)
	p := newPair(b)
	require.Empty(b, made(b, p.set, dir))
	for _, pattern := range []string{"**/*.go", "*_test.go", "*"} {
		b.Run(strings.ReplaceAll(pattern, "/", "|"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := p.indexed.Glob(context.Background(), dir, search.GlobRequest{Pattern: pattern})
				require.NoError(b, err)
				require.Equal(b, search.UsedBarrier, r.Stats.Index.Used)
			}
		})
	}
}

func BenchmarkSelect(b *testing.B) {
	dir := goSource(b)
	p := newPair(b)
	require.Empty(b, made(b, p.set, dir))
	for _, pattern := range []string{"zzzqqq", "TODO", "Errorf", "(?i)lockosthread", "func.*context", "package"} {
		b.Run(pattern, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.set.Select(search.Scope{Workdir: dir, Dir: dir, Pattern: pattern})
			}
		})
	}
}
