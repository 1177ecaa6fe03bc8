package main

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// cache keeps tarballs by their digest, so a bump of the lock never meets an
// old file under the same name. Its content is never trusted: every read is
// checked against the lock by the caller.
type cache struct{ dir string }

// defaultCacheDir is the user's cache folder (XDG_CACHE_HOME is honoured), or
// .cache/ in the working directory for a user without a home.
func defaultCacheDir() string {
	if base, err := os.UserCacheDir(); err == nil {
		return filepath.Join(base, "hydra-harness-runtime", "ripgrep")
	}
	return filepath.Join(".cache", "ripgrep")
}

func (c cache) path(p PinnedTarball) string {
	digest := strings.TrimPrefix(p.Integrity, "sha512-")
	raw, err := base64.StdEncoding.DecodeString(digest)
	if err != nil { // parseLock refuses such a lock; the name just has to be one nobody has
		raw = []byte(digest)
	}
	return filepath.Join(c.dir, hex.EncodeToString(raw)+".tgz")
}

// get reads a tarball; absent is (nil, nil).
func (c cache) get(p PinnedTarball) ([]byte, error) {
	data, err := os.ReadFile(c.path(p))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fail(CodeWrite, err, "the cache %s cannot be read; name another with --cache", c.dir)
	}
	return data, nil
}

func (c cache) put(p PinnedTarball, tarball []byte) error {
	return writeWhole(c.path(p), tarball, 0o644)
}
