package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"mvdan.cc/sh/v3/syntax"
)

// globOf are the shell options that hold for the word as a pattern.
func (st *state) globOf(f *field) shellplan.Glob {
	if f.ext {
		return st.glob | shellplan.GlobExt
	}
	return st.glob
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
