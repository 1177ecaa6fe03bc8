package search

import (
	"strings"
	"unicode/utf8"
)

// arenaBytes is the size of one block of retained text. Thousands of lines share
// a block, so that a large result is a few allocations.
const arenaBytes = 64 << 10

// arena keeps text in large blocks and hands out strings that point into them.
type arena struct{ block strings.Builder }

func (a *arena) room(n int) {
	if a.block.Cap()-a.block.Len() < n {
		a.block = strings.Builder{}
		a.block.Grow(max(n, arenaBytes))
	}
}

// keep returns text as a string.
func (a *arena) keep(text []byte) string {
	a.room(len(text))
	start := a.block.Len()
	a.block.Write(text)
	return a.block.String()[start:]
}

// join returns prefix+text as a string.
func (a *arena) join(prefix string, text string) string {
	if prefix == "" {
		return text
	}
	a.room(len(prefix) + len(text))
	start := a.block.Len()
	a.block.WriteString(prefix)
	a.block.WriteString(text)
	return a.block.String()[start:]
}

// appendLossy appends text with each maximal ill-formed part replaced by one
// U+FFFD (Unicode 15, section 3.9: the practice of the web and of Python).
func appendLossy(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			size = illFormed(text)
		}
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}

// illFormed returns the length of the maximal subpart at the start of text that
// no well-formed sequence contains: the longest prefix of one, else one byte.
func illFormed(text []byte) int {
	lead := text[0]
	low, high, want := byte(0x80), byte(0xbf), 0
	switch {
	case 0xc2 <= lead && lead <= 0xdf:
		want = 2
	case 0xe0 <= lead && lead <= 0xef:
		want = 3
		if lead == 0xe0 {
			low = 0xa0
		} else if lead == 0xed {
			high = 0x9f
		}
	case 0xf0 <= lead && lead <= 0xf4:
		want = 4
		if lead == 0xf0 {
			low = 0x90
		} else if lead == 0xf4 {
			high = 0x8f
		}
	default:
		return 1
	}
	n := 1
	for n < want && n < len(text) && low <= text[n] && text[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}

// escapeName writes a name for display: bytes that are not UTF-8 become \xNN.
// exact is nil when the name is UTF-8, which it is displayed as.
func escapeName(name string) (display string, exact []byte) {
	if utf8.ValidString(name) {
		return name, nil
	}
	const hex = "0123456789abcdef"
	var b strings.Builder
	for rest := name; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 {
			b.WriteString(`\x`)
			b.WriteByte(hex[rest[0]>>4])
			b.WriteByte(hex[rest[0]&15])
		} else {
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String(), []byte(name)
}

// trimLineEnd removes "\n" and one "\r" before it.
func trimLineEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
