package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"mvdan.cc/sh/v3/syntax"
)

// What a text makes of the names a pattern matches, file by file: the last
// component, the name with another ending. Which names come out is not known
// without the file system, but they hold no slash of their own, so the directory
// they are in is.

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

// trimmedName is ${f%.txt}, ${f%.*}, ${f##*/} and ${f#dir/} of a matched name; nil
// for any other.
func trimmedName(s *nameSet, op syntax.ParExpOperator, pat *field) *nameSet {
	if pat == nil || len(pat.raw) == 0 {
		return nil
	}
	literal := pat.mask == nil || !isPattern(pat.raw, pat.mask)
	i := bytes.LastIndexByte(s.word.Raw, '/') + 1
	switch {
	case op == syntax.RemLargePrefix && string(pat.raw) == "*/" && !literal:
		return s.derive(false)
	case (op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix) && literal && i > 0 && bytes.Equal(pat.raw, s.word.Raw[:i]):
		return s.derive(false)
	case (op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix) && literal && bytes.IndexByte(pat.raw, '/') < 0:
		return s.derive(true)
	case op == syntax.RemSmallSuffix && string(pat.raw) == ".*" && !literal:
		// The last component surely has a dot, so nothing before it is cut.
		end := s.word.Raw[bytes.LastIndexAny(s.word.Raw, "*?[]()/")+1:]
		if bytes.IndexByte(end, '.') >= 0 {
			return s.derive(true)
		}
	}
	return nil
}

// derived appends a derived name to the word: what stands before it becomes its
// directory, what comes behind it its ending.
func (b *builder) derived(s *nameSet, quoted bool) {
	if b.match || b.cur.set != nil || b.cur.dyn != nil || isPattern(b.cur.raw, b.cur.mask) {
		b.dynamic(b.p.why(shellplan.OpaqueDynamic, b.span, "the word joins text to names that only the file system knows"), !quoted)
		return
	}
	set := *s
	set.dir = append(bytes.Clone(b.cur.raw), set.dir...)
	set.resplit = set.resplit || !quoted && b.split
	tail := set.tail
	set.tail = nil
	b.cur.raw, b.cur.mask = nil, nil
	b.cur.set, b.has = &set, true
	b.bytes(tail, shellplan.MaskQuoted)
}

// fromDerived makes a candidate of derived names: what may be read are the names
// that are there and fit; what is written may be anything in their directory, two
// levels deep, since the name may be that of a directory.
func (p *planner) fromDerived(i int, f field, c *shellplan.Candidate) bool {
	s := f.set
	if s.resplit || f.pattern || c.Script != "" || len(s.dir) == 0 && !c.OptionSafe || len(s.dir) > 0 && s.dir[0] == '-' && !c.OptionSafe ||
		bytes.IndexByte(f.raw, '/') >= 0 {
		p.opaque(i, shellplan.OpaqueDynamic, f.span, "the word is made of names that only the file system knows")
		return false
	}
	at := bytes.LastIndexByte(s.dir, '/') + 1
	if around := string(s.dir[at:]) + string(f.raw); around != "" && strings.Trim(around, ".") == "" {
		// With nothing left of the name in the middle this is `.` or `..`.
		p.opaque(i, shellplan.OpaqueDynamic, f.span, "the word may be a name of dots alone")
		return false
	}
	if !c.Seat.IsWrite() {
		raw := append(append(bytes.Clone(s.dir), '*'), f.raw...)
		mask := make([]byte, len(raw))
		mask[len(s.dir)] = shellplan.MaskActive
		c.Kind, c.Word = shellplan.KindWord, shellplan.Word{Raw: raw, Mask: mask, Pattern: true, Glob: shellplan.GlobDot}
		return true
	}
	dir := s.dir[:at]
	if at == 0 {
		dir = []byte(".")
	}
	walk := *treeWalk
	walk.MaxDepth = 2
	c.Kind, c.Word, c.Seat, c.Traversal = shellplan.KindWord, shellplan.Word{Raw: bytes.Clone(dir)}, shellplan.SeatTree, &walk
	c.Into, c.Names, c.Redirect, c.Parents, c.NoFollow, c.OptionSafe = nil, nil, nil, false, false, true
	return true
}
