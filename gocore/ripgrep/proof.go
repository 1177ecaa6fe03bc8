package ripgrep

import "strings"

// Proven reports whether the sidecar that passed Check is known to be ripgrep: it
// came with a package, or it was found to be (Prove). Until then an answer of
// nothing at all may be that of any program.
func (s *Sidecar) Proven() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.packaged() || s.proven != identity{} && s.proven == s.checked
}

// Prove notes that the sidecar that passed Check last has shown to be ripgrep.
func (s *Sidecar) Prove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proven = s.checked
}

// packaged reports whether it came with a package, as its name tells, and was not
// named by somebody who has another.
func (s *Sidecar) packaged() bool { return s.promised || strings.HasSuffix(s.path, Suffix) }

// Advice says what to do about a file that cannot be the sidecar.
func (s *Sidecar) Advice() string {
	if s.packaged() {
		return "reinstall the package"
	}
	return "correct the path that names it (--ripgrep)"
}

// VersionArgs make ripgrep tell its version, and nothing else.
func VersionArgs() []string { return []string{"--no-config", "--version"} }

// IsVersion reports whether a program that says this, asked for its version, is
// ripgrep: "ripgrep 15.0.0 (rev ...)".
func IsVersion(said string) bool {
	fields := strings.Fields(said)
	return len(fields) >= 2 && fields[0] == "ripgrep"
}

// NotRipgrep is the problem of a sidecar that says something else.
func (s *Sidecar) NotRipgrep(said string) *Problem {
	return s.problem("not-ripgrep", nil, "the ripgrep sidecar %s is not ripgrep (asked for its version, it says %s): %s", s.path, quoteShort(said), s.Advice())
}
