package pattern

import "unicode"

// node is one element of a compiled component. Each but star consumes exactly
// one character of the name.
type node struct {
	op   op
	char rune
	fold bool
	set  *set
	ext  *extended
}

type op uint8

const (
	opChar op = iota
	opAny
	opStar
	opSet
	opExt
)

func literalNodes(raw []byte) []node {
	out := make([]node, len(raw))
	for i, b := range raw {
		out[i] = node{op: opChar, char: rune(b)}
	}
	return out
}

// compile turns the escaped form into nodes; meta says whether there is an
// operator among them.
func compile(pat []rune, o Options, chars bool) (nodes []node, meta bool, err error) {
	closed := lastClose(pat)
	for i := 0; i < len(pat); {
		switch c := pat[i]; {
		case o.extends(pat, i):
			ext, end, err := parseExtended(pat, i, o, chars)
			if err != nil {
				return nil, false, err
			}
			meta = true
			nodes = append(nodes, node{op: opExt, ext: ext})
			i = end
		case c == '*':
			meta = true
			if n := len(nodes); n == 0 || nodes[n-1].op != opStar {
				nodes = append(nodes, node{op: opStar})
			}
			i++
		case c == '?':
			meta = true
			nodes = append(nodes, node{op: opAny})
			i++
		case c == '[':
			var set *set
			var end int
			if i < closed || o.Dialect == Dash {
				set, end, err = parseSet(pat, i+1, o, chars)
			}
			if err != nil {
				return nil, false, err
			}
			if set == nil { // no closing bracket: just a character
				nodes = append(nodes, node{op: opChar, char: '['})
				i++
				continue
			}
			meta = true
			nodes = append(nodes, node{op: opSet, set: set})
			i = end
		default:
			if c == '\\' && i+1 < len(pat) {
				i++
				c = pat[i]
			}
			nodes = append(nodes, node{op: opChar, char: c, fold: o.NoCase})
			i++
		}
	}
	return nodes, meta, nil
}

// lastClose is the index of the last `]` that nothing quotes: a `[` after it
// opens nothing, which is known without reading on.
func lastClose(pat []rune) int {
	last := -1
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			i++
		case ']':
			last = i
		}
	}
	return last
}

func parseSet(pat []rune, i int, o Options, chars bool) (*set, int, error) {
	if o.Dialect == Dash {
		return parseDash(pat, i, o)
	}
	return parseBash(pat, i, o, chars)
}

// run matches nodes against text. least is the weakest answer of an element
// that counts: Maybe finds what may match, Yes what surely does. Every element
// but star takes one character, so going back to the last star is enough.
func run(nodes []node, text []rune, least Result) bool {
	for i := range nodes {
		if nodes[i].op == opExt {
			m := &extMatcher{left: maxExtendedSteps}
			return m.run(nodes, text, least)
		}
	}
	n, t := 0, 0
	starN, starT := -1, 0
	for t < len(text) {
		if n < len(nodes) && nodes[n].op == opStar {
			starN, starT = n, t
			n++
			continue
		}
		if n < len(nodes) && nodes[n].matches(text[t]) >= least {
			n, t = n+1, t+1
			continue
		}
		if starN < 0 {
			return false
		}
		starT++
		n, t = starN+1, starT
	}
	for n < len(nodes) && nodes[n].op == opStar {
		n++
	}
	return n == len(nodes)
}

func (n *node) matches(c rune) Result {
	switch n.op {
	case opAny:
		return Yes
	case opSet:
		return n.set.matches(c)
	default:
		if n.char == c {
			return Yes
		}
		if n.fold {
			return sameFold(n.char, c)
		}
		return No
	}
}

// sameFold reports whether two characters are one letter in two cases. Beyond
// ASCII the table is the C library's, which may differ from ours.
func sameFold(a, b rune) Result {
	for r := unicode.SimpleFold(a); r != a; r = unicode.SimpleFold(r) {
		if r == b {
			if a < 0x80 && b < 0x80 {
				return Yes
			}
			return Maybe
		}
	}
	return No
}
