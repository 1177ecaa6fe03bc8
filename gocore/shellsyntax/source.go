package shellsyntax

import (
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Source maps between the text that is parsed and the one that was given.
// The parser wants UTF-8: bytes that are none travel as private characters.
type Source struct {
	dialect shellplan.Dialect
	text    string  // what the parser reads
	moved   []shift // ascending
	sums    []int   // by how much the text is longer before each of them
}

// shift is a place of the parsed text from which on it is longer than what was
// given.
type shift struct{ at, by int }

// Offset is a position of the parsed text in the bytes that were given.
func (s *Source) Offset(n int) int {
	if len(s.sums) <= len(s.moved) {
		s.sums = make([]int, 1, len(s.moved)+1)
		for _, m := range s.moved {
			s.sums = append(s.sums, s.sums[len(s.sums)-1]+m.by)
		}
	}
	i, _ := slices.BinarySearchFunc(s.moved, n, func(m shift, n int) int { return m.at - n })
	return n - s.sums[i]
}

// insert puts a blank before a position of the parsed text.
func (s *Source) insert(at int) {
	s.text = s.text[:at] + " " + s.text[at:]
	i := 0
	for i < len(s.moved) && s.moved[i].at < at {
		i++
	}
	s.moved, s.sums = slices.Insert(s.moved, i, shift{at, 1}), nil
	for k := i + 1; k < len(s.moved); k++ {
		s.moved[k].at++
	}
}

// Bytes is a piece of the parsed text as it was given.
func (s *Source) Bytes(text string) []byte {
	if len(s.moved) == 0 {
		return []byte(text)
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r >= privateBase && r < privateBase+256 {
			out = append(out, byte(r-privateBase))
		} else {
			out = append(out, string(r)...)
		}
	}
	return out
}

// Exact reports whether the parsed text is the given one, byte for byte.
func (s *Source) Exact() bool { return len(s.moved) == 0 }

// privateBase is the first of 256 characters, of the last private plane, that
// stand for single bytes. A text that has one of them already is refused.
const privateBase = 0x10FE00

// encode fills the source from the given bytes.
func encode(b []byte) (Source, bool) {
	text := string(b)
	if valid := strings.ToValidUTF8(text, ""); len(valid) == len(text) {
		return Source{text: text}, true
	}
	var s Source
	var out strings.Builder
	for i, r := range text {
		switch {
		case r >= privateBase && r < privateBase+256:
			return Source{}, false
		case r == 0xFFFD && !strings.HasPrefix(text[i:], "\uFFFD"):
			s.moved = append(s.moved, shift{out.Len(), 3}) // four bytes for one
			out.WriteRune(rune(privateBase + int(text[i])))
		default:
			out.WriteRune(r)
		}
	}
	s.text = out.String()
	return s, true
}
