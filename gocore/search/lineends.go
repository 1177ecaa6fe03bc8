package search

import (
	"regexp"
	"strings"
)

// lineEnd matches either end of a line, as "$" does.
const lineEnd = `(?:\r?\n)`

// asked is the pattern as ripgrep is asked for it, and whether it is plain text.
//
// Over several lines "\n" means the end of a line, and files have two kinds of it:
// what "$" matches before, "\n" matches. Who names a carriage return decides it
// alone.
func (q *grepQuery) asked() (pattern string, literal bool) {
	pattern, literal = q.req.Pattern, q.req.Literal
	if !q.req.Multiline || q.crWhole || strings.Contains(pattern, "\r") {
		return pattern, literal
	}
	if literal {
		if !strings.Contains(pattern, "\n") {
			return pattern, true
		}
		return eitherEnd(regexp.QuoteMeta(pattern)), false
	}
	if strings.Contains(pattern, `\r`) || namedIn(pattern).carriageReturn {
		return pattern, false
	}
	return eitherEnd(pattern), false
}

// leaveLineEnds finds what makes a line end in a pattern mean something else, or
// nothing: white space that is ignored, and text that is quoted.
var leaveLineEnds = lazily(`\(\?[a-zA-Z]*x|\\Q`)

// lineEndsIn finds the ways to write a line end, and what could be mistaken for
// one: other escapes, and sets of characters, in which it stays what it is.
var lineEndsIn = lazily(`\\(?:n|x0[aA]|x\{0*[aA]\})|\n|\\(?s:.)|\[\^?\]?(?:\\(?s:.)|\[:\^?[a-z]+:\]|[^\]\\])*\]`)

// eitherEnd writes a pattern so that its line ends match both kinds.
func eitherEnd(pattern string) string {
	if leaveLineEnds().MatchString(pattern) {
		return pattern
	}
	return lineEndsIn().ReplaceAllStringFunc(pattern, func(found string) string {
		switch found {
		case "\n", `\n`:
			return lineEnd
		}
		if strings.HasPrefix(found, `\x`) && len(found) > 2 {
			return lineEnd
		}
		return found
	})
}
