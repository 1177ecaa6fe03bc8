package ripgrep

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds nesting as encoding/json does; ripgrep nests five deep.
const maxDepth = 10_000

// scanner reads JSON in place, once, without building values. Every method
// expects to stand before a value and leaves the position behind it. The first
// fault sets failed and moves to the end of the input, where all methods stop;
// callers look at failed when they are done.
//
// Why not encoding/json: decoding is what a large result costs most, and of an
// event of ripgrep four fields are used.
type scanner struct {
	buf    []byte
	pos    int
	depth  int
	failed bool
}

func (s *scanner) fail() {
	s.failed = true
	s.pos = len(s.buf)
}

func (s *scanner) space() {
	for s.pos < len(s.buf) {
		switch s.buf[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// accept consumes c when it is the next byte after white space.
func (s *scanner) accept(c byte) bool {
	s.space()
	if s.pos < len(s.buf) && s.buf[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) expect(c byte) {
	if !s.accept(c) {
		s.fail()
	}
}

// end requires that nothing but white space follows.
func (s *scanner) end() {
	s.space()
	if s.pos != len(s.buf) {
		s.fail()
	}
}

// object calls member at the value of each key. The key is only valid until
// member reads its value.
func (s *scanner) object(member func(key []byte)) {
	s.elements('{', '}', func(int) {
		key, _ := s.string(nil)
		s.expect(':')
		if !s.failed {
			member(key)
		}
	})
}

// array calls element at each value.
func (s *scanner) array(element func(i int)) { s.elements('[', ']', element) }

func (s *scanner) elements(open, shut byte, element func(i int)) {
	s.expect(open)
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	defer func() { s.depth-- }()
	if s.failed || s.accept(shut) {
		return
	}
	for i := 0; !s.failed; i++ {
		element(i)
		if s.failed || s.accept(shut) {
			return
		}
		s.expect(',')
	}
}

// skip passes over one value of any type. What is in it is skipped without the
// callbacks of object and array: most of an event is never looked at.
func (s *scanner) skip() {
	s.space()
	if s.pos >= len(s.buf) {
		s.fail()
		return
	}
	switch s.buf[s.pos] {
	case '{':
		s.skipElements('}')
	case '[':
		s.skipElements(']')
	case '"':
		s.skipString()
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		s.number()
	}
}

// skipElements passes over an object or an array, whose opening is next.
func (s *scanner) skipElements(shut byte) {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	defer func() { s.depth-- }()
	if s.failed || s.accept(shut) {
		return
	}
	for !s.failed {
		if shut == '}' {
			s.skipString()
			s.expect(':')
		}
		s.skip()
		if s.failed || s.accept(shut) {
			return
		}
		s.expect(',')
	}
}

func (s *scanner) literal(word string) {
	if len(s.buf)-s.pos < len(word) || string(s.buf[s.pos:s.pos+len(word)]) != word {
		s.fail()
		return
	}
	s.pos += len(word)
}

// null consumes null when it is the next value.
func (s *scanner) null() bool {
	s.space()
	if s.pos < len(s.buf) && s.buf[s.pos] == 'n' {
		s.literal("null")
		return !s.failed
	}
	return false
}

// optionalInt reads an integer; null is NoOffset.
func (s *scanner) optionalInt() int64 {
	if s.null() {
		return NoOffset
	}
	s.space()
	n, err := strconv.ParseInt(string(s.number()), 10, 64)
	if err != nil {
		s.fail()
		return NoOffset
	}
	return n
}

// number consumes a number by the grammar of RFC 8259 and returns its text.
func (s *scanner) number() []byte {
	start := s.pos
	s.one('-', '-')
	ok := s.one('0', '0') || s.digits()
	if ok && s.one('.', '.') {
		ok = s.digits()
	}
	if ok && s.one('e', 'E') {
		s.one('+', '-')
		ok = s.digits()
	}
	if !ok {
		s.fail()
		return nil
	}
	return s.buf[start:s.pos]
}

// digits consumes digits and reports whether there were any.
func (s *scanner) digits() bool {
	from := s.pos
	for s.pos < len(s.buf) && '0' <= s.buf[s.pos] && s.buf[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > from
}

// one consumes the next byte when it is a or b.
func (s *scanner) one(a, b byte) bool {
	if s.pos < len(s.buf) && (s.buf[s.pos] == a || s.buf[s.pos] == b) {
		s.pos++
		return true
	}
	return false
}

// skipString consumes a string.
func (s *scanner) skipString() {
	if !s.accept('"') {
		s.fail()
		return
	}
	for {
		s.pos = plainUntil(s.buf, s.pos)
		switch {
		case s.pos >= len(s.buf) || s.buf[s.pos] < ' ':
			s.fail()
			return
		case s.buf[s.pos] == '"':
			s.pos++
			return
		case !s.escape():
			s.fail()
			return
		}
	}
}

// plainUntil returns where the plain content of a string ends that goes on at
// i: at a quote, a backslash, a control character or the end of b. It looks at
// eight bytes at once: a byte below a bound borrows from its own top bit when
// the bound is subtracted.
func plainUntil(b []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		quote, slash := word^ones*'"', word^ones*'\\'
		found := ((word-ones*' ')&^word | (quote-ones)&^quote | (slash-ones)&^slash) & tops
		if found != 0 { // the lowest bit is exact, those above it may not be
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}

// escape consumes one escape sequence.
func (s *scanner) escape() bool {
	if s.pos+1 >= len(s.buf) {
		return false
	}
	c := s.buf[s.pos+1]
	s.pos += 2
	if c != 'u' {
		return unescaped[c] != 0
	}
	_, ok := hex4(s.buf[s.pos:])
	s.pos = min(s.pos+4, len(s.buf))
	return ok
}

// string reads a string. The value points into the input, or into buf, which
// may have grown, when there were escapes. It is never nil but after a fault.
func (s *scanner) string(buf []byte) (value, grown []byte) {
	if !s.accept('"') {
		s.fail()
		return nil, buf
	}
	start, escaped := s.pos, false
	for {
		s.pos = plainUntil(s.buf, s.pos)
		if s.pos >= len(s.buf) || s.buf[s.pos] < ' ' {
			s.fail()
			return nil, buf
		}
		plain := s.buf[start:s.pos]
		if s.buf[s.pos] == '"' {
			s.pos++
			if !escaped {
				return plain, buf
			}
			buf = append(buf, plain...)
			return buf, buf
		}
		if !escaped {
			buf, escaped = buf[:0], true
		}
		at := s.pos
		if !s.escape() {
			s.fail()
			return nil, buf
		}
		buf = append(buf, plain...)
		if c := s.buf[at+1]; c != 'u' {
			buf = append(buf, unescaped[c])
		} else {
			buf = utf8.AppendRune(buf, s.rune(at))
		}
		start = s.pos
	}
}

// rune is the character of the \u escape at i, which was read. A pair of surrogates
// is one, of which the second escape is read as well; a half alone is U+FFFD, as in
// encoding/json.
func (s *scanner) rune(i int) rune {
	r, _ := hex4(s.buf[i+2:])
	if !utf16.IsSurrogate(r) {
		return r
	}
	if next := s.buf[s.pos:]; len(next) > 2 && next[0] == '\\' && next[1] == 'u' {
		if low, ok := hex4(next[2:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				s.pos += 6
				return pair
			}
		}
	}
	return utf8.RuneError
}

// unescaped maps the letter of a short escape to its byte.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}
