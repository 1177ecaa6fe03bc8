package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// field is one word of an expanded command line.
type field struct {
	raw, mask []byte
	pattern   bool              // an active byte is a pattern operator
	ext       bool              // the text spells an extended operator, so extglob is on or nothing runs
	dyn       *shellplan.Opaque // a part of the word is not known; raw is what stands before it
	many      bool              // stands for any number of words, none included
	set       *nameSet          // one name of a set; raw is a suffix to it
	num       bool              // what is not known is an integer and nothing else
	pipe      bool              // the name of a process substitution
	bad       *shellplan.Opaque // a pattern that is not modelled
	text      []byte            // as the source spells it
	span      shellplan.Span
}

// lit is a field from known text in which nothing is a pattern.
func lit(b []byte, span shellplan.Span) field { return field{raw: b, text: b, span: span} }

// str is the word as text when it is plainly known.
func (f *field) str() (string, bool) {
	if f.dyn != nil || f.many || f.set != nil || f.pattern || f.pipe {
		return "", false
	}
	return string(f.raw), true
}

// mayBeOption reports whether the word can start with a dash.
func (f *field) mayBeOption() bool {
	if len(f.raw) > 0 && f.set == nil {
		return f.raw[0] == '-' || f.pattern && startsMeta(f.raw, f.mask)
	}
	if f.set != nil {
		return !f.set.prefixed
	}
	return f.dyn != nil
}

// from is the part of a word behind the first n bytes.
func (f field) from(n int) field {
	g := f
	g.raw = f.raw[n:]
	g.pattern = false
	if f.mask != nil {
		g.mask = f.mask[n:]
		g.pattern = isPattern(g.raw, g.mask)
	}
	if len(g.raw) == 0 && f.dyn != nil {
		g.raw = nil
	}
	return g
}

// endsInSlash: expanding such a pattern looks through links; expanding any other
// one looks at the names alone.
func endsInSlash(raw []byte) bool { return len(raw) > 0 && raw[len(raw)-1] == '/' }

func first(args []field) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	return args[0].str()
}

func fieldsOf(list []operand) []field {
	out := make([]field, 0, len(list))
	for _, o := range list {
		out = append(out, o.field)
	}
	return out
}
