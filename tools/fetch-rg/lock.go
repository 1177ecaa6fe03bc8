package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
)

//go:embed rg.lock.json
var embeddedLock []byte

// Lock is rg.lock.json: which release of the ripgrep packages we ship, and the
// exact bytes that we reviewed. The registry's own word is never enough; bytes
// that differ from the lock are refused.
type Lock struct {
	// PackageVersion is the npm version, one for all platforms.
	PackageVersion string `json:"packageVersion"`
	// RipgrepVersion is what `rg --version` of that release prints.
	RipgrepVersion string            `json:"ripgrepVersion"`
	Packages       map[string]Pinned `json:"packages"`
}

// Pinned are the digests for one platform's package.
type Pinned struct {
	Tarball PinnedTarball `json:"tarball"`
	Rg      PinnedFile    `json:"rg"`
}

// PinnedTarball is the package as the registry serves it. Integrity has npm's
// form: "sha512-" and the digest in base64.
type PinnedTarball struct {
	Size      int64  `json:"size"`
	Integrity string `json:"integrity"`
}

// PinnedFile is the executable inside: size in bytes, sha256 in hex.
type PinnedFile struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// parseLock decodes and checks a lock; a lock with a malformed digest is an
// error here, not a mismatch later.
func parseLock(data []byte) (Lock, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var lock Lock
	if err := dec.Decode(&lock); err != nil {
		return Lock{}, fail(CodeLock, err, "rg.lock.json cannot be read")
	}
	if lock.PackageVersion == "" || lock.RipgrepVersion == "" {
		return Lock{}, fail(CodeLock, nil, "rg.lock.json names no packageVersion or no ripgrepVersion")
	}
	for name, p := range lock.Packages {
		digest, ok := strings.CutPrefix(p.Tarball.Integrity, "sha512-")
		raw, err := base64.StdEncoding.DecodeString(digest)
		if !ok || err != nil || len(raw) != sha512.Size || p.Tarball.Size <= 0 {
			return Lock{}, fail(CodeLock, err, "rg.lock.json: %s: tarball needs a size and an integrity of the form sha512-<base64>", name)
		}
		sum, err := hex.DecodeString(p.Rg.SHA256)
		if err != nil || len(sum) != sha256.Size || p.Rg.Size <= 0 {
			return Lock{}, fail(CodeLock, err, "rg.lock.json: %s: rg needs a size and a sha256 of 64 hex digits", name)
		}
	}
	return lock, nil
}

// pinned finds a package's digests.
func (l Lock) pinned(npmPackage string) (Pinned, error) {
	p, ok := l.Packages[npmPackage]
	if !ok {
		return Pinned{}, fail(CodeLock, nil, "rg.lock.json has no entry for %s; run with --update VERSION and review the change", npmPackage)
	}
	return p, nil
}

// pin describes bytes at hand, for a new lock.
func pin(tarball, rg []byte) Pinned {
	t, r := sha512.Sum512(tarball), sha256.Sum256(rg)
	return Pinned{
		Tarball: PinnedTarball{Size: int64(len(tarball)), Integrity: integrity(t)},
		Rg:      PinnedFile{Size: int64(len(rg)), SHA256: hex.EncodeToString(r[:])},
	}
}

func integrity(sum [sha512.Size]byte) string {
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// verify compares a tarball with its pin.
func (p PinnedTarball) verify(tarball []byte, what string) error {
	if got := integrity(sha512.Sum512(tarball)); got != p.Integrity {
		return fail(CodeTarballDiffers, nil,
			"%s is not the package that rg.lock.json pins: its digest is %s (%d bytes), the lock says %s (%d bytes); nothing was written",
			what, got, len(tarball), p.Integrity, p.Size)
	}
	return nil
}

// verify compares the executable with its pin.
func (p PinnedFile) verify(rg []byte, what string) error {
	sum := sha256.Sum256(rg)
	if got := hex.EncodeToString(sum[:]); got != p.SHA256 || int64(len(rg)) != p.Size {
		return fail(CodeMemberDiffers, nil,
			"%s in %s is not the executable that rg.lock.json pins: sha256 %s (%d bytes), the lock says %s (%d bytes); nothing was written",
			memberPath, what, got, len(rg), p.SHA256, p.Size)
	}
	return nil
}
