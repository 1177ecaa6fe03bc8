package planner

import (
	"bytes"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// atom is a byte of a word or an expansion in it, before any expansion.
type atom struct {
	part syntax.WordPart   // atomPart, atomQuotedPart
	why  *shellplan.Opaque // atomPart without a part: not known
	c    byte
	kind atomKind
}

const (
	atomPlain      atomKind = iota // an unquoted byte
	atomQuoted                     // a quoted byte
	atomEmpty                      // "" or ''
	atomPart                       // an unquoted expansion
	atomQuotedPart                 // an expansion in double quotes
)

// atoms flattens a word.
func (p *planner) atoms(w *syntax.Word) []atom {
	var out []atom
	for _, part := range w.Parts {
		out = p.atomsOf(out, part)
	}
	return out
}

func (p *planner) atomsOf(out []atom, part syntax.WordPart) []atom {
	switch x := part.(type) {
	case *syntax.Lit:
		b := p.src.Bytes(x.Value)
		for i := 0; i < len(b); i++ {
			if b[i] == '\\' && i+1 < len(b) {
				i++
				if b[i] != '\n' {
					out = append(out, atom{c: b[i], kind: atomQuoted})
				}
				continue
			}
			out = append(out, atom{c: b[i], kind: atomPlain})
		}
	case *syntax.SglQuoted:
		b := p.src.Bytes(x.Value)
		if x.Dollar {
			b = shellword.AnsiC(b)
		}
		if len(b) == 0 {
			out = append(out, atom{kind: atomEmpty})
		}
		for _, c := range b {
			out = append(out, atom{c: c, kind: atomQuoted})
		}
	case *syntax.DblQuoted:
		if len(x.Parts) == 0 {
			out = append(out, atom{kind: atomEmpty})
		}
		for _, q := range x.Parts {
			if l, ok := q.(*syntax.Lit); ok {
				b := p.src.Bytes(l.Value)
				if len(b) == 0 {
					out = append(out, atom{kind: atomEmpty})
				}
				for i := 0; i < len(b); i++ {
					if b[i] == '\\' && i+1 < len(b) && bytes.IndexByte([]byte("$`\"\\\n"), b[i+1]) >= 0 {
						if i++; b[i] == '\n' {
							continue
						}
					}
					out = append(out, atom{c: b[i], kind: atomQuoted})
				}
				continue
			}
			out = append(out, atom{part: q, kind: atomQuotedPart})
		}
	default:
		out = append(out, atom{part: part, kind: atomPart})
	}
	return out
}

// isAssignment reports whether the atoms read like NAME=..., which bash expands
// a tilde in even as an argument.
func isAssignment(a []atom) bool {
	for i, x := range a {
		if x.kind != atomPlain {
			return false
		}
		switch {
		case x.c == '=':
			return i > 0
		case x.c == '_' || x.c >= 'a' && x.c <= 'z' || x.c >= 'A' && x.c <= 'Z':
		case x.c >= '0' && x.c <= '9' && i > 0:
		default:
			return false
		}
	}
	return false
}

// namesRunOn reports whether a letter of the word follows a $name without
// braces, which only a brace expansion can bring about.
func namesRunOn(a []atom) bool {
	for i := 1; i < len(a); i++ {
		x, ok := a[i-1].part.(*syntax.ParamExp)
		if !ok || !x.Short || x.Param == nil || !syntax.ValidName(x.Param.Value) || a[i-1].kind != atomPart {
			continue
		}
		if c := a[i].c; a[i].kind == atomPlain && (shellword.IsLetter(c) || c == '_' || c == '[' || c >= '0' && c <= '9') {
			return true
		}
	}
	return false
}
