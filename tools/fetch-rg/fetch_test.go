package main

import (
	"archive/tar"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFetchWritesTheVerifiedExecutable(t *testing.T) {
	s := newScene(t, "serve")
	old := syscall.Umask(0o077) // must not take the others' bits away
	defer syscall.Umask(old)

	path, err := s.fetch(t.Context(), testTarget, s.out, sidecarName)
	require.NoError(t, err)

	assert.Equal(t, filepath.Join(s.out, sidecarName), path)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, testRg, string(got))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode())
	assert.Equal(t, []string{sidecarName}, filesUnder(t, s.out))
	assert.Equal(t, []string{testPackage + "@" + testVersion}, fakeCalls(t))
}

func TestFetchReplacesAnOlderFileWhole(t *testing.T) {
	s := newScene(t, "serve")
	require.NoError(t, os.MkdirAll(s.out, 0o755))
	path := filepath.Join(s.out, sidecarName)
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	held, err := os.Open(path) // as a process that runs the old file holds it
	require.NoError(t, err)
	defer held.Close()

	_, err = s.fetch(t.Context(), testTarget, s.out, sidecarName)
	require.NoError(t, err)

	kept := make([]byte, 8)
	n, err := held.Read(kept)
	require.NoError(t, err)
	assert.Equal(t, "old", string(kept[:n]))
}

func TestFetchOffline(t *testing.T) {
	s := newScene(t, "serve")
	s.offline = true
	_, err := s.fetch(t.Context(), testTarget, s.out, sidecarName)
	assertCode(t, CodeNotCached, err, s.out)
	assert.ErrorContains(t, err, "run once without --offline")

	s.offline = false
	_, err = s.fetch(t.Context(), testTarget, s.out, sidecarName)
	require.NoError(t, err)

	s.offline, s.npm = true, "/nonexistent/npm"
	other := filepath.Join(t.TempDir(), "other")
	_, err = s.fetch(t.Context(), testTarget, other, sidecarName)
	require.NoError(t, err)
	assert.Len(t, fakeCalls(t), 1, "the cache must save the second npm run")
}

func TestFetchMeetsADamagedCache(t *testing.T) {
	s := newScene(t, "serve")
	pinned := s.lock.Packages[testPackage].Tarball
	require.NoError(t, s.cache.put(pinned, []byte("damaged")))

	s.offline = true
	_, err := s.fetch(t.Context(), testTarget, s.out, sidecarName)
	assertCode(t, CodeTarballDiffers, err, s.out)
	assert.ErrorContains(t, err, s.cache.path(pinned))

	s.offline = false
	_, err = s.fetch(t.Context(), testTarget, s.out, sidecarName)
	require.NoError(t, err)
	assert.Len(t, *s.notes, 1)
	repaired, err := s.cache.get(pinned)
	require.NoError(t, err)
	assert.Equal(t, s.tarball, repaired)
}

func TestFetchWithAnUnusableCache(t *testing.T) {
	s := newScene(t, "serve")
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	s.cache.dir = filepath.Join(blocked, "cache") // a file where a folder must be

	s.offline = true
	_, err := s.fetch(t.Context(), testTarget, s.out, sidecarName)
	assertCode(t, CodeWrite, err, s.out)
	assert.ErrorContains(t, err, "--cache")

	s.offline = false
	_, err = s.fetch(t.Context(), testTarget, s.out, sidecarName)
	require.NoError(t, err)
	assert.Len(t, *s.notes, 2, "one note for reading, one for keeping")
}

func TestFetchFailures(t *testing.T) {
	good := member{name: memberPath, body: testRg}
	for name, c := range map[string]struct {
		mode    string
		members []member
		spoil   func(*scene)
		want    Code
		says    string
	}{
		"npm missing":       {mode: "serve", spoil: func(s *scene) { s.npm = "no-such-npm-client" }, want: CodeNPMMissing, says: "Node.js"},
		"package refused":   {mode: "refuse", want: CodePackageRefused, says: "ETARGET: No matching version found for " + testPackage},
		"npm only mumbles":  {mode: "mumble", want: CodePackageRefused, says: "the end"},
		"nothing delivered": {mode: "nothing", want: CodeTarballMissing, says: "0 tarballs"},
		"two tarballs":      {mode: "two", want: CodeTarballMissing, says: "2 tarballs"},
		"other bytes": {mode: "serve", want: CodeTarballDiffers, says: "nothing was written", spoil: func(s *scene) {
			p := s.lock.Packages[testPackage]
			p.Tarball.Integrity = pin([]byte("other"), nil).Tarball.Integrity
			s.lock.Packages[testPackage] = p
		}},
		"other executable": {mode: "serve", want: CodeMemberDiffers, says: "nothing was written", spoil: func(s *scene) {
			p := s.lock.Packages[testPackage]
			p.Rg.SHA256 = pin(nil, []byte("other")).Rg.SHA256
			s.lock.Packages[testPackage] = p
		}},
		"other size": {mode: "serve", want: CodeMemberDiffers, spoil: func(s *scene) {
			p := s.lock.Packages[testPackage]
			p.Rg.Size++
			s.lock.Packages[testPackage] = p
		}},
		"package not in the lock": {mode: "serve", want: CodeLock, says: "--update", spoil: func(s *scene) { delete(s.lock.Packages, testPackage) }},
		"member missing":          {mode: "serve", members: []member{{name: "package/bin/rg.exe", body: testRg}}, want: CodeMemberMissing},
		"member under a prefix":   {mode: "serve", members: []member{{name: "./package/bin/rg", body: testRg}}, want: CodeMemberMissing},
		"member twice":            {mode: "serve", members: []member{good, good}, want: CodeMemberDuplicate},
		"symbolic link":           {mode: "serve", members: []member{{name: memberPath, kind: tar.TypeSymlink, link: "/bin/sh"}}, want: CodeMemberKind},
		"hard link":               {mode: "serve", members: []member{good, {name: memberPath, kind: tar.TypeLink, link: "package/x"}}, want: CodeMemberKind},
		"folder":                  {mode: "serve", members: []member{{name: memberPath, kind: tar.TypeDir}}, want: CodeMemberKind},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, c.mode, c.members...)
			if c.spoil != nil {
				c.spoil(&s)
			}
			_, err := s.fetch(t.Context(), testTarget, s.out, sidecarName)
			assertCode(t, c.want, err, s.out)
			assert.ErrorContains(t, err, c.says)
		})
	}
}

func TestFetchKillsNPMWhenCancelled(t *testing.T) {
	s := newScene(t, "serve")
	running := filepath.Join(t.TempDir(), "running")
	require.NoError(t, syscall.Mkfifo(running, 0o600)) // opening it waits for the fake
	s.npm = useFakeNPM(t, "hang", running)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if f, err := os.Open(running); err == nil {
			f.Close()
		}
		cancel()
	}()

	_, err := s.fetch(ctx, testTarget, s.out, sidecarName)
	assertCode(t, CodePackageRefused, err, s.out)
	assert.ErrorIs(t, err, context.Canceled)
}
