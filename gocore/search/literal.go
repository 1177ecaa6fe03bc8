package search

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxLiteralParts bounds the components that are taken literally or not, each by
// itself: they double the patterns. Beyond it all are taken the same way.
const maxLiteralParts = 4

// spellings are the globs by which names are found that a pattern spells though
// brackets or braces in it make it mean something else, as in "**/[slug]/*.tsx":
// stars and question marks stay what they are. A name with such characters is the
// reading of a person who copied a path.
func spellings(pattern string) []string {
	components := strings.Split(pattern, "/")
	var odd []int
	for i, c := range components {
		if strings.ContainsAny(c, "[]{}") {
			odd = append(odd, i)
		}
	}
	if len(odd) == 0 || strings.HasSuffix(pattern, "/") {
		return nil
	}
	choices := []int{1<<min(len(odd), 30) - 1}
	if len(odd) <= maxLiteralParts {
		choices = nil
		for choice := 1; choice < 1<<len(odd); choice++ {
			choices = append(choices, choice)
		}
	}
	var all []string
	for _, choice := range choices {
		read := slices.Clone(components)
		for bit, i := range odd {
			if choice>>bit&1 == 1 || len(odd) > maxLiteralParts {
				read[i] = escapeBrackets(read[i])
			}
		}
		all = append(all, strings.Join(read, "/"))
	}
	return all
}

// escapeBrackets makes brackets and braces characters. What is escaped already
// stays.
func escapeBrackets(component string) string {
	var b strings.Builder
	for i := 0; i < len(component); i++ {
		switch c := component[i]; c {
		case '[', ']', '{', '}':
			b.WriteByte('\\')
		case '\\':
			b.WriteByte(c)
			if i++; i == len(component) {
				return b.String()
			}
		}
		b.WriteByte(component[i])
	}
	return b.String()
}

// composed returns a text in the other form of Unicode when it has two: letters
// with their accents in one character, or behind each other. File systems keep
// either, and people cannot see which.
func composed(text string) (other string, any bool) {
	if isASCII(text) {
		return "", false
	}
	if nfc := norm.NFC.String(text); nfc != text {
		return nfc, true
	}
	if nfd := norm.NFD.String(text); nfd != text {
		return nfd, true
	}
	return "", false
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// existing returns the spelling by which a path beneath dir exists, component by
// component in the form of Unicode that lies there. It is rel itself when that
// exists, and when nothing does.
func existing(dir, rel string) string {
	if isASCII(rel) {
		return rel
	}
	if _, err := dirAt(joinPath(dir, rel)); err == nil {
		return rel
	}
	at := ""
	for component := range strings.SplitSeq(rel, "/") {
		found := component
		if _, err := dirAt(joinPath(dir, at+component)); err != nil {
			other, any := composed(component)
			if !any {
				return rel
			}
			if _, err := dirAt(joinPath(dir, at+other)); err != nil {
				return rel
			}
			found = other
		}
		at += found + "/"
	}
	return strings.TrimSuffix(at, "/")
}
