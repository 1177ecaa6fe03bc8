package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// dateKey is what files are sorted by: small and without pointers, for sorting
// moves each several times.
type dateKey struct {
	sec  int64
	nsec int32
	file int32 // index of the file
}

const (
	// radixFrom is how many files are sorted faster by the digits of their times
	// than by comparing them, which a tree of 100,000 files would do 1,700,000
	// times.
	radixFrom = 1024
	// digitBits makes tables of digits that fit into the nearest cache.
	digitBits = 11
	// nanoBits are the bits of the nanoseconds within a second.
	nanoBits = 30
)

// sort orders keys by time, and files of one time by path.
func (d *dates) sort(keys []dateKey, by Order, as *display) {
	newestFirst := by == OrderModifiedDesc
	byTime := func(a, b dateKey) int {
		if newestFirst {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.sec, b.sec), cmp.Compare(a.nsec, b.nsec))
	}
	byPath := func(a, b dateKey) int { return comparePaths(as, d.at(a.file), d.at(b.file)) }
	if len(keys) < radixFrom {
		slices.SortFunc(keys, func(a, b dateKey) int {
			if c := byTime(a, b); c != 0 {
				return c
			}
			return byPath(a, b)
		})
		return
	}
	radix(keys, newestFirst)
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && byTime(keys[from], keys[to]) == 0 {
			to++
		}
		if to > from+1 {
			slices.SortFunc(keys[from:to], byPath)
		}
		from = to
	}
}

// radix orders keys by time, digit by digit from the lowest.
func radix(keys []dateKey, newestFirst bool) {
	oldest, newest := keys[0].sec, keys[0].sec
	for _, k := range keys {
		oldest, newest = min(oldest, k.sec), max(newest, k.sec)
	}
	from, to := keys, make([]dateKey, len(keys))
	pass := func(digit func(k *dateKey) int) {
		var starts [1<<digitBits + 1]int
		for i := range from {
			starts[digit(&from[i])+1]++
		}
		if slices.Max(starts[:]) == len(from) {
			return // all have the same digit
		}
		for i := 1; i < len(starts); i++ {
			starts[i] += starts[i-1]
		}
		for i := range from {
			at := digit(&from[i])
			to[starts[at]] = from[i]
			starts[at]++
		}
		from, to = to, from
	}
	flip := 0
	if newestFirst {
		flip = 1<<digitBits - 1
	}
	for shift := 0; shift < nanoBits; shift += digitBits {
		pass(func(k *dateKey) int { return int(k.nsec>>shift)&(1<<digitBits-1) ^ flip })
	}
	for shift := 0; shift < bits.Len64(uint64(newest-oldest)); shift += digitBits {
		pass(func(k *dateKey) int { return int(uint64(k.sec-oldest)>>shift)&(1<<digitBits-1) ^ flip })
	}
	copy(keys, from)
}

// comparePaths compares what is displayed. Under one prefix that is the order of
// the paths themselves.
func comparePaths(d *display, a, b string) int {
	if d.inside == "" {
		return strings.Compare(a, b)
	}
	var scratch arena
	return strings.Compare(d.path(&scratch, a), d.path(&scratch, b))
}
