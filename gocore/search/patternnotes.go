package search

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// likeRegex finds what nobody writes who means text: alternatives, quantified
// groups and classes, ranges, flags, anchors. "x[0]" and "f(x)" are none of them.
var likeRegex = lazily(`[.)\]][*+]|[)\]][?{]|\|\w|\w\?\w|\[\^|\[[^\]]*(?:\w-\w|:)[^\]]*\]|\{\d+(?:,\d*)?\}|\(\?|^\^|\w\$$|\)\$$`)

// escapedOnce finds escapes by which other dialects group and repeat.
var escapedOnce = lazily(`\\[(){}+?]`)

// explainPattern tells why a pattern that matched nothing may not mean what was
// written.
func (q *grepQuery) explainPattern(result *GrepResult) {
	pattern := q.req.Pattern
	if strings.Contains(pattern, `\|`) {
		result.note(NoteLiteralPipe, `in this dialect \| is a literal pipe; alternatives are written a|b`)
	}
	if text := ungrouped(pattern); text != "" {
		result.note(NoteLiteralEscape, `in this dialect \( \) \{ \} \+ \? are the characters themselves; to group or repeat, write %s`, text)
		return
	}
	if inner, what := enclosed(pattern); inner != "" {
		result.note(NoteEnclosed, "the %s around the pattern are part of what is searched for; without them it is %s", what, inner)
		return
	}
	text := asText(pattern)
	if text == "" || likeRegex().MatchString(pattern) || matchesItself(pattern) {
		return
	}
	result.note(NoteLiteralText, `as a regular expression the pattern does not match the text that it spells (%s); to search for the text itself, write %s`, whatMeansOther(pattern), text)
}

// ungrouped returns a pattern of a basic regular expression as it is written
// here, or "": "\(foo\)" groups there, and "\+" repeats.
func ungrouped(pattern string) string {
	if len(pattern) > maxQuoted || !escapedOnce().MatchString(pattern) || strings.Contains(pattern, `\\`) {
		return ""
	}
	bare := escapedOnce().ReplaceAllStringFunc(pattern, func(s string) string { return s[1:] })
	if _, err := syntax.Parse(bare, syntax.Perl); err != nil || !grouping().MatchString(pattern) {
		return ""
	}
	return bare
}

// grouping finds escapes in pairs, or behind what can be repeated.
var grouping = lazily(`\\\(.*\\\)|[\w\])]\\[+?]|[\w\])]\\\{\d*,?\d*\\\}`)

// enclosed returns what stands between the delimiters of other languages.
func enclosed(pattern string) (inner, what string) {
	if inner, ok := unquoted(pattern); ok && len(pattern) <= maxQuoted {
		return inner, "quotes"
	}
	bare := strings.TrimRight(pattern, "gimsuy")
	if len(bare) > 2 && len(pattern) <= maxQuoted && bare[0] == '/' && bare[len(bare)-1] == '/' &&
		!strings.Contains(strings.ReplaceAll(bare[1:len(bare)-1], `\/`, ""), "/") {
		return bare[1 : len(bare)-1], "slashes"
	}
	return "", ""
}

// matchesItself reports whether a regular expression finds its own text: where it
// does, and nothing was found, the text is not there.
func matchesItself(pattern string) bool {
	re, err := regexp.Compile(pattern)
	return err != nil || re.MatchString(pattern)
}

// meanings are what characters mean that people write as text.
var meanings = []struct{ chars, means string }{
	{"(", "( and ) group"},
	{"[", "[ and ] hold a set of characters"},
	{"$", "$ matches the end of a line"},
	{"*", "* repeats"},
	{"+", "+ repeats"},
	{"?", "? makes optional"},
	{"{", "{ and } repeat"},
	{"|", "| separates alternatives"},
	{"^", "^ matches the start of a line"},
}

func whatMeansOther(pattern string) string {
	var said []string
	for _, m := range meanings {
		if strings.Contains(pattern, m.chars) {
			said = append(said, m.means)
		}
	}
	return strings.Join(said, ", ")
}

// spanning finds what asks for text over several lines.
var spanning = lazily(`\(\?[a-zA-Z]*s[a-zA-Z]*[:)]|\[\\[sdw]\\[SDW]\][*+{]|\[\\[SDW]\\[sdw]\][*+{]|\(\.\|\\n\)[*+]|\(\?:\.\|\\n\)[*+]`)

// explainReach tells of a pattern that cannot mean what was written, whatever it
// found.
func (q *grepQuery) explainReach(result *GrepResult) {
	pattern := q.req.Pattern
	if !q.req.Multiline && strings.ContainsAny(pattern, "[(") && spanning().MatchString(pattern) {
		result.note(NoteOneLine, "a pattern is matched within one line, so that no part of this one reaches over a line end; search for one of its lines")
	}
	if q.hits > 0 && everyLine(pattern) {
		note := "the pattern also matches nothing at all, and so every line"
		if text := asText(pattern); text != "" {
			note += "; leave the empty alternative or the optional part out, or for the text itself write " + text
		}
		result.note(NoteEveryLine, "%s", note)
	}
}

// everyLine reports whether a pattern matches every line though it is written as
// if it looked for something.
func everyLine(pattern string) bool {
	if len(pattern) > maxQuoted || strings.Trim(pattern, "^$.*") == "" || !strings.ContainsAny(pattern, "|?*{") {
		return false
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return false
	}
	re.Longest()
	return re.MatchString("") && re.MatchString("\x01") && !strings.HasSuffix(pattern, ".*") && !strings.HasPrefix(pattern, ".*")
}

// explainForms tells that a text with accents may be there in the other form.
func (q *grepQuery) explainForms(result *GrepResult) {
	if other, any := composed(q.req.Pattern); any && len(q.req.Pattern) <= maxQuoted {
		form := "accents as characters of their own (NFD)"
		if norm.NFC.IsNormalString(other) {
			form = "letters and accents as one character (NFC)"
		}
		result.note(NoteUnicodeForm, "the text may be there with %s: search for %s, too", form, other)
	}
}
