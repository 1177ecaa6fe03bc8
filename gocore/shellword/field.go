package shellword

import "github.com/hydraharness/harness-runtime/gocore/shellplan"

// Field is one word of an expanded command line.
type Field struct {
	Raw, Mask []byte
	Pattern   bool              // an active byte is a pattern operator
	Ext       bool              // the text spells an extended operator, so extglob is on or nothing runs
	Dyn       *shellplan.Opaque // a part of the word is not known; raw is what stands before it
	Many      bool              // stands for any number of words, none included
	Set       *NameSet          // one name of a set; raw is a suffix to it
	Num       bool              // what is not known is an integer and nothing else
	Pipe      bool              // the name of a process substitution
	Bad       *shellplan.Opaque // a pattern that is not modelled
	Text      []byte            // as the source spells it
	Span      shellplan.Span
}

// Literal is a field from known text in which nothing is a pattern.
func Literal(b []byte, span shellplan.Span) Field { return Field{Raw: b, Text: b, Span: span} }

// Plain is the word as text when it is plainly known.
func (f *Field) Plain() (string, bool) {
	if f.Dyn != nil || f.Many || f.Set != nil || f.Pattern || f.Pipe {
		return "", false
	}
	return string(f.Raw), true
}

// MayBeOption reports whether the word can start with a dash.
func (f *Field) MayBeOption() bool {
	if len(f.Raw) > 0 && f.Set == nil {
		return f.Raw[0] == '-' || f.Pattern && StartsMeta(f.Raw, f.Mask)
	}
	if f.Set != nil {
		return !f.Set.Prefixed
	}
	return f.Dyn != nil
}

// From is the part of a word behind the first n bytes.
func (f Field) From(n int) Field {
	g := f
	g.Raw = f.Raw[n:]
	g.Pattern = false
	if f.Mask != nil {
		g.Mask = f.Mask[n:]
		g.Pattern = IsPattern(g.Raw, g.Mask)
	}
	if len(g.Raw) == 0 && f.Dyn != nil {
		g.Raw = nil
	}
	return g
}

// EndsInSlash: expanding such a pattern looks through links; expanding any other
// one looks at the names alone.
func EndsInSlash(raw []byte) bool { return len(raw) > 0 && raw[len(raw)-1] == '/' }

func First(args []Field) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	return args[0].Plain()
}
