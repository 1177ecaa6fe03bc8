package pattern

// extended is one of bash's extended operators: ?(a|b), *(...), +(...), @(...)
// and !(...).
type extended struct {
	kind rune
	alts [][]node
}

// extends reports whether an extended operator starts at pat[i].
func (o Options) extends(pat []rune, i int) bool {
	return o.Extended && o.Dialect == Bash && i+1 < len(pat) && pat[i+1] == '(' && pat[i] < 0x80 && isExtended(byte(pat[i]))
}

// parseExtended reads the operator at pat[i] and gives the index behind its
// closing parenthesis. A bracket expression and a negation inside it are not
// modelled, since bash reads them in ways of its own there.
func parseExtended(pat []rune, i int, o Options, chars bool) (*extended, int, error) {
	bad := &Error{CodeNotModelled, i, "an extended pattern"}
	e := &extended{kind: pat[i]}
	depth, start := 0, i+2
	add := func(end int) error {
		nodes, _, err := compile(pat[start:end], o, chars)
		e.alts = append(e.alts, nodes)
		start = end + 1
		return err
	}
	for k := i + 2; k < len(pat); k++ {
		switch pat[k] {
		case '\\':
			k++
		case '[':
			return nil, 0, bad
		case '(':
			if pat[k-1] == '!' {
				return nil, 0, bad // bash's own reading of a negation in another operator is erratic
			}
			depth++
		case '|':
			if depth == 0 {
				if err := add(k); err != nil {
					return nil, 0, err
				}
			}
		case ')':
			if depth--; depth < 0 {
				if err := add(k); err != nil {
					return nil, 0, err
				}
				return e, k + 1, nil
			}
		}
	}
	return nil, 0, bad
}

// leadsWithDot reports whether bash lets the pattern match a leading dot: one
// that its first element can start with is written out.
func leadsWithDot(nodes []node) bool {
	if len(nodes) == 0 {
		return false
	}
	switch n := &nodes[0]; n.op {
	case opChar:
		return n.char == '.'
	case opExt:
		for _, a := range n.ext.alts {
			if leadsWithDot(a) {
				return true
			}
		}
		return n.ext.kind != '@' && n.ext.kind != '+' && leadsWithDot(nodes[1:])
	}
	return false
}

// maxExtendedSteps bounds the matching of one name. Nested repetitions can take
// exponentially many; past the bound the name may match.
const maxExtendedSteps = 1 << 14

type extMatcher struct{ left int }

// run is run for nodes with extended operators among them, by backtracking.
func (m *extMatcher) run(nodes []node, text []rune, least Result) bool {
	if m.left--; m.left < 0 {
		return least == Maybe
	}
	if len(nodes) == 0 {
		return len(text) == 0
	}
	n, rest := &nodes[0], nodes[1:]
	switch n.op {
	case opStar:
		for i := 0; i <= len(text); i++ {
			if m.run(rest, text[i:], least) {
				return true
			}
		}
		return false
	case opExt:
		return m.extended(n.ext, n.ext.kind, rest, text, least)
	}
	return len(text) > 0 && n.matches(text[0]) >= least && m.run(rest, text[1:], least)
}

func (m *extMatcher) extended(e *extended, kind rune, rest []node, text []rune, least Result) bool {
	if (kind == '?' || kind == '*') && m.run(rest, text, least) {
		return true
	}
	for i := 0; i <= len(text); i++ {
		if kind == '!' {
			// What surely matches is out; what may match may be out.
			if !m.any(e, text[:i], Yes+Maybe-least) && m.run(rest, text[i:], least) {
				return true
			}
			continue
		}
		if !m.any(e, text[:i], least) {
			continue
		}
		if m.run(rest, text[i:], least) {
			return true
		}
		if (kind == '*' || kind == '+') && i > 0 && m.extended(e, '*', rest, text[i:], least) {
			return true
		}
	}
	return false
}

func (m *extMatcher) any(e *extended, text []rune, least Result) bool {
	for _, a := range e.alts {
		if m.run(a, text, least) {
			return true
		}
	}
	return false
}
