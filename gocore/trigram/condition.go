package trigram

import "slices"

// Condition is what a text with a match has. The zero value is "all texts".
type Condition struct {
	// tri has to be there, each of it; of and every condition, of or one.
	tri []uint32
	and []*Condition
	or  []*Condition
}

// everything is the condition that all texts fulfil.
var everything = &Condition{}

// All reports whether every text fulfils the condition.
func (c *Condition) All() bool { return len(c.tri) == 0 && len(c.and) == 0 && len(c.or) == 0 }

func pack(s string, i int) uint32 { return uint32(s[i])<<16 | uint32(s[i+1])<<8 | uint32(s[i+2]) }

// unreliable are bytes that no run holds: texts are searched line by line, up to a
// NUL, and a carriage return may be part of a line end.
func unreliable(c byte) bool { return c == '\n' || c == '\r' || c == 0 }

// ofText is the condition of a text that holds s.
func ofText(s string) *Condition {
	var c Condition
	for i := 0; i+3 <= len(s); i++ {
		if !unreliable(s[i]) && !unreliable(s[i+1]) && !unreliable(s[i+2]) {
			c.tri = append(c.tri, pack(s, i))
		}
	}
	if c.All() {
		return everything
	}
	slices.Sort(c.tri)
	c.tri = slices.Compact(c.tri)
	return &c
}

// ofAny is the condition of a text that holds one of the strings of a set.
func ofAny(set []string) *Condition {
	var c Condition
	for _, s := range set {
		one := ofText(s)
		if one.All() {
			return everything
		}
		c.or = append(c.or, one)
	}
	if len(c.or) == 1 {
		return c.or[0]
	}
	return &c
}

func both(a, b *Condition) *Condition {
	switch {
	case a.All():
		return b
	case b.All():
		return a
	case len(a.or) == 0 && len(b.or) == 0:
		tri := slices.Concat(a.tri, b.tri)
		slices.Sort(tri)
		return &Condition{tri: slices.Compact(tri), and: slices.Concat(a.and, b.and)}
	}
	return &Condition{and: []*Condition{a, b}}
}

func either(a, b *Condition) *Condition {
	if a.All() || b.All() {
		return everything
	}
	return &Condition{or: []*Condition{a, b}}
}
