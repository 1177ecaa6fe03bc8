package trigram

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Pattern is what a search looks for.
type Pattern struct {
	Text string
	// Literal takes the text as it is, Insensitive does not tell the case of
	// letters (nor has to be exact: where it may not, it does not).
	Literal, Insensitive bool
}

// The two characters beyond ASCII that fold to a letter of it.
const (
	kelvin = '\u212a'
	longS  = '\u017f'
)

// Plan is what a text with a match fulfils.
type Plan struct {
	Condition *Condition
	// Folds is set where a letter may match one that is not ASCII: texts with such
	// letters (Text.Folds) fulfil the plan whatever the condition says.
	Folds bool
}

// All reports whether the plan tells no text from another.
func (p Plan) All() bool { return p.Condition.All() }

// Make returns the plan of a pattern.
func Make(p Pattern) Plan {
	all := Plan{Condition: everything}
	if !utf8.ValidString(p.Text) || strings.ContainsAny(p.Text, "\n\r\x00\ufffd") {
		return all // U+FFFD: what is not UTF-8 becomes it, in texts with a byte order mark
	}
	if p.Literal {
		return Plan{literal([]rune(p.Text), p.Insensitive).condition(), p.Insensitive}
	}
	text, ok := rewrite(p.Text)
	if !ok {
		return all
	}
	flags := syntax.Perl &^ syntax.OneLine
	if p.Insensitive {
		flags |= syntax.FoldCase
	}
	re, err := syntax.Parse(text, flags)
	if err != nil {
		return all
	}
	pl := planner{fold: p.Insensitive || strings.Contains(text, "(?")}
	return Plan{pl.of(re).condition(), pl.fold}
}

const (
	// maxSet is how many strings stand for a part of an expression.
	maxSet = 24
	// maxCross is how many are joined at once, for their condition alone.
	maxCross = 4 * maxSet
	// maxClass is the largest class of characters that is spelled out.
	maxClass = 12
	// maxExact is the longest string that is kept whole among others, maxEnd the
	// longest that is kept of its start and its end.
	maxExact, maxEnd = 64, 5
	// maxCopies is how often a repeated part is written out.
	maxCopies = 8
)

// part is what is known of the text that a part of an expression matches: it is one
// of exact, when that is not nil; else it starts with one of start, ends with one of
// end, and fulfils needs.
type part struct {
	exact, start, end []string
	needs             *Condition
}

func anything() part           { return part{start: []string{""}, end: []string{""}, needs: everything} }
func exactly(s ...string) part { return part{exact: s, needs: everything} }

func (p part) condition() *Condition {
	if p.exact != nil {
		return ofAny(p.exact)
	}
	return both(p.needs, both(ofAny(p.start), ofAny(p.end)))
}

func literal(runes []rune, fold bool) part {
	all := exactly("")
	for _, r := range runes {
		all = join(all, character(r, fold))
	}
	return all
}

// character is one character. Where case is folded it may be any but for ASCII.
func character(r rune, fold bool) part {
	switch {
	case r == utf8.RuneError || !utf8.ValidRune(r), fold && r >= utf8.RuneSelf:
		return anything()
	case fold && ('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'):
		return exactly(string(r&^0x20), string(r|0x20))
	}
	return exactly(string(r))
}

// planner reads one expression. fold is set when case may be folded in some part.
type planner struct{ fold bool }

// of returns what is known of an expression.
func (p planner) of(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return exactly("")
	case syntax.OpLiteral:
		return literal(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		return p.class(re.Rune)
	case syntax.OpCapture:
		return p.of(re.Sub[0])
	case syntax.OpQuest:
		return alternative(exactly(""), p.of(re.Sub[0]))
	case syntax.OpPlus:
		return join(p.of(re.Sub[0]).open(), anything())
	case syntax.OpRepeat:
		return p.repeat(re)
	case syntax.OpConcat:
		all := exactly("")
		for _, sub := range re.Sub {
			all = join(all, p.of(sub))
		}
		return all
	case syntax.OpAlternate:
		all := p.of(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			all = alternative(all, p.of(sub))
		}
		return all
	}
	return anything()
}

func (p planner) repeat(re *syntax.Regexp) part {
	if re.Min == 0 {
		if re.Max == 1 {
			return alternative(exactly(""), p.of(re.Sub[0]))
		}
		return anything()
	}
	one := p.of(re.Sub[0])
	all := one
	for range min(re.Min, maxCopies) - 1 {
		all = join(all, one)
	}
	if re.Min == re.Max && re.Min <= maxCopies {
		return all
	}
	return join(all.open(), anything())
}

// class is a set of characters, given by ranges.
func (p planner) class(ranges []rune) part {
	var set []string
	for i := 0; i < len(ranges); i += 2 {
		from, to := ranges[i], ranges[i+1]
		if int(to-from) >= maxClass || p.fold && to >= utf8.RuneSelf && from != kelvin && from != longS || from <= utf8.RuneError && utf8.RuneError <= to {
			return anything()
		}
		for r := from; r <= to; r++ {
			set = append(set, string(r))
		}
	}
	if len(set) == 0 || len(set) > maxClass {
		return anything()
	}
	return exactly(unique(set)...)
}
