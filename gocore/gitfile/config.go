package gitfile

import "strings"

// Setting is one line of a git configuration file.
type Setting struct {
	Key   string // lower case, its parts joined by dots
	Value string
}

// ParseConfig reads the settings of a git configuration file. ok is false
// for a text that git would refuse; what it means is then not known.
func ParseConfig(text string) (out []Setting, ok bool) {
	section := ""
	text = strings.TrimPrefix(text, "\ufeff")
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimLeft(strings.TrimSuffix(line, "\r"), " \t")
		for strings.HasPrefix(line, "[") {
			name, after, ok := sectionName(line)
			if !ok {
				return nil, false
			}
			section, line = name, strings.TrimLeft(after, " \t")
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, valued := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		if !valued {
			key, _, _ = strings.Cut(key, "#")
			key, _, _ = strings.Cut(key, ";")
			key, value = strings.TrimSpace(key), "true"
		}
		if section == "" || !keyName(key) {
			return nil, false
		}
		if valued {
			for continued(value) && text != "" {
				next, rest, _ := strings.Cut(text, "\n")
				text = rest
				value = value[:len(value)-1] + strings.TrimSuffix(next, "\r")
			}
			value = unquote(value)
		}
		out = append(out, Setting{section + "." + strings.ToLower(key), value})
	}
	return out, true
}

// sectionName reads `[name]`, `[name.sub]` or `[name "sub"]`.
func sectionName(line string) (name, rest string, ok bool) {
	var b strings.Builder
	quoted, ended := false, false
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case c == '"':
			if quoted {
				ended = true
			} else {
				b.WriteByte('.')
			}
			quoted = !quoted
		case quoted:
			b.WriteByte(c)
		case c == ']':
			name := strings.ToLower(b.String())
			return name, line[i+1:], name != ""
		case c == ' ' || c == '\t':
		case ended:
			return "", "", false
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

func keyName(key string) bool {
	for i := range len(key) {
		c := key[i] | 0x20
		if (c < 'a' || c > 'z') && key[i] != '-' && (i == 0 || key[i] < '0' || key[i] > '9') {
			return false
		}
	}
	return key != ""
}

// continued reports whether a value goes on in the next line: it ends in a
// backslash that nothing quotes.
func continued(value string) bool {
	n := len(value) - len(strings.TrimRight(value, `\`))
	return n%2 == 1
}

// unquote takes the quotes, escapes and comments of a value away.
func unquote(value string) string {
	var b strings.Builder
	quoted, keep := false, 0
	value = strings.TrimLeft(value, " \t")
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\' && i+1 < len(value):
			i++
			switch value[i] {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			default:
				c = value[i]
			}
		case c == '"':
			quoted = !quoted
			keep = b.Len()
			continue
		case (c == '#' || c == ';') && !quoted:
			return b.String()[:max(keep, len(strings.TrimRight(b.String(), " \t")))]
		}
		b.WriteByte(c)
		if quoted {
			keep = b.Len()
		}
	}
	return b.String()[:max(keep, len(strings.TrimRight(b.String(), " \t")))]
}

// KeyMatches compares a key with a pattern, in which `*` stands for
// one or more parts.
func KeyMatches(pattern, key string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !more {
		return pattern == key
	}
	if !strings.HasPrefix(key, first) {
		return false
	}
	for i := len(first) + 1; i <= len(key); i++ {
		if (i == len(key) || key[i] == '.') && KeyMatches(rest, key[i:]) {
			return true
		}
	}
	return false
}
