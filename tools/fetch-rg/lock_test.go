package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/wheels"
)

func TestLockCoversEveryTarget(t *testing.T) {
	lock, err := parseLock(embeddedLock)
	require.NoError(t, err)
	targets, err := wheels.Targets()
	require.NoError(t, err)
	for _, target := range targets {
		_, err := lock.pinned(target.NPMPackage)
		assert.NoError(t, err, target.Name)
	}
	assert.Len(t, lock.Packages, len(targets), "the lock pins packages that no target uses")
}

func TestParseLockRefusesMalformedLocks(t *testing.T) {
	text := string(embeddedLock)
	for name, broken := range map[string]string{
		"not JSON":          text[1:],
		"unknown field":     strings.Replace(text, `"size"`, `"length"`, 1),
		"no version":        strings.Replace(text, `"1.18.0"`, `""`, 1),
		"no ripgrep":        strings.Replace(text, `"15.0.0"`, `""`, 1),
		"another algorithm": strings.Replace(text, "sha512-", "sha256-", 1),
		"short integrity":   strings.Replace(text, "sha512-", "sha512-AAAA", 1),
		"short sha256":      strings.Replace(text, `"sha256": "`, `"sha256": "ab`, 1),
		"no size":           strings.Replace(text, `"size": `, `"size": -`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, text, broken)
			_, err := parseLock([]byte(broken))
			assert.ErrorIs(t, err, &Error{Code: CodeLock})
		})
	}
}

func TestUpdatePinsWhatNPMDelivers(t *testing.T) {
	s := newScene(t, "serve")
	lock, err := update(t.Context(), s.npm, testVersion, []wheels.Target{testTarget}, testTarget)
	require.NoError(t, err)
	assert.Equal(t, s.lock, lock)

	path := filepath.Join(t.TempDir(), "rg.lock.json")
	assert.ErrorIs(t, writeLock(path, lock), &Error{Code: CodeUsage}, "no second lock may appear")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, writeLock(path, lock))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	again, err := parseLock(data)
	require.NoError(t, err)
	assert.Equal(t, lock, again)
}

func TestUpdateNeedsAnExecutableThatTellsItsVersion(t *testing.T) {
	s := newScene(t, "serve", member{name: memberPath, body: "#!/bin/sh\necho grep 3\n"})
	_, err := update(t.Context(), s.npm, testVersion, []wheels.Target{testTarget}, testTarget)
	assert.ErrorIs(t, err, &Error{Code: CodeLock})
}
