package search

import (
	"encoding/json"
	"fmt"
	"strings"
)

// wildcards are the characters that make a glob of a name.
const wildcards = "*?[{"

// reading is what a written pattern is taken for where another dialect than
// ripgrep's is beyond doubt: the patterns to search for beside the written one,
// and the note that says so.
type reading struct {
	patterns []string
	said     string
}

// otherDialect reads quotes around a whole pattern, a list of globs and the
// extended globs of shells. The zero value is for a pattern of ripgrep's own.
func otherDialect(written string) reading {
	pattern := strings.TrimSpace(written)
	if inner, ok := unquoted(pattern); ok {
		r := otherDialect(inner)
		if len(r.patterns) == 0 {
			r.patterns = []string{inner}
		}
		return reading{r.patterns, "the quotes around the pattern are no part of a glob and were left out: " + show(r.patterns) + " was searched for, too"}
	}
	if names := jsonList(pattern); names != nil {
		return list(names)
	}
	if globs := globList(pattern); globs != nil {
		return list(globs)
	}
	if plain, ok := withoutExtglob(pattern); ok {
		return reading{[]string{plain}, fmt.Sprintf("@(a|b) is not part of this glob dialect and was read as %s", quote(plain))}
	}
	return reading{}
}

func list(patterns []string) reading {
	return reading{patterns, fmt.Sprintf("the pattern was read as a list of %d globs; as one pattern it is %s", len(patterns), quote(bracesOf(patterns)))}
}

func show(patterns []string) string {
	var quoted []string
	for _, p := range patterns {
		quoted = append(quoted, quote(p))
	}
	return strings.Join(quoted, " and ")
}

// bracesOf writes a list as one glob.
func bracesOf(patterns []string) string { return "{" + strings.Join(patterns, ",") + "}" }

// unquoted returns what stands between quotes around the whole text.
func unquoted(text string) (inner string, ok bool) {
	if len(text) < 3 || !strings.ContainsRune("\"'`", rune(text[0])) || text[len(text)-1] != text[0] {
		return "", false
	}
	inner = text[1 : len(text)-1]
	return inner, strings.TrimSpace(inner) != "" && strings.IndexByte(inner, text[0]) < 0
}

// jsonList returns the strings of a JSON list, or nil.
func jsonList(text string) []string {
	var names []string
	if !strings.HasPrefix(text, `[`) || !strings.Contains(text, `"`) || json.Unmarshal([]byte(text), &names) != nil {
		return nil
	}
	for _, name := range names {
		if strings.TrimSpace(name) == "" || strings.HasPrefix(name, "!") {
			return nil
		}
	}
	return names
}

// globList returns the globs of a list with commas or semicolons, or nil: every
// item has a wildcard, as no list of words in a name has.
func globList(pattern string) []string {
	for _, separator := range []string{",", ";"} {
		pieces := splitTop(pattern, separator)
		if len(pieces) < 2 {
			continue
		}
		var globs []string
		for _, piece := range pieces {
			piece = strings.TrimSpace(piece)
			if piece == "" {
				continue // a comma at the end
			}
			if !strings.ContainsAny(piece, wildcards) || strings.HasPrefix(piece, "!") {
				return nil
			}
			globs = append(globs, piece)
		}
		if len(globs) > 1 {
			return globs
		}
	}
	return nil
}

// extglob finds the innermost extended glob of a shell.
var extglob = lazily(`([@?*+!])\(([^()/]*)\)`)

// withoutExtglob writes "@(a|b)" as "{a,b}"; the other extended globs have no
// equal.
func withoutExtglob(pattern string) (plain string, ok bool) {
	plain = pattern
	for range len(pattern) {
		m := extglob().FindStringSubmatchIndex(plain)
		if m == nil {
			break
		}
		if plain[m[2]] != '@' {
			return "", false
		}
		inner := strings.ReplaceAll(plain[m[4]:m[5]], "|", ",")
		if strings.Contains(inner, ",") {
			inner = "{" + inner + "}"
		}
		plain = plain[:m[0]] + inner + plain[m[1]:]
	}
	return plain, plain != pattern
}

var (
	variable = lazily(`^(~[\w.-]*(/|\\|$)|\$\{?\w+\}?|%\w+%)`)
	// likeExpression finds what a regular expression has and a glob does not mean.
	likeExpression = lazily(`^\^|[^\\]\$$|\\\.|\\[dws][+*]|\(\?|^\.[*+].+|\.\+`)
)

