package trigram

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
)

const (
	// maxTexts is how many texts one segment knows: a number fits into 16 bits.
	maxTexts = 1 << 16
	// maxPairs bounds the runs of all texts together, and with them what building
	// takes: four bytes each.
	maxPairs = 4 << 20
	// bitmapFrom is from how many texts on a list takes a bit for each text of the
	// segment when that is smaller: lists this long are worth the look.
	bitmapFrom = 1024
)

// Segment knows the runs of texts, which have numbers from 0. It never changes.
type Segment struct {
	texts int
	runs  []uint32 // sorted
	lists []uint32 // where in posts the list of each run begins
	posts []byte
}

// Texts is how many texts it knows, Size how many bytes it takes.
func (s *Segment) Texts() int { return s.texts }

// Size is the second of the two.
func (s *Segment) Size() int { return 4*len(s.runs) + 4*len(s.lists) + len(s.posts) }

// Builder makes a segment.
type Builder struct {
	collector *collector
	buckets   [256][]uint32 // by the first byte of a run: the other two, and the text
	spare     []uint32
	pairs     int
	texts     int
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder { return &Builder{collector: newCollector()} }

// Add gives a text the next number. An opaque one gets none.
func (b *Builder) Add(text []byte) (number int, is Text) {
	runs, is := b.collector.collect(text)
	if is&Opaque != 0 {
		return 0, is
	}
	number = b.texts
	b.texts++
	for _, run := range runs {
		at := &b.buckets[run>>16]
		*at = append(*at, run<<16|uint32(number))
	}
	b.pairs += len(runs)
	return number, is
}

// Texts is how many texts have a number, Full whether it is time to build.
func (b *Builder) Texts() int { return b.texts }

// Full is the second of the two.
func (b *Builder) Full() bool { return b.texts == maxTexts || b.pairs >= maxPairs }

// Build returns a segment of what was added, and starts anew.
func (b *Builder) Build() *Segment {
	s := &Segment{texts: b.texts}
	for first := range b.buckets {
		pairs := b.buckets[first]
		b.sort(pairs)
		for len(pairs) > 0 {
			n := 1
			for n < len(pairs) && pairs[n]>>16 == pairs[0]>>16 {
				n++
			}
			s.runs = append(s.runs, uint32(first)<<16|pairs[0]>>16)
			s.lists = append(s.lists, uint32(len(s.posts)))
			s.add(pairs[:n])
			pairs = pairs[n:]
		}
		b.buckets[first] = b.buckets[first][:0]
	}
	s.runs, s.lists, s.posts = slices.Clip(s.runs), slices.Clip(s.lists), slices.Clip(s.posts)
	b.pairs, b.texts = 0, 0
	return s
}

// sort puts pairs in order. Those of one run are so already, since texts are added
// by number: each pass by a byte of the run leaves equal ones as they are.
func (b *Builder) sort(pairs []uint32) {
	b.spare = slices.Grow(b.spare[:0], len(pairs))[:len(pairs)]
	from, to := pairs, b.spare
	for _, shift := range []uint{16, 24} {
		var starts [257]int
		for _, pair := range from {
			starts[pair>>shift&0xff+1]++
		}
		for i := range 256 {
			starts[i+1] += starts[i]
		}
		for _, pair := range from {
			at := &starts[pair>>shift&0xff]
			to[*at] = pair
			*at++
		}
		from, to = to, from
	}
}

// add writes a list: how many texts it has, then their bits or the distances
// between their numbers.
func (s *Segment) add(pairs []uint32) {
	s.posts = binary.AppendUvarint(s.posts, uint64(len(pairs)))
	if s.dense(len(pairs)) {
		start := len(s.posts)
		s.posts = append(s.posts, make([]byte, (s.texts+7)/8)...)
		for _, pair := range pairs {
			number := pair & 0xffff
			s.posts[start+int(number>>3)] |= 1 << (number & 7)
		}
		return
	}
	last := uint32(0)
	for _, pair := range pairs {
		s.posts = binary.AppendUvarint(s.posts, uint64(pair&0xffff-last))
		last = pair & 0xffff
	}
}

// dense reports whether a list of n texts is kept as bits.
func (s *Segment) dense(n int) bool { return n >= bitmapFrom && n > s.texts/8 }

// set is a set of texts, a bit for each.
type set []uint64

func (s *Segment) newSet() set { return make(set, (s.texts+63)/64) }

func (s *Segment) every() set {
	all := s.newSet()
	for i := range all {
		all[i] = ^uint64(0)
	}
	if rest := s.texts % 64; rest != 0 {
		all[len(all)-1] = 1<<rest - 1
	}
	return all
}

// list returns how many texts have a run, and where their list is.
func (s *Segment) list(run uint32) (n int, posts []byte) {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i] >= run })
	if i == len(s.runs) || s.runs[i] != run {
		return 0, nil
	}
	posts = s.posts[s.lists[i]:]
	count, size := binary.Uvarint(posts)
	return int(count), posts[size:]
}

// read returns the texts of a list.
func (s *Segment) read(n int, posts []byte) set {
	all := s.newSet()
	if s.dense(n) {
		for i := range (s.texts + 7) / 8 {
			all[i>>3] |= uint64(posts[i]) << (8 * (i & 7))
		}
		return all
	}
	number := uint64(0)
	for range n {
		distance, size := binary.Uvarint(posts)
		posts = posts[size:]
		number += distance
		all[number>>6] |= 1 << (number & 63)
	}
	return all
}

// Texts that fulfil a condition.
type Texts struct{ set set }

// Match returns the texts that fulfil a condition.
func (s *Segment) Match(c *Condition) Texts { return Texts{s.eval(c)} }

// Len is how many there are.
func (t Texts) Len() (n int) {
	for _, word := range t.set {
		n += bits.OnesCount64(word)
	}
	return n
}

// Each calls f with the number of each.
func (t Texts) Each(f func(number int)) {
	for i, word := range t.set {
		for ; word != 0; word &= word - 1 {
			f(i*64 + bits.TrailingZeros64(word))
		}
	}
}

// eval returns the texts that fulfil a condition; nil is none. Long because lists and
// bit sets meet in each of the two operators.
func (s *Segment) eval(c *Condition) set {
	if c.All() {
		return s.every()
	}
	var all set
	also := func(more set) bool {
		if all == nil {
			all = more
			return len(more) > 0
		}
		left := uint64(0)
		for i := range all {
			if more == nil {
				return false
			}
			all[i] &= more[i]
			left |= all[i]
		}
		return left != 0
	}
	type list struct {
		n     int
		posts []byte
	}
	lists := make([]list, 0, len(c.tri))
	for _, run := range c.tri {
		n, posts := s.list(run)
		if n == 0 {
			return nil
		}
		lists = append(lists, list{n, posts})
	}
	slices.SortFunc(lists, func(a, b list) int { return a.n - b.n })
	for _, l := range lists {
		if !also(s.read(l.n, l.posts)) {
			return nil
		}
	}
	for _, sub := range c.and {
		if !also(s.eval(sub)) {
			return nil
		}
	}
	if len(c.or) == 0 {
		return all
	}
	var some set
	for _, sub := range c.or {
		one := s.eval(sub)
		switch {
		case one == nil:
		case some == nil:
			some = one
		default:
			for i := range some {
				some[i] |= one[i]
			}
		}
	}
	if !also(some) {
		return nil
	}
	return all
}
