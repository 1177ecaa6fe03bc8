// Package bundle reads what a wheel says of the executables that it brought: the
// manifest that lies beside them, with their sizes and digests.
//
// It decides what the manifest promises, and where it lies. It does not decide
// what becomes of a promise that is not kept: ripgrep holds the sidecar against
// its own whenever it is used, and harness the runtime when somebody asks.
//
// Known limit: whoever can write the executables can write the manifest. It tells
// a broken installation from a whole one, not a foreign one from ours.
package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// ManifestName is the name of the manifest, beside the executables.
const ManifestName = "manifest.json"

// maxManifestBytes bounds the manifest: it lists the files of a package, each in
// some 100 bytes.
const maxManifestBytes = 1 << 20

// Manifest is what was read of it.
type Manifest struct {
	// Path is where it lies.
	Path string `json:"-"`
	// Version is that of the package.
	Version string `json:"version"`
	// Files are what it lists.
	Files []File `json:"files"`
}

// File is one file as the wheel was built with it.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Beside reads the manifest that lies beside an executable. Without one, which is
// a build outside a wheel, both results are nil. The error names the manifest.
func Beside(executable string) (*Manifest, error) {
	path := filepath.Join(filepath.Dir(executable), ManifestName)
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := &Manifest{Path: path}
	if err == nil {
		// What edits a file by hand may put a mark in front of it.
		err = strictjson.UnmarshalForeign(bytes.TrimPrefix(text, []byte("\ufeff")), m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w)", path, err)
	}
	return m, nil
}

func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
	if err == nil && len(text) > maxManifestBytes {
		err = fmt.Errorf("it has more than %d bytes", maxManifestBytes)
	}
	return text, err
}

// File is what the manifest promises of an executable. The error names both.
func (m *Manifest) File(executable string) (File, error) {
	name := filepath.Base(executable)
	if i := slices.IndexFunc(m.Files, func(f File) bool { return f.Name == name }); i >= 0 {
		return m.Files[i], nil
	}
	return File{}, fmt.Errorf("%s does not list %s", m.Path, name)
}

// SHA256 returns the digest of a file in lower-case hexadecimal.
func SHA256(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
