package pattern

// parseBash reads a bracket expression whose `[` stands before pat[i]. It
// returns the set and the index after the closing bracket, or nil when there is
// none and the `[` is an ordinary character.
//
// Bash decides where an expression ends while it matches: after the first item
// that matches it skips to the end by other rules than those it reads further
// items by. For everything well-formed the two agree; where they do not, the
// names matched are not known.
func parseBash(pat []rune, i int, o Options, chars bool) (*set, int, error) {
	r := &bracket{pat: pat, start: i - 1, o: o, chars: chars, s: &set{}}
	if r.at(i) == '!' || r.at(i) == '^' {
		r.s.not = true
		i++
	}
	end, err := r.items(i)
	if err != nil {
		return nil, 0, err
	}
	for _, b := range r.bounds {
		if skip(pat, b) != end {
			return nil, 0, r.notModelled("a bracket expression with an unclear end")
		}
	}
	if end < 0 {
		return nil, 0, nil
	}
	return r.s, end, nil
}

type bracket struct {
	pat    []rune
	start  int
	o      Options
	chars  bool
	s      *set
	bounds []int // the index after each item
}

// at is the rune at i, or 0 past the end: no pattern holds a NUL.
func (r *bracket) at(i int) rune {
	if i < len(r.pat) {
		return r.pat[i]
	}
	return 0
}

func (r *bracket) notModelled(what string) error {
	return &Error{CodeNotModelled, r.start, what}
}

func (r *bracket) add(it item, next int) {
	it.fold, it.wide = r.o.NoCase, r.chars
	it.collate = it.isRange && r.o.Collate
	if it.class != "" || !it.isRange || it.lo <= it.hi || it.collate || it.fold || it.wide && (it.lo > 0xff || it.hi > 0xff) {
		r.s.items = append(r.s.items, it)
	}
	r.bounds = append(r.bounds, next)
}

// items reads items from i on and returns the index after the closing bracket,
// -1 when there is none.
func (r *bracket) items(i int) (int, error) {
	c := r.at(i)
	i++
	for {
		if c == '[' && (r.at(i) == '=' || r.at(i) == '.') {
			return 0, r.notModelled("a collating symbol or an equivalence class")
		}
		if c == '[' && r.at(i) == ':' {
			i = r.class(i)
			if c = r.at(i); c == 0 {
				return -1, nil
			}
			if i++; c == ']' {
				return i, nil
			}
			continue
		}
		if c == '\\' {
			c = r.at(i)
			i++
		}
		if c == 0 {
			return -1, nil
		}
		first := c
		if c = r.at(i); c == 0 {
			return -1, nil
		}
		i++
		if c != '-' || r.at(i) == ']' {
			r.add(item{lo: first, hi: first}, i-1)
		} else {
			last := r.at(i)
			i++
			if last == '[' && r.at(i) == '.' {
				return 0, r.notModelled("a collating symbol")
			}
			if last == '\\' {
				last = r.at(i)
				i++
			}
			if last == 0 {
				return -1, nil
			}
			r.add(item{lo: first, hi: last, isRange: true}, i)
			if c = r.at(i); c == 0 {
				return -1, nil
			}
			i++
		}
		if c == ']' {
			return i, nil
		}
	}
}

// class reads [:name:] with pat[i] the first colon, and returns the index of
// what is read next: after the class when it is closed, else the colon itself.
// A name that is no class adds nothing.
func (r *bracket) class(i int) int {
	name := []rune{}
	for k := i + 1; k < len(r.pat); k++ {
		if r.pat[k] == ':' && r.at(k+1) == ']' {
			if n := string(name); validClass(n, Bash) {
				r.add(item{class: n}, k+2)
			}
			return k + 2
		}
		if r.pat[k] != '\\' { // class names may be quoted
			name = append(name, r.pat[k])
		}
	}
	return i
}

// skip is how bash finds the end after an item that matched: i is the index
// after the item. -1 when there is no end.
func skip(pat []rune, i int) int {
	inner, prev := rune(0), rune(0)
	for i < len(pat) {
		c := pat[i]
		i++
		switch {
		case c == '[' && i < len(pat) && (pat[i] == '=' || pat[i] == ':' || pat[i] == '.'):
			inner = pat[i]
			i++
			if i >= len(pat) {
				return -1
			}
			prev = pat[i]
			continue
		case c == ']' && inner != 0 && prev == inner:
			inner = 0
		case c == ']' && inner != '.':
			return i
		case c == '\\':
			i++
		}
		prev = c
	}
	return -1
}
