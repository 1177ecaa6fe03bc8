package pattern

import "unicode"

// set is a bracket expression.
type set struct {
	not   bool
	items []item
}

// item is a character, a range or a class of a set.
type item struct {
	lo, hi  rune // a range; one character when equal
	isRange bool
	class   string // a class name; lo and hi unused
	fold    bool
	collate bool // the range follows an unknown order
	signed  bool // bytes are compared as signed or unsigned, not known which
	wide    bool // characters, not bytes
}

func (s *set) matches(c rune) Result {
	best := No
	for i := range s.items {
		if r := s.items[i].matches(c); r > best {
			best = r
		}
		if best == Yes {
			break
		}
	}
	if s.not {
		return Yes - best
	}
	return best
}

func (it *item) matches(c rune) Result {
	switch {
	case it.class != "":
		return it.inClass(c)
	case !it.isRange:
		if c == it.lo {
			return Yes
		}
		if it.fold {
			return sameFold(it.lo, c)
		}
		return No
	default:
		return it.inRange(c)
	}
}

func (it *item) inRange(c rune) Result {
	lo, hi := it.lo, it.hi
	if it.fold {
		if c >= 0x80 || lo >= 0x80 || hi >= 0x80 {
			return Maybe
		}
		lo, hi, c = unicode.ToLower(lo), unicode.ToLower(hi), unicode.ToLower(c)
	}
	in := No
	if lo <= c && c <= hi {
		in = Yes
	}
	switch {
	case it.collate:
		return collated(lo, hi, c, in)
	case it.signed && (lo >= 0x80 || hi >= 0x80):
		if a := signedIn(lo, hi, c); a != (in == Yes) {
			return Maybe
		}
	case it.wide && (c > 0xff || lo > 0xff || hi > 0xff):
		// Past Latin-1 bash asks the collation order even with
		// globasciiranges, and that order is not known.
		return Maybe
	}
	return in
}

// signedIn compares bytes the way a C compiler with a signed char does.
func signedIn(lo, hi, c rune) bool {
	l, h, x := int8(lo), int8(hi), int8(c)
	return l <= x && x <= h
}

// collated answers for a range in an unknown collation order. Every order in
// use keeps the digits together and apart from letters, and keeps letters of
// one case in alphabetical order; nothing else is sure.
func collated(lo, hi, c rune, in Result) Result {
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	alnum := func(r rune) bool { return digit(r) || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	if in == Yes && alnum(lo) && alnum(hi) && alnum(c) {
		return Yes
	}
	if digit(lo) && digit(hi) && alnum(c) {
		return in
	}
	return Maybe
}

// classes are the names that stand in [: :]; the value says for an ASCII
// character whether it is a member (POSIX locale).
var classes = map[string]func(c rune) bool{
	"alnum":  func(c rune) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c rune) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c rune) bool { return c < 0x20 || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c rune) bool { return c > 0x20 && c < 0x7f },
	"lower":  func(c rune) bool { return c >= 'a' && c <= 'z' },
	"print":  func(c rune) bool { return c >= 0x20 && c < 0x7f },
	"punct":  func(c rune) bool { return c > 0x20 && c < 0x7f && !isAlpha(c) && !isDigit(c) },
	"space":  func(c rune) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"upper":  func(c rune) bool { return c >= 'A' && c <= 'Z' },
	"xdigit": func(c rune) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' },
	// Bash alone has these two.
	"ascii": func(c rune) bool { return c < 0x80 },
	"word":  func(c rune) bool { return isAlpha(c) || isDigit(c) || c == '_' },
}

func isAlpha(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c rune) bool { return c >= '0' && c <= '9' }

func validClass(name string, d Dialect) bool {
	if d == Dash && (name == "ascii" || name == "word") {
		return false
	}
	_, ok := classes[name]
	return ok
}

func (it *item) inClass(c rune) Result {
	if c < 0x80 {
		if classes[it.class](c) {
			return Yes
		}
		if it.fold && (it.class == "upper" || it.class == "lower") && isAlpha(c) {
			return Maybe // versions differ on whether classes fold
		}
		return No
	}
	if !it.wide {
		return No // no byte above ASCII is in a class, in C and in UTF-8
	}
	switch it.class {
	case "ascii", "digit", "xdigit":
		return No
	}
	return Maybe // the C library's table, which is not ours
}
