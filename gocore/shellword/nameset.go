package shellword

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// NameSet stands for a name among those a pattern matches, a walk finds or a
// listing prints. It is bound to the directory it was taken in.
type NameSet struct {
	Word      shellplan.Word       // the pattern, or the root of the walk
	Chdir     []shellplan.CwdStep  // on top of the directory
	Traversal *shellplan.Traversal // nil for a pattern
	CwdKey    string               // the directory the names are relative to
	Prefixed  bool                 // the names carry a literal prefix that is no dash
	Resplit   bool                 // the names were read again as words
	Bare      bool                 // names without their directory (ls): word is `*`
	// Derived: a text made of such a name that holds no further slash. dir
	// is what stands before it, tail what stands behind it; see derived.go.
	Derived   bool
	Dir, Tail []byte
	Text      []byte // how the source spells it
	Span      shellplan.Span
}

// Literal is the name when the set is one plain word.
func (s *NameSet) Literal() ([]byte, bool) {
	if s.Word.Pattern || s.Traversal != nil || s.Bare || len(s.Chdir) > 0 {
		return nil, false
	}
	return s.Word.Raw, true
}

func (s *NameSet) Match() *shellplan.Word {
	if s.Traversal == nil {
		return nil
	}
	return s.Traversal.Match
}

// Derive is the part of a matched name behind its last slash, cut or not; with
// keep the directory stands before it. nil when it could hold a slash or be a
// name like `..`.
func (s *NameSet) Derive(keep bool) *NameSet {
	w := &s.Word
	if !w.Pattern || s.Traversal != nil || s.Bare || s.Derived || s.Resplit || len(s.Chdir) > 0 || len(w.Mask) != len(w.Raw) {
		return nil
	}
	i := bytes.LastIndexByte(w.Raw, '/') + 1
	last := w.Raw[i:]
	if w.Glob.Has(shellplan.GlobDot) || w.Glob.Has(shellplan.GlobExt) || bytes.IndexByte(last, '(') >= 0 {
		return nil // the name could start with a dot
	}
	if len(last) == 0 || last[0] == '.' || !endsPlainly(last[len(last)-1]) {
		return nil
	}
	out := &NameSet{Derived: true, Text: s.Text, Span: s.Span}
	if keep {
		if IsPattern(w.Raw[:i], w.Mask[:i]) {
			return nil
		}
		out.Dir = bytes.Clone(w.Raw[:i])
	}
	return out
}