// dialectAdvice says what to write instead of a pattern that found nothing and
// reads as if it were written for something else, or returns "".
func dialectAdvice(pattern string) string {
	if len(pattern) > maxName {
		return "" // no note repeats so much
	}
	pattern = strings.TrimSpace(pattern)
	switch {
	case variable().MatchString(pattern):
		return notExpanded(pattern)
	case extglob().MatchString(pattern):
		return extglobAdvice(pattern)
	case likeExpression().MatchString(pattern):
		if glob := globOf(pattern); glob != "" {
			return fmt.Sprintf("the pattern reads like a regular expression, and it is a glob; write %s", quote(glob))
		}
	case strings.Contains(pattern, `\`) && !strings.Contains(strings.TrimRight(pattern, `\`), `\\`):
		if slashed := strings.ReplaceAll(pattern, `\`, "/"); escapesNames(pattern) {
			return fmt.Sprintf(`a backslash escapes the character behind it; between directories write "/": %s`, quote(slashed))
		}
	}
	for _, l := range [...]struct{ separators, name string }{{"|", "|"}, {",", "a comma"}, {";", "a semicolon"}, {" \t\n", "a blank"}} {
		var names []string
		for _, piece := range splitTop(pattern, l.separators) {
			if piece = strings.TrimSpace(piece); piece != "" {
				names = append(names, piece)
			}
		}
		if len(names) > 1 {
			return fmt.Sprintf("%s is part of the name that is looked for; for any of several, write %s", l.name, quote(bracesOf(names)))
		}
	}
	return ""
}

// notExpanded is what to say of "~", "$HOME" and "%USERPROFILE%".
func notExpanded(text string) string {
	what := variable().FindString(text)
	return fmt.Sprintf("%s is not expanded here, write the directory out", quote(strings.TrimRight(what, `/\`)))
}

// escapesNames reports whether backslashes stand where slashes would: between
// the characters of names.
func escapesNames(pattern string) bool {
	for i := 1; i+1 < len(pattern); i++ {
		if pattern[i] == '\\' && isWord(pattern[i-1]) && (isWord(pattern[i+1]) || pattern[i+1] == '.') {
			return true
		}
	}
	return false
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func extglobAdvice(pattern string) string {
	m := extglob().FindStringSubmatchIndex(pattern)
	alternatives := strings.ReplaceAll(pattern[m[4]:m[5]], "|", ",")
	head, tail := pattern[:m[0]], pattern[m[1]:]
	written := pattern[m[0]:m[1]]
	switch pattern[m[2]] {
	case '!':
		return fmt.Sprintf("%s is not part of this glob dialect, which has no exclusion; write %s and leave out what is not wanted", quote(written), quote(head+"*"+tail))
	case '?':
		return fmt.Sprintf("%s is not part of this glob dialect; write %s", quote(written), quote(head+"{"+alternatives+",}"+tail))
	}
	if strings.Contains(alternatives, ",") {
		alternatives = "{" + alternatives + "}"
	}
	return fmt.Sprintf("%s is not part of this glob dialect, which repeats nothing; write %s for once", quote(written), quote(head+alternatives+tail))
}

// fromExpression maps the parts of a regular expression that a glob has, too.
var fromExpression = strings.NewReplacer(
	`\.`, ".", `\-`, "-", `\/`, "/", `.*`, "*", `.+`, "*", `\d+`, "*", `\w+`, "*", `\d*`, "*", `\w*`, "*",
	`\d`, "[0-9]", `\w`, "[0-9A-Za-z_]", `\b`, "", `(?:`, "(",
)

// globOf writes a regular expression of names as a glob, or returns "".
func globOf(expression string) string {
	text, foldCase := strings.CutPrefix(expression, "(?i)")
	text, fromStart := strings.CutPrefix(text, "^")
	if strings.HasSuffix(text, "$") && !strings.HasSuffix(text, `\$`) {
		text = strings.TrimSuffix(text, "$")
	}
	loose := strings.HasPrefix(text, `\.`) && !fromStart
	text = fromExpression.Replace(text)
	if loose {
		text = "*" + text
	}
	if strings.Contains(text, "(") {
		text = strings.NewReplacer("(", "{", ")", "}", "|", ",").Replace(text)
	}
	if strings.ContainsAny(text, `\^$+|`) || strings.Trim(text, "*") == "" {
		return ""
	}
	if foldCase {
		return anyCase(text)
	}
	return text
}

// anyCase writes each letter of a glob as a set of its two cases.
func anyCase(glob string) string {
	var b strings.Builder
	class := false
	for _, r := range glob {
		lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))
		switch {
		case r == '[', r == ']':
			class = r == '['
			b.WriteRune(r)
		case lower != upper && class:
			b.WriteString(lower + upper)
		case lower != upper:
			b.WriteString("[" + lower + upper + "]")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
