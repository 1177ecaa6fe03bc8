package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// nameSet stands for a name among those a pattern matches, a walk finds or a
// listing prints. It is bound to the directory it was taken in.
type nameSet struct {
	word      shellplan.Word       // the pattern, or the root of the walk
	chdir     []shellplan.CwdStep  // on top of the directory
	traversal *shellplan.Traversal // nil for a pattern
	cwdKey    string               // the directory the names are relative to
	prefixed  bool                 // the names carry a literal prefix that is no dash
	resplit   bool                 // the names were read again as words
	bare      bool                 // names without their directory (ls): word is `*`
	// derived: a text made of such a name that holds no further slash. dir
	// is what stands before it, tail what stands behind it; see derived.go.
	derived   bool
	dir, tail []byte
	text      []byte // how the source spells it
	span      shellplan.Span
}

// literal is the name when the set is one plain word.
func (s *nameSet) literal() ([]byte, bool) {
	if s.word.Pattern || s.traversal != nil || s.bare || len(s.chdir) > 0 {
		return nil, false
	}
	return s.word.Raw, true
}

func (s *nameSet) match() *shellplan.Word {
	if s.traversal == nil {
		return nil
	}
	return s.traversal.Match
}

// derive is the part of a matched name behind its last slash, cut or not; with
// keep the directory stands before it. nil when it could hold a slash or be a
// name like `..`.
func (s *nameSet) derive(keep bool) *nameSet {
	w := &s.word
	if !w.Pattern || s.traversal != nil || s.bare || s.derived || s.resplit || len(s.chdir) > 0 || len(w.Mask) != len(w.Raw) {
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
	out := &nameSet{derived: true, text: s.text, span: s.span}
	if keep {
		if isPattern(w.Raw[:i], w.Mask[:i]) {
			return nil
		}
		out.dir = bytes.Clone(w.Raw[:i])
	}
	return out
}

func endsPlainly(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' || c == '~' }
