package search

import (
	"regexp"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// What ripgrep says of a pattern that its default engine cannot run and PCRE2
// can. Nothing else is tried again: PCRE2 reads "\x00", "a{2" or "one\ntwo" as
// something that never matches, a silent empty answer.
const (
	saysLookAround     = "look-around, including look-ahead and look-behind, is not supported"
	saysBackReferences = "backreferences are not supported"
)

// rejected reports whether ripgrep refused the pattern: it then stops before
// the search, and writes no event and no summary, whatever its words are. What
// the system said is not about a pattern.
func (q *scan) rejected(end *ending) bool {
	diag := end.diagnostics
	return end.exit == ripgrep.ExitError && diag.Other && !diag.System && diag.Entries() == 0 &&
		!q.events.Summary && q.events.Paths == 0
}

// needsPCRE2 reports whether ripgrep rejected the pattern because it names
// look-around or back-references.
func needsPCRE2(end *ending, q *scan) bool {
	if q.pcre2 || !q.rejected(end) || strings.ContainsAny(q.req.Pattern, "\r\n") {
		return false // a line end could spell ripgrep's words
	}
	said := end.diagnostics.Rejected
	return said == saysLookAround || said == saysBackReferences
}

// rejection is why a pattern is refused and what to do about it.
type rejection struct{ reason, advice string }

var (
	needsLineEnd = &rejection{
		"a pattern matches within one line, and this one needs a line end",
		"search for one of its lines, or from code set multiline",
	}
	needsNUL = &rejection{"files with NUL bytes are binary and not searched", "leave the NUL out"}
	tooLarge = &rejection{"the compiled pattern is too large", "use smaller repetition counts"}
)

// escapes finds the escapes of a regular expression that stand for a line end
// or a NUL, and those that could be mistaken for one.
var escapes = regexp.MustCompile(`\\(?:(n|R|x0[aA]|x\{0*[aA]\}|012|c[jJ])|(x00|x\{0+\}|0)|(?s:.))|\[\^?\]?(?:\\(?s:.)|[^\]\\])*\]`)

// neverInPCRE2 tells why a pattern, which the default engine did not get to
// judge, can match nothing: PCRE2 does not say so. Inside brackets other
// characters are in the set, too.
func neverInPCRE2(pattern string, multiline bool) *rejection {
	for _, m := range escapes.FindAllStringSubmatch(pattern, -1) {
		switch {
		case m[1] != "" && !multiline:
			return needsLineEnd
		case m[2] != "":
			return needsNUL
		}
	}
	return nil
}

// invalid explains a rejected pattern and says what to write instead. A nil why
// is what ripgrep says.
func (q *scan) invalid(end *ending, why *rejection) *Error {
	head := end.stderr.Head()
	details := Details{Stderr: end.stderrText(), ExitCode: end.exit}
	switch {
	case why != nil:
	case strings.HasPrefix(head, `rg: the literal "\n" is not allowed`):
		why = needsLineEnd
	case strings.HasPrefix(head, `rg: pattern contains "\0"`):
		why = needsNUL
	case strings.HasPrefix(head, "rg: compiled regex exceeds size limit"):
		why = tooLarge
	default:
		why = &rejection{end.diagnostics.Rejected, "correct it, or escape the characters that are meant literally"}
		if why.reason == "" {
			why.reason = firstLine(strings.TrimPrefix(head, "rg: "))
		}
		if text := asText(q.req.Pattern); text != "" {
			details.Suggestion = text
			why.advice = "to search for the text itself, write " + text
		}
	}
	return fail(InvalidPattern, details, nil, "ripgrep rejected the pattern %s: %s; %s", quote(q.req.Pattern), why.reason, why.advice)
}

// asText escapes a pattern that was likely meant as text, or returns "": one
// with a backslash was written as a regular expression.
func asText(pattern string) string {
	text := regexp.QuoteMeta(pattern)
	if text == pattern || len(text) > maxQuoted || strings.ContainsAny(pattern, "\\\r\n") {
		return ""
	}
	return text
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(strings.TrimSpace(line), ":")
}
