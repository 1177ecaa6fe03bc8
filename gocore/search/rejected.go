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
	// saysCarriageReturn begins the refusal of a pattern that names a carriage
	// return while that is part of a line end.
	saysCarriageReturn = `rg: the literal "\r" is not allowed`
)

// rejected reports whether ripgrep refused the pattern: it then stops before
// the search, and writes no event and no summary, whatever its words are. What
// the system said is not about a pattern.
func (q *grepQuery) rejected(end *ending) bool {
	diag := end.diagnostics
	return end.exit == ripgrep.ExitError && diag.Other && !diag.System && diag.Entries() == 0 &&
		!q.events.Summary && q.events.Paths == 0
}

// otherwise changes how a rejected pattern is run, when there is a way. A why
// means that the other way would find nothing and not say so.
func (q *grepQuery) otherwise(end *ending, report *Report) (again bool, why *rejection) {
	if !q.crWhole && strings.HasPrefix(end.stderr.Head(), saysCarriageReturn) {
		q.crWhole = true
		return true, nil
	}
	if q.pcre2 || strings.ContainsAny(q.req.Pattern, "\r\n") {
		return false, nil // a line end could spell ripgrep's words
	}
	switch said := end.diagnostics.Rejected; {
	case said == saysLookAround, said == saysBackReferences, refersByName(q.req.Pattern):
	default:
		return false, nil
	}
	named := namedIn(q.req.Pattern)
	switch {
	case named.lineEnd && !q.req.Multiline:
		return false, needsLineEnd
	case named.nul:
		return false, needsNUL
	}
	q.pcre2, q.crWhole = true, named.carriageReturn
	report.note(NotePCRE2, "the pattern uses look-around or back-references and was run with PCRE2")
	return true, nil
}

// references finds back-references in forms that the default engine does not
// know and takes for slips.
var references = lazily(`\\(?:(k[<{'][0-9A-Za-z_]+[>}']|g\{?[+-]?[0-9A-Za-z_]+\}?)|(?s:.))|(\(\?P=[0-9A-Za-z_]+\))`)

func refersByName(pattern string) bool {
	for _, m := range references().FindAllStringSubmatch(pattern, -1) {
		if m[1] != "" || m[2] != "" {
			return true
		}
	}
	return false
}

// rejection is why a pattern is refused and what to do about it.
type rejection struct{ reason, advice string }

var (
	needsLineEnd = &rejection{
		"a pattern matches within one line, and this one needs a line end",
		"search for one of its lines, or from code set multiline",
	}
	needsNUL      = &rejection{"files with NUL bytes are binary and not searched", "leave the NUL out"}
	tooLarge      = &rejection{"the compiled pattern is too large", "use smaller repetition counts"}
	loneBackslash = &rejection{"it ends in a lone backslash", `write \\ for the character`}
)

// offsets are PCRE2's, into a pattern with ripgrep's own group around it.
var offsets = lazily(`^PCRE2: error compiling pattern at offset \d+: `)

// escapes finds the escapes of a regular expression that stand for a line end, a
// NUL or a carriage return, and what could be mistaken for one. Inside brackets
// other characters are in the set, too.
var escapes = lazily(`\\(?:(n|R|x0[aA]|x\{0*[aA]\}|012|c[jJ])|(x00|x\{0+\}|0)|(r|x0[dD]|x\{0*[dD]\}|015|c[mM])|(?s:.))|\[\^?\]?(?:\\(?s:.)|[^\]\\])*\]`)

// named tells which characters that end lines or text a pattern needs. PCRE2
// does not say that it never meets them.
type named struct{ lineEnd, nul, carriageReturn bool }

func namedIn(pattern string) (n named) {
	for _, m := range escapes().FindAllStringSubmatch(pattern, -1) {
		n.lineEnd = n.lineEnd || m[1] != ""
		n.nul = n.nul || m[2] != ""
		n.carriageReturn = n.carriageReturn || m[3] != ""
	}
	return n
}

// invalid explains a rejected pattern and says what to write instead. A nil why
// is what ripgrep says.
func (q *grepQuery) invalid(end *ending, why *rejection) *Error {
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
	case strings.HasSuffix(strings.ReplaceAll(q.req.Pattern, `\\`, ""), `\`):
		why = loneBackslash // ripgrep blames a group that it has put around the pattern
	default:
		why = &rejection{end.diagnostics.Rejected, "correct it, or escape the characters that are meant literally"}
		if why.reason == "" {
			why.reason = offsets().ReplaceAllString(firstLine(strings.TrimPrefix(head, "rg: ")), "")
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
