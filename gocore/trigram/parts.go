package trigram

import "slices"

func unique(set []string) []string {
	slices.Sort(set)
	return slices.Compact(set)
}

// open makes a start and an end of what is known exactly.
func (p part) open() part {
	if p.exact == nil {
		return p
	}
	return part{start: slices.Clone(p.exact), end: slices.Clone(p.exact), needs: ofAny(p.exact)}.trim()
}

// trim bounds what is kept of the start and the end. What is lost stands in needs.
func (p part) trim() part {
	p.start = shorten(p.start, func(s string, n int) string { return s[:n] })
	p.end = shorten(p.end, func(s string, n int) string { return s[len(s)-n:] })
	return p
}

func shorten(set []string, keep func(string, int) string) []string {
	for n := maxEnd; n >= 0; n-- {
		for i, s := range set {
			if len(s) > n {
				set[i] = keep(s, n)
			}
		}
		if set = unique(set); len(set) <= maxSet {
			break
		}
	}
	return set
}

// cross returns all of a followed by all of b.
func cross(a, b []string) []string {
	all := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			all = append(all, x+y)
		}
	}
	return unique(all)
}

// join is a followed by b.
func join(a, b part) part {
	if a.exact != nil && b.exact != nil && len(a.exact)*len(b.exact) <= maxSet {
		all := cross(a.exact, b.exact)
		longest := 0
		for _, s := range all {
			longest = max(longest, len(s))
		}
		if longest <= maxExact || len(all) == 1 {
			return exactly(all...)
		}
	}
	switch {
	case a.exact != nil && b.exact == nil && len(a.exact)*len(b.start) <= maxCross:
		start := cross(a.exact, b.start)
		return part{start: start, end: slices.Clone(b.end), needs: both(b.needs, ofAny(start))}.trim()
	case a.exact == nil && b.exact != nil && len(a.end)*len(b.exact) <= maxCross:
		end := cross(a.end, b.exact)
		return part{start: slices.Clone(a.start), end: end, needs: both(a.needs, ofAny(windows(end, b.exact)))}.trim()
	}
	a, b = a.open(), b.open()
	needs := both(a.needs, b.needs)
	if len(a.end)*len(b.start) <= maxCross {
		needs = both(needs, ofAny(cross(a.end, b.start)))
	}
	return part{start: slices.Clone(a.start), end: slices.Clone(b.end), needs: needs}.trim()
}

// windows leaves of each string only what tells something new behind one of
// added: the runs that end in it. The others were told when they were the end.
func windows(all, added []string) []string {
	longest := 0
	for _, s := range added {
		longest = max(longest, len(s))
	}
	set := make([]string, len(all))
	for i, s := range all {
		set[i] = s[max(0, len(s)-longest-2):]
	}
	return unique(set)
}

// alternative is a or b.
func alternative(a, b part) part {
	if a.exact != nil && b.exact != nil && len(a.exact)+len(b.exact) <= maxSet {
		return exactly(unique(slices.Concat(a.exact, b.exact))...)
	}
	needs := either(a.condition(), b.condition())
	a, b = a.open(), b.open()
	return part{start: unique(slices.Concat(a.start, b.start)), end: unique(slices.Concat(a.end, b.end)), needs: needs}.trim()
}
