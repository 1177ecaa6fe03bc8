package shellscript

import "bytes"

// Awk reads an awk program far enough to know whether it does more than
// read its input and print: it gives the literal files that print writes, or
// says why it cannot be vouched for.
func Awk(s []byte) (files []File, why string) {
	p := awkParser{s: s}
	for {
		t := p.next()
		if t.kind == awkEnd {
			return p.files, p.why
		}
		if why := p.look(t); why != "" {
			return nil, why
		}
	}
}

type awkKind uint8

const (
	awkEnd awkKind = iota
	awkName
	awkNumber
	awkString
	awkRegex
	awkNewline
	awkOther // one byte of punctuation, or two for && || >> etc.
)

type awkToken struct {
	kind awkKind
	text []byte
}

type awkParser struct {
	s       []byte
	i       int
	last    awkToken
	print   bool   // inside a print or printf statement
	depth   int    // brackets open inside it
	parens  []bool // per open parenthesis: it holds the condition of if, while or for
	ended   bool   // the last token closed such a condition
	files   []File
	why     string
	pending *awkToken
}

// look judges one token.
func (p *awkParser) look(t awkToken) string {
	prev := p.last
	p.last = t
	text := string(t.text)
	p.nest(prev, t)
	switch t.kind {
	case awkName:
		switch text {
		case "print", "printf":
			p.print, p.depth = true, 0
		case "system":
			return "the awk program runs a command"
		case "ARGV", "ARGC", "PROCINFO", "SYMTAB":
			return "the awk program changes which files are read"
		case "getline":
			return p.getline()
		}
	case awkNewline:
		switch string(prev.text) {
		case ",", "{", "&&", "||", "do", "else":
			p.last = prev // the statement goes on
		default:
			p.print = false
		}
	case awkOther:
		switch text {
		case ";", "}":
			p.print = false
		case "(", "[":
			p.depth++
		case ")", "]":
			p.depth--
		case "|", "|&":
			return "the awk program runs a command"
		case "@":
			return "the awk program calls a function by name or includes a file"
		case ">", ">>":
			if p.print && p.depth <= 0 {
				return p.redirect()
			}
		}
	}
	return ""
}

// nest follows the parentheses: behind the condition of a statement an
// expression starts, behind any other closing one an operator.
func (p *awkParser) nest(prev, t awkToken) {
	p.ended = false
	if t.kind != awkOther {
		return
	}
	switch string(t.text) {
	case "(":
		control := false
		if prev.kind == awkName {
			switch string(prev.text) {
			case "if", "while", "for", "switch":
				control = true
			}
		}
		p.parens = append(p.parens, control)
	case ")":
		if n := len(p.parens); n > 0 {
			p.ended, p.parens = p.parens[n-1], p.parens[:n-1]
		}
	}
}

// redirect reads the target of print > "file".
func (p *awkParser) redirect() string {
	const dynamic = "the awk program writes a file whose name it makes"
	t := p.next()
	p.last = t
	if t.kind != awkString || bytes.IndexByte(t.text, '\\') >= 0 || len(t.text) == 0 {
		return dynamic
	}
	after := p.next()
	p.pending = &after
	switch {
	case after.kind == awkEnd, after.kind == awkNewline, string(after.text) == ";", string(after.text) == "}":
	default:
		return dynamic
	}
	switch string(t.text) {
	case "/dev/stdout", "/dev/stderr", "-":
	default:
		if bytes.HasPrefix(t.text, []byte("/inet")) {
			return "the awk program opens a network connection"
		}
		p.files = append(p.files, File{Name: t.text, Write: true})
	}
	p.print = false
	return ""
}

// getline reads the next record of the input; from a file or a command it is
// more than that.
func (p *awkParser) getline() string {
	const reads = "the awk program reads a file or a command whose name it makes"
	t := p.next()
	if t.kind == awkName {
		p.last = t
		t = p.next()
	}
	p.pending = &t
	if t.kind == awkEnd || t.kind == awkNewline {
		return ""
	}
	switch string(t.text) {
	case ";", "}", ")":
		return ""
	}
	return reads
}

// next is the next token. A slash starts a regular expression where no operand
// stands before it.
func (p *awkParser) next() awkToken {
	if t := p.pending; t != nil {
		p.pending = nil
		return *t
	}
	s := p.s
	for p.i < len(s) {
		switch c := s[p.i]; {
		case c == ' ' || c == '\t' || c == '\r':
			p.i++
		case c == '\\' && p.i+1 < len(s) && (s[p.i+1] == '\n' || s[p.i+1] == '\r'):
			p.i += 2
		case c == '#':
			for p.i < len(s) && s[p.i] != '\n' {
				p.i++
			}
		case c == '\n':
			p.i++
			return awkToken{awkNewline, s[p.i-1 : p.i]}
		case c == '"':
			return p.quoted('"', awkString)
		case c == '/' && !p.operandBefore():
			return p.quoted('/', awkRegex)
		case isLetter(c) || c == '_':
			from := p.i
			for p.i < len(s) && (isLetter(s[p.i]) || s[p.i] == '_' || s[p.i] >= '0' && s[p.i] <= '9') {
				p.i++
			}
			return awkToken{awkName, s[from:p.i]}
		case c >= '0' && c <= '9' || c == '.':
			from := p.i
			for p.i < len(s) && (s[p.i] >= '0' && s[p.i] <= '9' || s[p.i] == '.' || isLetter(s[p.i])) {
				p.i++
			}
			return awkToken{awkNumber, s[from:p.i]}
		default:
			n := 1
			if p.i+1 < len(s) {
				switch string(s[p.i : p.i+2]) {
				case "&&", "||", ">>", ">=", "<=", "==", "!=", "++", "--", "|&", "!~", "+=", "-=", "*=", "/=", "%=", "^=":
					n = 2
				}
			}
			p.i += n
			return awkToken{awkOther, s[p.i-n : p.i]}
		}
	}
	return awkToken{}
}

func (p *awkParser) operandBefore() bool {
	switch p.last.kind {
	case awkNumber, awkString:
		return true
	case awkName:
		switch string(p.last.text) {
		case "print", "printf", "return", "case", "in", "else", "do", "getline", "exit":
			return false
		}
		return true
	case awkOther:
		switch string(p.last.text) {
		case ")":
			return !p.ended
		case "]", "++", "--":
			return true
		}
	}
	return false
}

// quoted reads a string or a regular expression; one that does not end makes
// the program unreadable.
func (p *awkParser) quoted(end byte, kind awkKind) awkToken {
	from := p.i + 1
	bracket := false
	for i := from; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '\\':
			i++
		case c == '\n':
			i = len(p.s)
		case kind == awkRegex && c == '[' && !bracket:
			bracket = true
			if i+1 < len(p.s) && p.s[i+1] == '^' {
				i++
			}
			if i+1 < len(p.s) && p.s[i+1] == ']' {
				i++
			}
		case c == ']' && bracket:
			bracket = false
		case c == end && !bracket:
			p.i = i + 1
			return awkToken{kind, p.s[from:i]}
		case c == end:
			// A slash in a bracket: some awks end the expression here.
			p.why = "the awk program has a slash in a bracket, which not every awk reads alike"
		}
	}
	p.i = len(p.s)
	p.why = "the awk program is not one that the planner can read"
	return awkToken{}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
