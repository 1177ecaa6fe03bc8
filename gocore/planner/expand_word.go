package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// globOf are the shell options that hold for the word as a pattern.
func (st *state) globOf(f *shellword.Field) shellplan.Glob {
	if f.Ext {
		return st.glob | shellplan.GlobExt
	}
	return st.glob
}

type atomKind uint8

// words expands the words of a command line, in order.
//
// Bash manual, "Simple Command Expansion": words that are neither assignments
// nor redirections are expanded first, from left to right.
func (p *planner) words(list []*syntax.Word, st *state) []shellword.Field {
	if len(list) > shellplan.MaxCandidates {
		panic(tooLarge{"more words than a plan holds"})
	}
	if p.budget.bytes -= 16 * len(list); p.budget.bytes < 0 { // a function's words count at each call
		panic(tooLarge{"more words than are followed"})
	}
	var out []shellword.Field
	for _, w := range list {
		fields := p.word(w, st)
		p.budget.spend(costField * len(fields))
		out = append(out, fields...)
	}
	return out
}

// word expands one word the way the shell expands an argument: braces, tilde,
// parameters, substitutions, splitting. Pathname expansion is left to the
// establishment: a field says where its pattern characters are.
func (p *planner) word(w *syntax.Word, st *state) []shellword.Field {
	span := p.span(w)
	if f, ok := p.plainWord(w, span); ok {
		return []shellword.Field{f}
	}
	atoms := p.atoms(w)
	var out []shellword.Field
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
			out = append(out, shellword.Field{Dyn: why, Many: true, Text: p.textOf(span), Span: span})
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
func (p *planner) plainWord(w *syntax.Word, span shellplan.Span) (shellword.Field, bool) {
	if len(w.Parts) != 1 || !p.src.Exact() {
		return shellword.Field{}, false
	}
	switch x := w.Parts[0].(type) {
	case *syntax.Lit:
		for i := range len(x.Value) {
			switch x.Value[i] {
			case '\\', '{', '~', '*', '?', '[':
				return shellword.Field{}, false
			}
		}
		return shellword.Field{Raw: []byte(x.Value), Text: p.textOf(span), Span: span}, true
	case *syntax.SglQuoted:
		if !x.Dollar {
			return shellword.Field{Raw: []byte(x.Value), Text: p.textOf(span), Span: span}, true
		}
	}
	return shellword.Field{}, false
}
