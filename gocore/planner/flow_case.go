package planner

import (
	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// caseClause walks every branch that the word can reach: which one matches is
// decided only when word and patterns are plain text.
//
// Bash manual, "Conditional Constructs": `;&` goes on with the next branch,
// `;;&` tests the next patterns.
func (p *planner) caseClause(c *syntax.CaseClause, st *state) flow {
	var word shellword.Value
	p.split(st, func(st *state) flow {
		word = p.oneWord(c.Word, st)
		for _, item := range c.Items {
			for _, pat := range item.Patterns {
				p.oneWord(pat, st) // for the substitutions in it
			}
		}
		return flow{st, st}
	})
	var end flow
	through := (*state)(nil)
	left := st
	for _, item := range c.Items {
		verdict := shellword.MayMatch
		if word.Kind == shellword.ValueText {
			verdict = p.caseMatches(word.Text, item.Patterns, st)
		}
		entry := through
		if verdict != shellword.NoMatch {
			entry = join(entry, left.clone())
		}
		through = nil
		if entry != nil {
			p.maybe(func() {
				e := p.stmts(item.Stmts, entry.clone())
				switch item.Op {
				case syntax.Fallthrough:
					through = e.any()
				case syntax.Resume:
					left = join(left, e.any())
				}
				end = flow{join(end.ok, e.ok), join(end.ko, e.ko)}
			})
		}
		if verdict == shellword.Matches && item.Op == syntax.Break {
			return end
		}
	}
	end.ok = join(end.ok, left)
	return end
}

// caseMatches decides a branch whose patterns are plain literals.
func (p *planner) caseMatches(word []byte, patterns []*syntax.Word, st *state) shellword.Match {
	verdict := shellword.NoMatch
	for _, pat := range patterns {
		fields := p.patternField(pat, st)
		if fields == nil {
			verdict = shellword.MayMatch
			continue
		}
		p.budget.match(fields.Raw, word)
		switch shellword.MatchText(fields.Raw, fields.Mask, word) {
		case shellword.Matches:
			return shellword.Matches
		case shellword.MayMatch:
			verdict = shellword.MayMatch
		}
	}
	return verdict
}
