package ripgrep

import (
	"regexp"
	"strings"
)

// What a token of a glob becomes; the names are globset's.
const (
	anyByte           = `[^/]`
	zeroOrMore        = `[^/]*`
	recursivePrefix   = `(?:/?|.*/)`
	recursiveSuffix   = `/.*`
	recursiveInfix    = `(?:/|/.*/)`
	recursiveTwoStars = zeroOrMore + zeroOrMore
)

// branch is one alternative: a list of regular expressions, one a token.
type branch []string

func (b branch) expression() string { return strings.Join(b, "") }

// globParser follows globset's parser step by step: which "**" recurse depends
// on the token before and the character behind.
type globParser struct {
	rest []rune
	prev rune // the last consumed character, 0 at the start
	// branches is a stack: below the top, for each open brace, the tokens before
	// it; the alternatives already closed by a comma are in alternatives.
	branches     []branch
	alternatives [][]branch
}

func (p *globParser) next() (rune, bool) {
	if len(p.rest) == 0 {
		return 0, false
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	p.prev = c
	return c, true
}

func (p *globParser) peek() (rune, bool) {
	if len(p.rest) == 0 {
		return 0, false
	}
	return p.rest[0], true
}

func (p *globParser) push(token string) {
	top := len(p.branches) - 1
	p.branches[top] = append(p.branches[top], token)
}

func (p *globParser) parse() *GlobError {
	for {
		before := p.prev
		c, ok := p.next()
		if !ok {
			break
		}
		switch c {
		case '?':
			p.push(anyByte)
		case '*':
			p.star(before)
		case '[':
			if err := p.class(); err != nil {
				return err
			}
		case '{':
			p.alternatives = append(p.alternatives, nil)
			p.branches = append(p.branches, branch{})
		case '}':
			if len(p.alternatives) == 0 {
				return &GlobError{Reason: `a "}" closes no "{"`, Fix: `write \} for the character`}
			}
			p.closeBraces()
		case ',':
			if len(p.alternatives) == 0 {
				p.push(",")
				break
			}
			top := len(p.alternatives) - 1
			last := len(p.branches) - 1
			p.alternatives[top] = append(p.alternatives[top], p.branches[last])
			p.branches[last] = branch{}
		case '\\':
			c, ok := p.next()
			if !ok {
				return &GlobError{Reason: `it ends in a lone "\"`, Fix: `write \\ for the character`}
			}
			p.push(literal(c))
		default:
			p.push(literal(c))
		}
	}
	if len(p.alternatives) > 0 {
		return &GlobError{Reason: `a "{" is not closed`, Fix: `close it, or write \{ for the character`}
	}
	return nil
}

// closeBraces replaces an open brace by the alternation of its branches. Empty
// branches are dropped, as globset does by default.
func (p *globParser) closeBraces() {
	top, last := len(p.alternatives)-1, len(p.branches)-1
	all := append(p.alternatives[top], p.branches[last])
	p.alternatives, p.branches = p.alternatives[:top], p.branches[:last]
	var parts []string
	for _, b := range all {
		if e := b.expression(); e != "" {
			parts = append(parts, e)
		}
	}
	if len(parts) == 0 {
		p.push("") // still a token, for the "**" that may follow
		return
	}
	p.push("(?:" + strings.Join(parts, "|") + ")")
}

// star reads "*" or "**". Two stars recurse when they stand alone between
// slashes, or at an end.
func (p *globParser) star(before rune) {
	if c, ok := p.peek(); !ok || c != '*' {
		p.push(zeroOrMore)
		return
	}
	p.next()
	top := len(p.branches) - 1
	behind, more := p.peek()
	if len(p.branches[top]) == 0 {
		if more && behind != '/' {
			p.push(recursiveTwoStars)
			return
		}
		p.push(recursivePrefix)
		p.next()
		return
	}
	if before != '/' {
		if len(p.alternatives) == 0 || before != ',' && before != '{' {
			p.push(recursiveTwoStars)
			return
		}
	}
	suffix := false
	switch {
	case !more, (behind == ',' || behind == '}') && len(p.alternatives) > 0:
		suffix = true
	case behind == '/':
		p.next()
	default:
		p.push(recursiveTwoStars)
		return
	}
	tokens := p.branches[top]
	popped := ""
	if len(tokens) > 0 {
		popped = tokens[len(tokens)-1]
		p.branches[top] = tokens[:len(tokens)-1]
	}
	switch {
	case popped == recursivePrefix, popped == recursiveSuffix:
		p.push(popped)
	case suffix:
		p.push(recursiveSuffix)
	default:
		p.push(recursiveInfix)
	}
}

// class reads "[...]" behind its opening bracket. A backslash is an ordinary
// member, a "]" at the start too.
func (p *globParser) class() *GlobError {
	type span struct{ lo, hi rune }
	var spans []span
	negated := false
	if c, ok := p.peek(); ok && (c == '!' || c == '^') {
		p.next()
		negated = true
	}
	first, inRange := true, false
	for {
		c, ok := p.next()
		if !ok {
			return &GlobError{Reason: `a "[" is not closed`, Fix: `close it, or write \[ for the character`}
		}
		if c == ']' && !first {
			break
		}
		switch {
		case c == '-' && !first && !inRange:
			inRange = true
		case inRange:
			last := &spans[len(spans)-1]
			last.hi = c
			if last.hi < last.lo {
				return &GlobError{Reason: "a range in brackets runs backwards", Fix: "write the lower character first"}
			}
			inRange = false
		default:
			spans = append(spans, span{c, c})
		}
		first = false
	}
	if inRange {
		spans = append(spans, span{'-', '-'})
	}
	var b strings.Builder
	b.WriteString("[")
	if negated {
		b.WriteString("^")
	}
	for _, s := range spans {
		b.WriteString(classMember(s.lo))
		if s.hi != s.lo {
			b.WriteString("-" + classMember(s.hi))
		}
	}
	b.WriteString("]")
	p.push(b.String())
	return nil
}

// literal is a character as its UTF-8 bytes, each written as one rune.
func literal(c rune) string { return regexp.QuoteMeta(bytesAsRunes(string(c))) }

// classMember writes a character inside brackets: the bytes of its UTF-8 form
// are members one by one.
func classMember(c rune) string {
	var b strings.Builder
	for _, r := range bytesAsRunes(string(c)) {
		if strings.ContainsRune(`\]^-[&~`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
