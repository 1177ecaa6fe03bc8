package trigram

import "bytes"

// Text is what has to be known of a text beside its runs.
type Text uint8

const (
	// Binary: it has a NUL. What is known of it ends there.
	Binary Text = 1 << iota
	// Opaque: it cannot be told from its runs what it holds; it fulfils every plan.
	Opaque
	// Folds: it has a character beyond ASCII that folds to a letter of it.
	Folds
)

const (
	// MaxText is the largest text that is looked into: a larger one has next to
	// all runs that occur in any.
	MaxText = 32 << 20
	// maxRuns bounds the different runs of one text for the same reason.
	maxRuns = 1 << 17
	// runs is how many there are.
	allRuns = 1 << 24
)

var folding = [][]byte{[]byte(string(rune(kelvin))), []byte(string(rune(longS)))}

// collector finds the different runs of texts.
type collector struct {
	seen []uint64 // a bit for each run; clear between two texts
	list []uint32
}

func newCollector() *collector { return &collector{seen: make([]uint64, allRuns/64)} }

// collect returns the runs of a text, valid until the next call.
func (c *collector) collect(text []byte) ([]uint32, Text) {
	c.list = c.list[:0]
	if len(text) > MaxText || bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, Opaque // UTF-16 is searched as what it says
	}
	var is Text
	if end := bytes.IndexByte(text, 0); end >= 0 {
		is, text = Binary, text[:end]
	}
	for _, character := range folding {
		if bytes.Contains(text, character) {
			is |= Folds
		}
	}
	if len(text) < 3 {
		return nil, is
	}
	run := uint32(text[0])<<8 | uint32(text[1])
	// reliable counts the bytes since the last one that no run holds.
	reliable := 0
	for _, b := range text[:2] {
		if reliable++; unreliable(b) {
			reliable = 0
		}
	}
	list, seen := c.list, c.seen
	for _, b := range text[2:] {
		run = (run<<8 | uint32(b)) & (allRuns - 1)
		if b == '\n' || b == '\r' {
			reliable = 0
			continue
		}
		if reliable++; reliable < 3 {
			continue
		}
		if word, bit := run>>6, uint64(1)<<(run&63); seen[word]&bit == 0 {
			seen[word] |= bit
			list = append(list, run)
		}
	}
	for _, run := range list {
		seen[run>>6] = 0
	}
	c.list = list
	if len(list) > maxRuns {
		return nil, is | Opaque
	}
	return list, is
}
