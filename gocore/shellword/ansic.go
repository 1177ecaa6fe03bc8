package shellword

import (
	"strconv"
	"unicode/utf8"
)

// AnsiC decodes the inside of $'...' the way bash does; a NUL ends the text.
//
// Bash manual, "ANSI-C Quoting". Long because it is the manual's list of
// escapes, one case each.
func AnsiC(b []byte) []byte {
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
