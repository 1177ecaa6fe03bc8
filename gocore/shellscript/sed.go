package shellscript

import "bytes"

// Sed reads a sed script far enough to know which files it reads and
// writes. It reports why not when a command is not known or runs something.
func Sed(s []byte) (files []File, why string) {
	p := sedParser{s: s}
	for why == "" && p.skip(" \t\n;") {
		why = p.command()
	}
	return p.files, why
}

type sedParser struct {
	s     []byte
	i     int
	files []File
}

func (p *sedParser) skip(set string) bool {
	for p.i < len(p.s) && bytes.IndexByte([]byte(set), p.s[p.i]) >= 0 {
		p.i++
	}
	return p.i < len(p.s)
}

func (p *sedParser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

const sedUnknown = "the sed script is not one that the planner can read"

// command reads one command with its addresses.
func (p *sedParser) command() string {
	for n := 0; n < 2; n++ {
		if !p.address() {
			return sedUnknown
		}
		p.skip(" \t")
		if p.peek() != ',' {
			break
		}
		p.i++
		p.skip(" \t")
	}
	p.skip(" \t!")
	if p.i >= len(p.s) {
		return ""
	}
	c := p.s[p.i]
	p.i++
	switch c {
	case '#':
		p.line()
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
	case ':', 'b', 't', 'T', 'v':
		p.skip(" \t")
		p.until(" \t\n;}") // GNU sed reads on behind the label
	case 'l', 'q', 'Q', 'L':
		p.skip(" \t0123456789")
	case 'a', 'i', 'c':
		p.text()
	case 'r', 'R', 'w', 'W':
		p.skip(" \t")
		p.file(p.line(), c == 'w' || c == 'W')
	case 's':
		return p.substitute()
	case 'y':
		d := p.peek()
		p.i++
		if d == 0 || d == '\n' || !p.delimited(d, false) || !p.delimited(d, false) {
			return sedUnknown
		}
	case 'e':
		return "the sed script runs a command"
	default:
		return sedUnknown
	}
	return p.end(c)
}

// end checks that nothing but a separator follows a command: anything else is
// a script that sed refuses or that was read wrongly.
func (p *sedParser) end(c byte) string {
	if c == '{' || c == '}' || c == '#' {
		return ""
	}
	p.skip(" \t")
	switch p.peek() {
	case 0, '\n', ';', '}', '#':
		return ""
	}
	return sedUnknown
}

func (p *sedParser) line() []byte { return p.until("\n") }

func (p *sedParser) until(set string) []byte {
	from := p.i
	for p.i < len(p.s) && bytes.IndexByte([]byte(set), p.s[p.i]) < 0 {
		p.i++
	}
	return p.s[from:p.i]
}

// text skips the text of a, i and c: to the end of the line, a backslash taking
// the next line in.
func (p *sedParser) text() {
	for p.i < len(p.s) && p.s[p.i] != '\n' {
		if p.s[p.i] == '\\' {
			p.i++
		}
		p.i++
	}
	p.i = min(p.i, len(p.s))
}

func (p *sedParser) file(name []byte, write bool) {
	switch string(name) {
	case "/dev/stdout", "/dev/stderr", "/dev/stdin":
		return
	}
	p.files = append(p.files, File{Name: bytes.Clone(name), Write: write})
}

// address skips one address, if there is one.
func (p *sedParser) address() bool {
	c := p.peek()
	switch {
	case c >= '0' && c <= '9', c == '+', c == '~':
		p.i++
		p.skip("0123456789")
		if p.peek() == '~' {
			p.i++
			p.skip("0123456789")
		}
	case c == '$':
		p.i++
	case c == '/' || c == '\\':
		p.i++
		if c == '\\' {
			if c = p.peek(); c == 0 || c == '\n' {
				return false
			}
			p.i++
		}
		if !p.delimited(c, true) {
			return false
		}
		p.skip("IM")
	}
	return true
}

// delimited skips to the delimiter and over it. In a regular expression a
// bracket expression hides the delimiter, and a backslash in one is itself.
func (p *sedParser) delimited(d byte, regex bool) bool {
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch {
		case c == d:
			return true
		case c == '\\':
			p.i++
		case c == '\n' && regex:
			return false
		case c == '[' && regex:
			if !p.bracket() {
				return false
			}
		}
	}
	return false
}

func (p *sedParser) bracket() bool {
	if p.peek() == '^' {
		p.i++
	}
	if p.peek() == ']' {
		p.i++
	}
	for p.i < len(p.s) && p.s[p.i] != '\n' {
		c := p.s[p.i]
		p.i++
		if c == ']' {
			return true
		}
		if c == '[' {
			if k := p.peek(); k == ':' || k == '.' || k == '=' {
				end := bytes.Index(p.s[p.i+1:], []byte{k, ']'})
				if end < 0 {
					return false
				}
				p.i += end + 3
			}
		}
	}
	return false
}

// substitute reads s and its flags.
func (p *sedParser) substitute() string {
	d := p.peek()
	p.i++
	if d == 0 || d == '\n' || d == '\\' || !p.delimited(d, true) || !p.delimited(d, false) {
		return sedUnknown
	}
	for p.i < len(p.s) {
		switch c := p.s[p.i]; c {
		case 'g', 'p', 'i', 'I', 'm', 'M', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			p.i++
		case 'e':
			return "the sed script runs a command"
		case 'w':
			p.i++
			p.skip(" \t")
			p.file(p.line(), true)
			return ""
		default:
			return p.end('s')
		}
	}
	return ""
}
