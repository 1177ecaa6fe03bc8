package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/wheels"
)

// member is one entry of a tarball made for a test.
type member struct {
	name string
	kind byte // a tar type; zero is a regular file
	body string
	link string
}

func makeTarball(t *testing.T, members ...member) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	tw := tar.NewWriter(zw)
	for _, m := range members {
		kind := m.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		require.NoError(t, tw.WriteHeader(&tar.Header{Name: m.name, Typeflag: kind, Linkname: m.link, Size: int64(len(m.body)), Mode: 0o644}))
		_, err := tw.Write([]byte(m.body))
		require.NoError(t, err)
	}
	require.NoError(t, tw.Close())
	require.NoError(t, zw.Close())
	return buf.Bytes()
}

const (
	testPackage = "@vscode/ripgrep-test"
	testVersion = "9.9.9"
	testRg      = "#!/bin/sh\necho 'ripgrep 99.1.2 (rev 0)'\n"
)

var testTarget = wheels.Target{Name: "test-machine", GOOS: "test", GOARCH: "machine", NPMPackage: testPackage}

// scene is a fetcher over a fake npm that serves one package.
type scene struct {
	fetcher
	tarball []byte
	out     string
	notes   *[]string
}

func newScene(t *testing.T, mode string, members ...member) scene {
	t.Helper()
	if members == nil {
		members = []member{{name: "package/package.json", body: "{}"}, {name: memberPath, body: testRg}}
	}
	tarball := makeTarball(t, members...)
	store := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(store, storeName(testPackage+"@"+testVersion)), tarball, 0o600))
	notes := &[]string{}
	return scene{
		fetcher: fetcher{
			lock: Lock{PackageVersion: testVersion, RipgrepVersion: "99.1.2", Packages: map[string]Pinned{
				testPackage: pin(tarball, []byte(testRg)),
			}},
			cache: cache{filepath.Join(t.TempDir(), "cache")},
			npm:   useFakeNPM(t, mode, store),
			note:  func(format string, _ ...any) { *notes = append(*notes, format) },
		},
		tarball: tarball,
		out:     filepath.Join(t.TempDir(), "out"),
		notes:   notes,
	}
}

// assertCode checks an error's code and that the folder holds no file, not even
// a temporary one.
func assertCode(t *testing.T, want Code, err error, untouched string) {
	t.Helper()
	var own *Error
	if assert.ErrorAs(t, err, &own) {
		assert.Equal(t, want, own.Code, "%v", err)
	}
	assert.Empty(t, filesUnder(t, untouched))
}

func filesUnder(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) && path == dir {
			return fs.SkipAll
		}
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, rel)
		}
		return err
	})
	require.NoError(t, err)
	return files
}
