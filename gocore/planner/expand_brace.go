package planner

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellword"
)

// braces expands `{a,b}` and `{1..3}` in a word, before any other expansion:
// quoted bytes and expansions are carried along unseen. The results come in
// bash's order. Empty ones stay: they vanish later unless something is quoted.
//
// Bash manual, "Brace Expansion": it comes first and is strictly textual, so
// nothing that stands between the braces is understood here.
func (p *planner) braces(a []atom) [][]atom {
	open := slices.IndexFunc(a, func(x atom) bool { return x.kind == atomPlain && x.c == '{' })
	if open < 0 {
		return [][]atom{a}
	}
	return p.expandBraces(a, 0)
}

// expandBraces is bash's algorithm: the first brace that closes and holds a
// comma or a sequence is replaced by its parts, each joined to what stands
// before it and to every expansion of what stands behind.
func (p *planner) expandBraces(a []atom, depth int) [][]atom {
	if depth > shellplan.MaxNesting {
		panic(tooLarge{"braces nested too deep"})
	}
	for i := 0; i < len(a); i++ {
		if a[i].kind != atomPlain || a[i].c != '{' {
			continue
		}
		if i == 0 && len(a) > 1 && a[1].kind == atomPlain && a[1].c == '}' {
			continue // {} at the start of a word is text
		}
		end, commas := closingBrace(a, i)
		if end < 0 {
			continue
		}
		var middles [][]atom
		if len(commas) > 0 {
			from := i + 1
			for _, c := range append(commas, end) {
				middles = append(middles, p.expandBraces(a[from:c], depth+1)...)
				from = c + 1
			}
		} else if middles = p.sequence(a[i+1 : end]); middles == nil {
			if slices.ContainsFunc(a[i+1:end], func(x atom) bool { return x.kind == atomPlain && x.c == '{' }) {
				return [][]atom{{{kind: atomPart, why: &shellplan.Opaque{
					Code: shellplan.OpaqueConstruct, Detail: "braces inside a sequence of braces are not modelled",
				}}}}
			}
			middles = [][]atom{a[i : end+1]} // a sequence that is none stays text
		}
		var out [][]atom
		for _, tail := range p.expandBraces(a[end+1:], depth) {
			for range middles {
				out = append(out, nil)
			}
			base := len(out) - len(middles)
			for k, m := range middles {
				out[base+k] = slices.Concat(a[:i], m, tail)
			}
			p.budget.spend(len(middles) * (len(a) + 1))
			if p.budget.bytes -= len(middles) * (len(a) + 1); p.budget.bytes < 0 || len(out) > shellplan.MaxFields {
				panic(tooLarge{"a brace expansion with too many words"})
			}
		}
		return reorder(out, len(middles))
	}
	return [][]atom{a}
}

// reorder turns tail-major results into bash's order: the leftmost brace varies
// slowest.
func reorder(list [][]atom, middles int) [][]atom {
	tails := len(list) / middles
	out := make([][]atom, 0, len(list))
	for m := range middles {
		for t := range tails {
			out = append(out, list[t*middles+m])
		}
	}
	return out
}

// closingBrace finds the brace that closes the one at i and the commas between
// them at its own level; -1 when there is none. Only a brace behind a comma or
// two dots closes.
func closingBrace(a []atom, i int) (int, []int) {
	level, marks := 0, 0
	var commas []int
	for j := i + 1; j < len(a); j++ {
		if a[j].kind != atomPlain {
			continue
		}
		switch a[j].c {
		case '{':
			level++
		case '}':
			if level == 0 && marks > 0 {
				return j, commas
			}
			level = max(level-1, 0)
		case ',':
			if level == 0 {
				marks++
				commas = append(commas, j)
			}
		case '.':
			if level == 0 && j+2 < len(a) && a[j+1].kind == atomPlain && a[j+1].c == '.' && !(a[j+2].kind == atomPlain && a[j+2].c == '}') {
				marks++
			}
		}
	}
	return -1, nil
}

// sequence expands the inside of `{x..y}` and `{x..y..step}`; nil when it is
// none.
//
// Long because the forms of a sequence (numbers with and without leading zeros,
// letters, a step, both directions) share their bounds and their one loop.
func (p *planner) sequence(a []atom) [][]atom {
	parts := []string{""}
	for i := 0; i < len(a); i++ {
		if a[i].kind != atomPlain {
			return nil
		}
		if a[i].c == '.' && i+1 < len(a) && a[i+1].kind == atomPlain && a[i+1].c == '.' {
			parts = append(parts, "")
			i++
			continue
		}
		parts[len(parts)-1] += string(a[i].c)
	}
	if len(parts) != 2 && len(parts) != 3 {
		return nil
	}
	step := int64(0)
	if len(parts) == 3 {
		n, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			return nil
		}
		step = n
	}
	from, err1 := strconv.ParseInt(parts[0], 10, 64)
	to, err2 := strconv.ParseInt(parts[1], 10, 64)
	letters := false
	if err1 != nil || err2 != nil {
		if len(parts[0]) != 1 || len(parts[1]) != 1 || !shellword.IsLetter(parts[0][0]) || !shellword.IsLetter(parts[1][0]) {
			return nil
		}
		letters, from, to = true, int64(parts[0][0]), int64(parts[1][0])
	}
	if step < 0 {
		step = -step
	}
	if step <= 0 {
		step = 1
	}
	const far = 1 << 40 // beyond it differences overflow
	span := to - from
	if span < 0 {
		span = -span
	}
	if from > far || from < -far || to > far || to < -far || span/step >= shellplan.MaxFields {
		panic(tooLarge{"a brace expansion with too many words"})
	}
	width := 0
	if !letters && (zeroPadded(parts[0]) || zeroPadded(parts[1])) {
		width = max(len(parts[0]), len(parts[1]))
	}
	var out [][]atom
	for n := from; ; {
		s := string(rune(n))
		if !letters {
			s = fmt.Sprintf("%0*d", width, n)
		}
		item := make([]atom, 0, len(s))
		for i := range len(s) {
			kind := atomPlain
			if letters {
				kind = atomPlain // a letter or a bracket between Z and a
			}
			item = append(item, atom{c: s[i], kind: kind})
		}
		out = append(out, item)
		if from <= to {
			n += step
			if n > to {
				break
			}
		} else {
			n -= step
			if n < to {
				break
			}
		}
	}
	return out
}

func zeroPadded(s string) bool {
	if len(s) > 0 && s[0] == '-' {
		s = s[1:]
	}
	return len(s) > 1 && s[0] == '0'
}
