package search

import "strings"

// maxAlternatives bounds how many globs one written pattern may become: each is
// matched against every name.
const maxAlternatives = 64

// part is a piece of a glob: text as it is written, or braces with alternatives.
type part struct {
	text   string
	braces [][]part // nil for text
}

// splitBraces reads a glob into parts. ok is false when braces do not pair; what
// stands in brackets or behind a backslash is text.
func splitBraces(glob string) (parts []part, ok bool) {
	s := braceScanner{rest: glob}
	parts = s.sequence(false)
	return parts, !s.bad && s.rest == ""
}

type braceScanner struct {
	rest string
	bad  bool
}

// sequence reads up to the "," or "}" that ends an alternative.
func (s *braceScanner) sequence(inside bool) []part {
	var parts []part
	text := 0
	flush := func() {
		if text > 0 {
			parts = append(parts, part{text: s.rest[:text]})
			s.rest, text = s.rest[text:], 0
		}
	}
	for text < len(s.rest) && !s.bad {
		switch c := s.rest[text]; {
		case c == '\\':
			text = min(text+2, len(s.rest))
		case c == '[':
			text += classLength(s.rest[text:])
		case c == '{':
			flush()
			s.rest = s.rest[1:]
			parts = append(parts, part{braces: s.alternatives()})
		case inside && (c == ',' || c == '}'):
			flush()
			return parts
		case c == '}':
			s.bad = true
		default:
			text++
		}
	}
	flush()
	s.bad = s.bad || inside
	return parts
}

// alternatives reads what stands behind an opening brace.
func (s *braceScanner) alternatives() [][]part {
	var all [][]part
	for !s.bad {
		all = append(all, s.sequence(true))
		if s.rest == "" {
			s.bad = true
			break
		}
		shut := s.rest[0] == '}'
		s.rest = s.rest[1:]
		if shut {
			break
		}
	}
	return all
}

// classLength is the length of the brackets that a text begins with, or 1 when
// they are not closed.
func classLength(text string) int {
	i := 1
	if i < len(text) && (text[i] == '!' || text[i] == '^') {
		i++
	}
	shut := strings.IndexByte(text[min(i+1, len(text)):], ']')
	if shut < 0 {
		return 1
	}
	return i + 1 + shut + 1
}

// emptiesMeant spells a glob out in patterns that together mean what its empty
// alternatives say: "test{,2}" is "test{2}" and "test". ripgrep drops an empty
// alternative. The pattern itself comes back alone when it has none, or when
// there would be too many.
func emptiesMeant(glob string) []string {
	parts, ok := splitBraces(glob)
	if !ok {
		return []string{glob}
	}
	all := spellOut(parts)
	if len(all) == 0 || len(all) > maxAlternatives {
		return []string{glob}
	}
	return all
}

func spellOut(parts []part) []string {
	all := []string{""}
	for _, p := range parts {
		ways := []string{p.text}
		if p.braces != nil {
			ways = spellOutBraces(p.braces)
		}
		if len(all)*len(ways) > maxAlternatives {
			return nil
		}
		var longer []string
		for _, head := range all {
			for _, way := range ways {
				longer = append(longer, head+way)
			}
		}
		all = longer
	}
	return all
}

func spellOutBraces(alternatives [][]part) []string {
	var filled []string
	empty := false
	for _, alternative := range alternatives {
		for _, way := range spellOut(alternative) {
			if way == "" {
				empty = true
			} else {
				filled = append(filled, way)
			}
		}
	}
	var ways []string
	if len(filled) > 0 {
		ways = append(ways, "{"+strings.Join(filled, ",")+"}")
	}
	if empty || len(ways) == 0 {
		ways = append(ways, "")
	}
	return ways
}

// blanksOut leaves out the blanks around the alternatives of braces, and reports
// whether there were any.
func blanksOut(glob string) (without string, changed bool) {
	parts, ok := splitBraces(glob)
	if !ok {
		return glob, false
	}
	without = joinParts(parts)
	return without, without != glob
}

func joinParts(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text)
		if p.braces == nil {
			continue
		}
		b.WriteByte('{')
		for i, alternative := range p.braces {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(trimBlanks(joinParts(alternative)))
		}
		b.WriteByte('}')
	}
	return b.String()
}

// trimBlanks takes blanks off both ends, but for one that a backslash escapes.
func trimBlanks(text string) string {
	text = strings.TrimLeft(text, " \t")
	for {
		shorter := strings.TrimRight(text, " \t")
		if shorter == text || strings.HasSuffix(shorter, `\`) {
			return text
		}
		text = shorter
	}
}

// splitTop splits a glob at characters that stand outside braces and brackets and
// are not escaped.
func splitTop(glob, separators string) []string {
	var pieces []string
	braces, start := 0, 0
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\':
			i++
		case c == '[':
			i += classLength(glob[i:]) - 1
		case c == '{':
			braces++
		case c == '}':
			braces--
		case braces <= 0 && strings.IndexByte(separators, c) >= 0:
			pieces = append(pieces, glob[start:i])
			start = i + 1
		}
	}
	return append(pieces, glob[start:])
}
