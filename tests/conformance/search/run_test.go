package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	runIfChild()
	code := m.Run()
	removeOwnCopy()
	os.Exit(code)
}

func TestVectors(t *testing.T) { runVectors(t, "", false) }

// TestVectorsIndexed has an index in every tree: each answer is the same.
func TestVectorsIndexed(t *testing.T) { runVectors(t, "", true) }

// TestVectorsOverMCP asks a runtime that is built as people get it.
func TestVectorsOverMCP(t *testing.T) {
	dir, err := os.MkdirTemp("", "hydra-conformance-runtime-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755)) // another user starts it
	path := filepath.Join(dir, "hydra-harness-runtime")
	build := exec.Command("go", "build", "-o", path, "github.com/hydraharness/harness-runtime/gocore/cmd/hydra-harness-runtime")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	runVectors(t, path, false)
	t.Run("indexed", func(t *testing.T) { runVectors(t, path, true) })
}

func runVectors(t *testing.T, serve string, indexed bool) {
	rg, err := findRipgrep()
	require.NoError(t, err)
	var vectors []vector
	for _, name := range ownFiles {
		some, err := readVectors(name)
		require.NoError(t, err)
		require.NotEmpty(t, some)
		vectors = append(vectors, some...)
	}
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			scratch, err := newScratch()
			require.NoError(t, err)
			one, err := newRun(v, scratch, rg, nil, serve)
			require.NoError(t, err)
			one.indexed = indexed
			problem, err := one.do()
			var skip errSkip
			if errors.As(err, &skip) {
				t.Skip(skip.reason)
			}
			require.NoError(t, err)
			assert.Empty(t, problem)
		})
	}
}
