package ripgrep

import (
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/bundle"
)

// promise is what the manifest of a wheel says of the sidecar. The zero value is
// that of a build outside a wheel, which promises nothing.
type promise struct {
	size   int64
	sha256 string
	broken error // why the manifest cannot be used
}

// readPromise reads the manifest that lies beside the sidecar at path.
func readPromise(path string) promise {
	m, err := bundle.Beside(path)
	if m == nil && err == nil {
		return promise{}
	}
	var file bundle.File
	if err == nil {
		file, err = m.File(path)
	}
	if err != nil {
		return promise{broken: fmt.Errorf("the manifest %w: reinstall the package", err)}
	}
	return promise{size: file.Size, sha256: file.SHA256}
}

// checkBytes compares the file in the state id with what was promised, or with
// what was there when the sidecar was named.
func (s *Sidecar) checkBytes(id identity) error {
	if !s.promised && (s.named == identity{} || s.named.sameBytes(id)) {
		return nil
	}
	if s.promised && s.promise.broken != nil {
		return s.problem("manifest", s.promise.broken, "%v", s.promise.broken)
	}
	if s.promised && s.promise == (promise{}) {
		return nil
	}
	digest, err := bundle.SHA256(s.path)
	switch {
	case err != nil:
		return s.problem("digest", err, "the ripgrep sidecar %s cannot be read: %v", s.path, err)
	case id.size == s.promise.size && digest == s.promise.sha256:
		return nil
	case !s.promised:
		return s.problem("replaced", nil, "the ripgrep sidecar %s was replaced while this runtime runs (by an upgrade?): start the runtime again", s.path)
	}
	return s.problem("digest", nil, "the ripgrep sidecar %s is not the one this package was built with (sha256 %.12s..., expected %.12s...): reinstall the package, or start the runtime again if it was just upgraded",
		s.path, digest, s.promise.sha256)
}

// sameBytes reports whether both are states of one file whose content nobody
// wrote to in between; the mode may have been mended, and a link made or taken away,
// which both count as a change.
func (id identity) sameBytes(other identity) bool {
	id.mode, id.ctimeNano = other.mode, other.ctimeNano
	return id == other
}
