package shellword

import (
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Match is whether a pattern matches a text.
type Match uint8

const (
	// MayMatch is not known. The zero value.
	MayMatch Match = iota
	NoMatch
	Matches
)

// MatchText reports whether a pattern matches a whole text, a slash and a
// leading dot being ordinary: MayMatch for constructs that are not modelled.
func MatchText(pat, mask, s []byte) Match {
	work := 1 << 16
	return matchAt(pat, mask, s, &work)
}

func matchAt(pat, mask, s []byte, work *int) Match {
	for len(pat) > 0 {
		if *work--; *work < 0 {
			return MayMatch
		}
		active := len(mask) > 0 && mask[0] == shellplan.MaskActive
		switch c := pat[0]; {
		case active && c == '*':
			verdict := NoMatch
			for i := 0; i <= len(s); i++ {
				switch matchAt(pat[1:], mask[1:], s[i:], work) {
				case Matches:
					return Matches
				case MayMatch:
					verdict = MayMatch
				}
			}
			return verdict
		case active && c == '?':
			if len(s) == 0 {
				return NoMatch
			}
			if s[0] >= utf8.RuneSelf {
				return MayMatch // a byte or a character, by locale
			}
			s = s[1:]
		case active && (c == '[' || c == '\\'):
			return MayMatch
		case active && (c == '(' || c == '!' || c == '+' || c == '@') && len(pat) > 1 && pat[1] == '(':
			return MayMatch
		default:
			if len(s) == 0 || s[0] != c {
				return NoMatch
			}
			s = s[1:]
		}
		pat = pat[1:]
		if len(mask) > 0 {
			mask = mask[1:]
		}
	}
	if len(s) == 0 {
		return Matches
	}
	return NoMatch
}
