package planner

import (
	"bytes"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// What a text makes of the names a pattern matches, file by file: the last
// component, the name with another ending. Which names come out is not known
// without the file system, but they hold no slash of their own, so the directory
// they are in is.

// trimmedName is ${f%.txt}, ${f%.*}, ${f##*/} and ${f#dir/} of a matched name; nil
// for any other.
func trimmedName(s *shellword.NameSet, op syntax.ParExpOperator, pat *shellword.Field) *shellword.NameSet {
	if pat == nil || len(pat.Raw) == 0 {
		return nil
	}
	literal := pat.Mask == nil || !shellword.IsPattern(pat.Raw, pat.Mask)
	i := bytes.LastIndexByte(s.Word.Raw, '/') + 1
	switch {
	case op == syntax.RemLargePrefix && string(pat.Raw) == "*/" && !literal:
		return s.Derive(false)
	case (op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix) && literal && i > 0 && bytes.Equal(pat.Raw, s.Word.Raw[:i]):
		return s.Derive(false)
	case (op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix) && literal && bytes.IndexByte(pat.Raw, '/') < 0:
		return s.Derive(true)
	case op == syntax.RemSmallSuffix && string(pat.Raw) == ".*" && !literal:
		// The last component surely has a dot, so nothing before it is cut.
		end := s.Word.Raw[bytes.LastIndexAny(s.Word.Raw, "*?[]()/")+1:]
		if bytes.IndexByte(end, '.') >= 0 {
			return s.Derive(true)
		}
	}
	return nil
}

// derived appends a derived name to the word: what stands before it becomes its
// directory, what comes behind it its ending.
func (b *builder) derived(s *shellword.NameSet, quoted bool) {
	if b.match || b.cur.Set != nil || b.cur.Dyn != nil || shellword.IsPattern(b.cur.Raw, b.cur.Mask) {
		b.dynamic(b.p.why(shellplan.OpaqueDynamic, b.span, "the word joins text to names that only the file system knows"), !quoted)
		return
	}
	set := *s
	set.Dir = append(bytes.Clone(b.cur.Raw), set.Dir...)
	set.Resplit = set.Resplit || !quoted && b.split
	tail := set.Tail
	set.Tail = nil
	b.cur.Raw, b.cur.Mask = nil, nil
	b.cur.Set, b.has = &set, true
	b.bytes(tail, shellplan.MaskQuoted)
}

// fromDerived makes a candidate of derived names: what may be read are the names
// that are there and fit; what is written may be anything in their directory, two
// levels deep, since the name may be that of a directory.
func (p *planner) fromDerived(i int, f shellword.Field, c *shellplan.Candidate) bool {
	s := f.Set
	if s.Resplit || f.Pattern || c.Script != "" || len(s.Dir) == 0 && !c.OptionSafe || len(s.Dir) > 0 && s.Dir[0] == '-' && !c.OptionSafe ||
		bytes.IndexByte(f.Raw, '/') >= 0 {
		p.opaque(i, shellplan.OpaqueDynamic, f.Span, "the word is made of names that only the file system knows")
		return false
	}
	at := bytes.LastIndexByte(s.Dir, '/') + 1
	if around := string(s.Dir[at:]) + string(f.Raw); around != "" && strings.Trim(around, ".") == "" {
		// With nothing left of the name in the middle this is `.` or `..`.
		p.opaque(i, shellplan.OpaqueDynamic, f.Span, "the word may be a name of dots alone")
		return false
	}
	if !c.Access.IsWrite() {
		raw := append(append(bytes.Clone(s.Dir), '*'), f.Raw...)
		mask := make([]byte, len(raw))
		mask[len(s.Dir)] = shellplan.MaskActive
		c.Kind, c.Word = shellplan.KindWord, shellplan.Word{Raw: raw, Mask: mask, Pattern: true, Glob: shellplan.GlobDot}
		return true
	}
	dir := s.Dir[:at]
	if at == 0 {
		dir = []byte(".")
	}
	walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksOpen, Hidden: true, MaxDepth: 2}
	c.Kind, c.Word, c.Access, c.Traversal = shellplan.KindWord, shellplan.Word{Raw: bytes.Clone(dir)}, shellplan.AccessTree, walk
	c.Into, c.Names, c.Redirect, c.Parents, c.NoFollow, c.OptionSafe = nil, nil, nil, false, false, true
	return true
}
