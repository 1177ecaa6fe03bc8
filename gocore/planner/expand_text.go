package planner

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// ansiC decodes the inside of $'...' the way bash does; a NUL ends the text.
func ansiC(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 >= len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		switch c := b[i]; c {
		case 'a':
			out = append(out, 7)
		case 'b':
			out = append(out, 8)
		case 'e', 'E':
			out = append(out, 27)
		case 'f':
			out = append(out, 12)
		case 'n':
			out = append(out, 10)
		case 'r':
			out = append(out, 13)
		case 't':
			out = append(out, 9)
		case 'v':
			out = append(out, 11)
		case '\\', '\'', '"', '?':
			out = append(out, c)
		case 'c':
			if i+1 < len(b) {
				i++
				if b[i] == '\\' && i+1 < len(b) && b[i+1] == '\\' {
					i++
				}
				out = append(out, b[i]&0x1f)
			}
		case 'x', 'u', 'U':
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			n := digits(b[i+1:], width, 16)
			if n == 0 {
				out = append(out, '\\', c)
				continue
			}
			v, _ := strconv.ParseUint(string(b[i+1:i+1+n]), 16, 32)
			i += n
			if v == 0 {
				return out
			}
			if c == 'x' {
				out = append(out, byte(v))
			} else {
				out = utf8.AppendRune(out, rune(v))
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n := digits(b[i:], 3, 8)
			v, _ := strconv.ParseUint(string(b[i:i+n]), 8, 32)
			i += n - 1
			if byte(v) == 0 {
				return out
			}
			out = append(out, byte(v))
		default:
			out = append(out, '\\', c)
		}
	}
	return out
}

func digits(b []byte, most, base int) int {
	n := 0
	for n < len(b) && n < most {
		if _, err := strconv.ParseUint(string(b[n]), base, 8); err != nil {
			break
		}
		n++
	}
	return n
}

// splitText appends the text of an unquoted expansion, split at IFS.
func (b *builder) splitText(t []byte) {
	ifs := b.p.get(b.st, "IFS")
	switch {
	case ifs.Kind == shellword.ValueUnset:
		ifs.Text = []byte(" \t\n")
	case ifs.Kind != shellword.ValueText:
		b.dynamic(b.p.why(shellplan.OpaqueShellOption, b.span, "IFS is not known, so neither is where the word is split"), true)
		return
	}
	if bytes.IndexByte(t, '\\') >= 0 {
		// A backslash that an expansion produced quotes in patterns only.
		b.cur.Bad = b.p.why(shellplan.OpaquePattern, b.span, "a backslash that comes out of an expansion stands in a pattern")
	}
	isSep := func(c byte) bool { return bytes.IndexByte(ifs.Text, c) >= 0 }
	isBlank := func(c byte) bool { return isSep(c) && (c == ' ' || c == '\t' || c == '\n') }
	i := 0
	for i < len(t) && isBlank(t[i]) {
		i++
	}
	if i > 0 {
		b.end()
	}
	for i < len(t) {
		if !isSep(t[i]) {
			b.bytes(t[i:i+1], shellplan.MaskActive)
			i++
			continue
		}
		// One separator: blanks around at most one other character of IFS.
		hard := false
		for i < len(t) && isSep(t[i]) {
			if !isBlank(t[i]) {
				if hard {
					break
				}
				hard = true
			}
			i++
		}
		if hard {
			b.has = true // an empty field counts before a hard separator
		}
		b.end()
	}
}

// matchText reports whether a pattern matches a whole text, a slash and a
// leading dot being ordinary: perhaps for constructs that are not modelled.
func matchText(pat, mask, s []byte) tri {
	work := 1 << 16
	return matchAt(pat, mask, s, &work)
}

func matchAt(pat, mask, s []byte, work *int) tri {
	for len(pat) > 0 {
		if *work--; *work < 0 {
			return perhaps
		}
		active := len(mask) > 0 && mask[0] == shellplan.MaskActive
		switch c := pat[0]; {
		case active && c == '*':
			verdict := off
			for i := 0; i <= len(s); i++ {
				switch matchAt(pat[1:], mask[1:], s[i:], work) {
				case on:
					return on
				case perhaps:
					verdict = perhaps
				}
			}
			return verdict
		case active && c == '?':
			if len(s) == 0 {
				return off
			}
			if s[0] >= utf8.RuneSelf {
				return perhaps // a byte or a character, by locale
			}
			s = s[1:]
		case active && (c == '[' || c == '\\'):
			return perhaps
		case active && (c == '(' || c == '!' || c == '+' || c == '@') && len(pat) > 1 && pat[1] == '(':
			return perhaps
		default:
			if len(s) == 0 || s[0] != c {
				return off
			}
			s = s[1:]
		}
		pat = pat[1:]
		if len(mask) > 0 {
			mask = mask[1:]
		}
	}
	if len(s) == 0 {
		return on
	}
	return off
}
