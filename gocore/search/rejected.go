package search

import (
	"regexp"
	"slices"
	"strings"
)

// What ripgrep says of a pattern that its default engine cannot run and PCRE2
// can. Nothing else is tried again: PCRE2 reads "\x00", "a{2" or "one\ntwo" as
// something that never matches, a silent empty answer.
const (
	saysLookAround     = "error: look-around, including look-ahead and look-behind, is not supported"
	saysBackReferences = "error: backreferences are not supported"
)

// needsPCRE2 reports whether ripgrep rejected the pattern because it names
// look-around or back-references.
func needsPCRE2(end *ending, q *scan) bool {
	if !q.rejected(end) || strings.ContainsAny(q.req.Pattern, "\r\n") {
		return false // a line end could spell ripgrep's words
	}
	for line := range strings.Lines(end.stderr.Head()) {
		line = strings.TrimRight(line, "\n")
		if line == saysLookAround || line == saysBackReferences {
			return true
		}
	}
	return false
}

// invalid explains a rejected pattern and says what to write instead.
func (q *scan) invalid(end *ending) *Error {
	head := end.stderr.Head()
	reason := firstLine(strings.TrimPrefix(head, "rg: "))
	for line := range strings.Lines(head) {
		if said, ok := strings.CutPrefix(line, "error: "); ok {
			reason = strings.TrimSpace(said)
		}
	}
	details := Details{Stderr: end.stderrText(), ExitCode: end.exit}
	advice := ""
	switch {
	case strings.HasPrefix(head, `rg: the literal "\n" is not allowed`):
		reason = "a pattern matches within one line, and this one needs a line end"
		advice = "search for one of its lines, or from code set multiline"
	case strings.HasPrefix(head, `rg: pattern contains "\0"`):
		reason = "files with NUL bytes are binary and not searched"
		advice = "leave the NUL out"
	case strings.HasPrefix(head, "rg: compiled regex exceeds size limit"):
		reason = "the compiled pattern is too large"
		advice = "use smaller repetition counts"
	default:
		if literal := regexp.QuoteMeta(q.req.Pattern); literal != q.req.Pattern && len(literal) <= maxQuoted {
			details.Suggestion = literal
			advice = "to search for the text itself, write " + literal
		} else {
			advice = "correct it, or escape the characters that are meant literally"
		}
	}
	return fail(InvalidPattern, details, nil, "ripgrep rejected the pattern %s: %s; %s", quote(q.req.Pattern), reason, advice)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(strings.TrimSpace(line), ":")
}

// explain adds what is known for free about a scan's answer.
func (q *scan) explain(result *GrepResult) {
	slices.SortFunc(q.binary, func(a, b binaryStop) int { return strings.Compare(a.path, b.path) })
	for i, stop := range q.binary {
		if i == maxShown {
			result.note(NoteBinary, "%s more stopped at binary data", plural(len(q.binary)-i, "file"))
			break
		}
		result.note(NoteBinary, "%s: stopped at binary data at byte %d; later matches are not shown", stop.path, stop.offset)
	}
	if len(result.Matches) > 0 {
		return
	}
	if q.include != nil && q.stats.Files == 0 {
		if hidden := firstHidden(q.req.Include); hidden != "" {
			result.note(NoteHiddenNotSearched, "hidden files are not searched; to search there, pass path %s", quote(hidden))
		} else {
			result.note(NoteIncludeMatchedNothing, "no file matched include %s", quote(q.req.Include))
		}
	}
	if strings.Contains(q.req.Pattern, `\|`) && !q.req.Literal {
		result.note(NoteLiteralPipe, `in this dialect \| is a literal pipe; alternatives are written a|b`)
	}
}

// firstHidden returns the leading directories of a glob up to a hidden one.
func firstHidden(glob string) string {
	prefix, rest := splitLiteral(strings.TrimPrefix(glob, "/"))
	var upto []string
	for component := range strings.SplitSeq(prefix, "/") {
		upto = append(upto, component)
		if isHidden(component) {
			return strings.Join(upto, "/")
		}
	}
	if name, literal := unescapeGlob(rest); literal && isHidden(name) && !strings.Contains(name, "/") {
		return strings.TrimPrefix(prefix+"/"+name, "/")
	}
	return ""
}

func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." && name != ".."
}
