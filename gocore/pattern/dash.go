package pattern

import "strings"

// parseDash reads a bracket expression the way dash's own matcher does: only
// `!` negates, equivalence classes and collating symbols are characters, and a
// bad class is the characters it is written with.
func parseDash(pat []rune, i int, o Options) (*set, int, error) {
	at := func(k int) rune {
		if k < len(pat) {
			return pat[k]
		}
		return 0
	}
	s := &set{}
	start := i - 1
	if at(i) == '!' {
		s.not = true
		i++
	}
	add := func(it item) {
		it.fold = o.NoCase
		s.items = append(s.items, it)
	}
	c := at(i)
	i++
	for {
		if c == 0 {
			return nil, 0, nil
		}
		if name, n := dashClass(pat[min(i, len(pat)):]); c == '[' && n > 0 {
			add(item{class: name})
			i += n
		} else {
			if c == '\\' {
				c = at(i)
				i++
			}
			if at(i) == '-' && at(i+1) != ']' {
				i++
				if at(i) == '\\' {
					i++
				}
				if at(i) == 0 {
					// Dash reads on past the end of the component here.
					return nil, 0, &Error{CodeNotModelled, start, "a range without an end"}
				}
				// Bytes above ASCII are compared as the compiler's
				// char, whose sign differs between machines.
				add(item{lo: c, hi: at(i), isRange: true, signed: true})
				i++
			} else {
				add(item{lo: c, hi: c})
			}
		}
		c = at(i)
		i++
		if c == ']' {
			return s, i, nil
		}
	}
}

// dashClass reads `:name:]` at the start of pat and returns the name and the
// length, 0 when there is no class of that name.
func dashClass(pat []rune) (string, int) {
	if len(pat) == 0 || pat[0] != ':' {
		return "", 0
	}
	text := string(pat)
	for name := range classes {
		if validClass(name, Dash) && strings.HasPrefix(text, ":"+name+":]") {
			return name, len(name) + 3
		}
	}
	return "", 0
}
