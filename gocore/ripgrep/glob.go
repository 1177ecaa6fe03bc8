package ripgrep

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Glob is one pattern of ripgrep's --glob: gitignore rules with braces, as the
// crates globset and ignore read them. Without a slash it matches a basename at
// any depth, with one it is anchored at the directory that ripgrep runs in.
type Glob struct {
	re *regexp.Regexp
	// dirOnly is set by a trailing slash: such a pattern matches no file.
	dirOnly bool
	// tail is what every name ends in that matches; simple says when that is all there
	// is to know, which spares the expression: it is most of what globs are.
	tail   string
	simple simple
}

// simple is a form of globs.
type simple uint8

const (
	anyEnding simple = iota + 1 // "*.go": whatever ends in the tail, at any depth
	anyNamed                    // "go.mod": whatever has the tail as its name
)

// GlobError says what is wrong with a pattern that ripgrep rejects.
type GlobError struct {
	Pattern string
	Reason  string
	// Fix says what to write instead.
	Fix string
}

func (e *GlobError) Error() string {
	return fmt.Sprintf("the glob %s is not valid: %s; %s", quoteShort(e.Pattern), e.Reason, e.Fix)
}

// maxQuoted bounds how much of a pattern an error repeats.
const maxQuoted = 120

func quoteShort(s string) string {
	if len(s) <= maxQuoted {
		return fmt.Sprintf("%q", s)
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%q... (%d bytes)", s[:cut], len(s))
}

// CleanGlob rewrites a pattern so that none of gitignore's line syntax applies
// to it: a leading "#" is itself and trailing blanks stay. A leading "!" is the
// caller's to refuse.
func CleanGlob(pattern string) string {
	if strings.HasPrefix(pattern, "#") {
		pattern = `\` + pattern
	}
	if strings.HasSuffix(pattern, `\ `) {
		return pattern // the one form that gitignore does not trim
	}
	trimmed := strings.TrimRightFunc(pattern, isRustSpace)
	if trimmed == pattern {
		return pattern
	}
	last, size := utf8.DecodeLastRuneInString(pattern)
	head := pattern[:len(pattern)-size]
	if insideClass(head) {
		return pattern // not a glob, and more brackets would make one of it
	}
	if escapes := len(head) - len(strings.TrimRight(head, `\`)); escapes%2 == 1 {
		head = head[:len(head)-1] // an escaped blank: the class does the escaping
	}
	return head + "[" + string(last) + "]"
}

// insideClass reports whether a pattern ends between brackets.
func insideClass(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			if i++; i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
				i++ // what negates
			}
			first := min(i+1, len(pattern)) // behind the first member, which may be "]"
			shut := strings.IndexByte(pattern[first:], ']')
			if shut < 0 {
				return true
			}
			i = first + shut
		}
	}
	return false
}

// isRustSpace tells White_Space as str::trim_right does.
func isRustSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}

// ParseGlob reads a pattern that CleanGlob has returned. The error is a
// *GlobError, for just the patterns that ripgrep rejects.
func ParseGlob(pattern string) (*Glob, error) {
	line := pattern
	anchored := false
	if strings.HasPrefix(line, `\!`) || strings.HasPrefix(line, `\#`) {
		line = line[1:]
	} else if strings.HasPrefix(line, "/") {
		line, anchored = line[1:], true
	}
	g := &Glob{}
	if strings.HasSuffix(line, "/") {
		g.dirOnly = true
		line = strings.TrimSuffix(line[:len(line)-1], `\`) // an escaped slash is one
	}
	if !anchored && !strings.Contains(line, "/") && line != "**" {
		line = "**/" + line
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	p := globParser{rest: []rune(line), branches: []branch{{}}}
	if err := p.parse(); err != nil {
		err.Pattern = pattern
		return nil, err
	}
	tokens := p.branches[0]
	expression := tokens.expression()
	if len(tokens) == 1 && tokens[0] == recursivePrefix {
		expression = ".*" // "**" alone is everything
	}
	// Patterns match bytes; every byte is one rune here, see bytesAsRunes.
	re, err := regexp.Compile(`(?s)\A` + expression + `\z`)
	if err != nil {
		return nil, &GlobError{Pattern: pattern, Reason: "it is too large", Fix: "write a shorter pattern"}
	}
	g.re = re
	g.tail = line[strings.LastIndexAny(line, `*?[]{},\/`)+1:]
	switch strings.TrimSuffix(line, g.tail) {
	case "**/*":
		g.simple = anyEnding
	case "**/":
		g.simple = anyNamed
	}
	return g, nil
}

// MayEnd reports whether a path may match whose last component is base. It costs
// next to nothing.
func (g *Glob) MayEnd(base string) bool { return strings.HasSuffix(base, g.tail) }

// Match reports whether the file at rel, relative to the directory that ripgrep
// runs in and without a leading "./", matches.
func (g *Glob) Match(rel string) bool {
	if g.re == nil || g.dirOnly || !strings.HasSuffix(rel, g.tail) {
		return false
	}
	switch g.simple {
	case anyEnding:
		return true
	case anyNamed:
		before := len(rel) - len(g.tail)
		return before == 0 || rel[before-1] == '/'
	}
	return g.re.MatchString(bytesAsRunes(rel))
}

// FoldCase returns the glob that matches in upper and lower case alike.
func (g *Glob) FoldCase() *Glob {
	return &Glob{re: regexp.MustCompile("(?i)" + g.re.String()), dirOnly: g.dirOnly}
}

// bytesAsRunes maps each byte to the rune of the same number, so that a regular
// expression over runes matches bytes.
func bytesAsRunes(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			runes := make([]rune, len(s))
			for j := range len(s) {
				runes[j] = rune(s[j])
			}
			return string(runes)
		}
	}
	return s
}
