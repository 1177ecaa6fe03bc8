package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"mvdan.cc/sh/v3/syntax"
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

// glob are the shell options that hold for the word as a pattern.
func (f *field) glob(st *state) shellplan.Glob {
	if f.ext {
		return st.glob | shellplan.GlobExt
	}
	return st.glob
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

// isPattern reports whether a word is a pattern: a lone `[` is none, or the
// command of that name would be one.
func isPattern(raw, mask []byte) bool {
	for i, c := range raw {
		if isMeta(c, mask[i]) && (c != '[' || bytes.IndexByte(raw[i+1:], ']') >= 0) {
			return true
		}
		if isExtended(raw[i:], mask[i:]) {
			return true
		}
	}
	return false
}

// isExtended reports whether an extended operator may start the bytes.
func isExtended(raw, mask []byte) bool {
	return len(raw) > 2 && bytes.IndexByte([]byte("@+!?*"), raw[0]) >= 0 && raw[1] == '(' && mask[0] == shellplan.MaskActive && mask[1] == shellplan.MaskActive &&
		bytes.IndexByte(raw, ')') > 0
}

// startsMeta reports whether an operator starts the word, so that its matches
// may start with anything.
func startsMeta(raw, mask []byte) bool {
	return len(raw) > 0 && len(mask) > 0 && (isMeta(raw[0], mask[0]) || isExtended(raw, mask))
}

func isMeta(c, mask byte) bool {
	return mask == shellplan.MaskActive && (c == '*' || c == '?' || c == '[')
}

type atomKind uint8

// words expands the words of a command line, in order.
func (p *planner) words(list []*syntax.Word, st *state) []field {
	if len(list) > shellplan.MaxCandidates {
		panic(tooLarge{"more words than a plan holds"})
	}
	if p.budget.bytes -= 16 * len(list); p.budget.bytes < 0 { // a function's words count at each call
		panic(tooLarge{"more words than are followed"})
	}
	var out []field
	for _, w := range list {
		out = append(out, p.word(w, st)...)
	}
	return out
}

// word expands one word the way the shell expands an argument: braces, tilde,
// parameters, substitutions, splitting. Pathname expansion is left to the
// establishment: a field says where its pattern characters are.
func (p *planner) word(w *syntax.Word, st *state) []field {
	span := p.span(w)
	if f, ok := p.plainWord(w, span); ok {
		return []field{f}
	}
	atoms := p.atoms(w)
	var out []field
	alternatives := [][]atom{atoms}
	if p.plan.Shell.Dialect != shellplan.DialectDash {
		alternatives = p.braces(atoms)
		if p.plan.Shell.Dialect == shellplan.DialectPosix && len(alternatives) > 1 {
			alternatives = append(alternatives, atoms) // an sh may have none
		}
	}
	assign := p.plan.Shell.Dialect != shellplan.DialectDash && isAssignment(atoms)
	for _, alt := range alternatives {
		if len(alternatives) > 1 && namesRunOn(alt) {
			// Braces are text: $a{b,c} is $ab and $ac.
			why := p.why(shellplan.OpaqueConstruct, span, "a brace expansion runs into the name of a variable; write ${name}")
			out = append(out, field{dyn: why, many: true, text: p.textOf(span), span: span})
			continue
		}
		// A word that braces multiplied reads like an assignment no more.
		alt = p.tildes(alt, st, assign && len(alternatives) == 1, span)
		out = append(out, p.fields(alt, st, span)...)
		if len(out) > shellplan.MaxFields {
			panic(tooLarge{"a word that becomes too many words"})
		}
	}
	return out
}

// plainWord is the everyday case: literal text without anything to expand.
func (p *planner) plainWord(w *syntax.Word, span shellplan.Span) (field, bool) {
	if len(w.Parts) != 1 || len(p.src.moved) > 0 {
		return field{}, false
	}
	switch x := w.Parts[0].(type) {
	case *syntax.Lit:
		for i := range len(x.Value) {
			switch x.Value[i] {
			case '\\', '{', '~', '*', '?', '[':
				return field{}, false
			}
		}
		return field{raw: []byte(x.Value), text: p.textOf(span), span: span}, true
	case *syntax.SglQuoted:
		if !x.Dollar {
			return field{raw: []byte(x.Value), text: p.textOf(span), span: span}, true
		}
	}
	return field{}, false
}
