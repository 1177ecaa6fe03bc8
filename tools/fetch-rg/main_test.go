package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/wheels"
)

func runTool(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

func TestCommandLine(t *testing.T) {
	out, empty := filepath.Join(t.TempDir(), "out"), t.TempDir()
	for name, c := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"nothing to do":        {nil, exitUsage, "out"},
		"argument":             {[]string{"x", "--out", out}, exitUsage, "x"},
		"one and all":          {[]string{"--all", "--target", "linux-x86_64", "--out", out}, exitUsage, "target"},
		"update with out":      {[]string{"--update", "1.0.0", "--out", out}, exitUsage, "update"},
		"update while offline": {[]string{"--update", "1.0.0", "--offline"}, exitUsage, "offline"},
		"unknown target":       {[]string{"--target", "windows-x86_64", "--out", out}, exitUsage, "linux-aarch64 linux-x86_64 macos-arm64 macos-x86_64"},
		"path as a name":       {[]string{"--name", "../rg", "--out", out}, exitUsage, "bare file name"},
		"empty name":           {[]string{"--name", "", "--out", out}, exitUsage, "bare file name"},
		"empty cache":          {[]string{"--all", "--offline", "--cache", empty, "--out", out}, exitFailed, "fetch-rg: not-cached: "},
		"no npm":               {[]string{"--all", "--npm", "no-such-npm-client", "--cache", empty, "--out", out}, exitFailed, "fetch-rg: npm-missing: "},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := runTool(t, c.args...)
			assert.Equal(t, c.status, status)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, c.says)
			assert.Empty(t, filesUnder(t, out))
		})
	}
}

func TestDefaultCacheFollowsXDG(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/somewhere/cache")
	assert.Equal(t, "/somewhere/cache/hydra-harness-runtime/ripgrep", defaultCacheDir())
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	assert.Equal(t, filepath.Join(".cache", "ripgrep"), defaultCacheDir())
}

// TestRealFetch asks the real npm client for every pinned package. It keeps the
// user's cache out of it, so the registry's bytes are what is judged.
func TestRealFetch(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skipf("needs the npm client: %v", err)
	}
	if testing.Short() {
		t.Skip("-short leaves the registry alone")
	}
	dir, cacheDir := t.TempDir(), t.TempDir()
	status, stdout, stderr := runTool(t, "--all", "--npm", npm, "--cache", cacheDir, "--out", dir)
	require.Zero(t, status, stderr)

	targets, err := wheels.Targets()
	require.NoError(t, err)
	var want []string
	for _, target := range targets {
		assert.Contains(t, stdout, target.Name+": ripgrep ")
		want = append(want, filepath.Join(target.Name, sidecarName))
	}
	assert.ElementsMatch(t, want, filesUnder(t, dir))

	lock, err := parseLock(embeddedLock)
	require.NoError(t, err)
	host, err := pick(targets, "")
	if err != nil {
		t.Skipf("the fetched executables cannot run here: %v", err)
	}
	version, err := rgVersion(t.Context(), filepath.Join(dir, host.Name, sidecarName))
	require.NoError(t, err)
	assert.Equal(t, lock.RipgrepVersion, version)

	status, _, stderr = runTool(t, "--offline", "--npm", "/nonexistent/npm", "--cache", cacheDir, "--out", t.TempDir())
	assert.Zero(t, status, stderr)
}
