package trigram

import "strings"

// large is a class in Go's syntax that is too large to be spelled out: it stands for
// what Unicode decides, which Go takes for ASCII.
const large = `\pL`

// rewrite returns the pattern written so that Go reads nothing more into it than
// ripgrep does, or false when there is no such spelling.
func rewrite(pattern string) (text string, ok bool) {
	w := rewriter{rest: pattern}
	for w.rest != "" {
		if !w.next() {
			return "", false
		}
	}
	return w.text.String(), true
}

type rewriter struct {
	rest string
	text strings.Builder
}

// take moves the first n bytes.
func (w *rewriter) take(n int) {
	w.text.WriteString(w.rest[:n])
	w.rest = w.rest[n:]
}

func (w *rewriter) next() bool {
	switch w.rest[0] {
	case '\\':
		return w.escape()
	case '[':
		return w.class()
	case '{':
		end := strings.IndexByte(w.rest, '}')
		if end < 0 || !isRepetition(w.rest[1:end]) {
			return false // with blanks in it, without a lower bound, or a literal to Go
		}
	}
	w.take(1)
	return true
}

// escape rewrites an escape outside brackets.
func (w *rewriter) escape() bool {
	if len(w.rest) < 2 {
		return false
	}
	switch c := w.rest[1]; {
	case strings.IndexByte("dDwWsS", c) >= 0:
		w.rest = w.rest[2:]
		w.text.WriteString(large)
		return true
	case c == 'p' || c == 'P':
		w.text.WriteString(large)
		return w.property()
	case c == 'b' || c == 'B':
		if strings.HasPrefix(w.rest[2:], "{") {
			return false
		}
	case c == 'A' || c == 'z':
	default:
		return w.character()
	}
	w.take(2)
	return true
}

// property passes over \pN or \p{Name}.
func (w *rewriter) property() bool {
	if len(w.rest) < 3 {
		return false
	}
	if w.rest[2] != '{' {
		w.rest = w.rest[3:]
		return true
	}
	end := strings.IndexByte(w.rest, '}')
	if end < 0 {
		return false
	}
	w.rest = w.rest[end+1:]
	return true
}

// character takes an escape of one character that both read alike: a hexadecimal
// one, a control character, or punctuation (but \< and \>, which are boundaries).
func (w *rewriter) character() bool {
	switch c := w.rest[1]; {
	case c == 'x':
		end := 1
		if strings.HasPrefix(w.rest[2:], "{") {
			if end = strings.IndexByte(w.rest, '}'); end < 0 {
				return false
			}
		}
		w.take(end + 1)
		return true
	case strings.IndexByte("tfvan", c) >= 0, c < 0x80 && !isAlphanumeric(c) && c != '<' && c != '>' && c != '_':
		w.take(2)
		return true
	case c == '_':
		w.rest = w.rest[1:]
		w.take(1)
		return true
	}
	return false
}

// class rewrites a class in brackets. One that Unicode has a say in becomes large.
func (w *rewriter) class() bool {
	saved := w.text.String()
	w.take(1)
	if strings.HasPrefix(w.rest, "^") {
		w.take(1)
	}
	if strings.HasPrefix(w.rest, "]") {
		w.text.WriteString(`\]`)
		w.rest = w.rest[1:]
	}
	unicode := false
	for {
		switch {
		case w.rest == "", len(w.rest) == 1 && w.rest != "]":
			return false
		case w.rest[0] == ']':
			w.take(1)
			if unicode {
				w.text.Reset()
				w.text.WriteString(saved + large)
			}
			return true
		case strings.HasPrefix(w.rest, "[:"):
			end := strings.Index(w.rest, ":]")
			if end < 0 {
				return false
			}
			w.take(end + 2)
		case w.rest[0] == '[', strings.HasPrefix(w.rest, "&&"), strings.HasPrefix(w.rest, "--"), strings.HasPrefix(w.rest, "~~"):
			return false // classes of classes
		case w.rest[0] == '\\' && strings.IndexByte("dDwWsSpP", w.rest[1]) >= 0:
			unicode = true
			if c := w.rest[1]; c != 'p' && c != 'P' {
				w.rest = w.rest[2:]
			} else if !w.property() {
				return false
			}
			w.text.WriteByte('a') // for something to stand there
		case w.rest[0] == '\\':
			if !w.character() {
				return false
			}
		default:
			w.take(1)
		}
	}
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isRepetition reports whether both take what is between braces for a repetition.
func isRepetition(s string) bool {
	low, high, ranged := strings.Cut(s, ",")
	return isNumber(low) && (!ranged || high == "" || isNumber(high))
}

// isNumber takes no more digits than a bound of either has.
func isNumber(s string) bool {
	return s != "" && len(s) <= 4 && strings.Trim(s, "0123456789") == ""
}
