package search

import "strings"

// keptPiece is how many lines one piece of a lineBuffer holds. A piece is small enough
// to cost nothing in a search that finds little.
const keptPiece = 512

// lineBuffer holds the lines of a scan in the order in which they came: without
// pointers, so that the collector has nothing to look at, and in pieces that are
// never copied as their number grows. A large result costs little more than its
// text until it is put in order.
type lineBuffer struct {
	n      int
	pieces [][]keptLine
	blocks []string // of text, full
	block  strings.Builder
}

// keptLine is one line and where its text is.
type keptLine struct {
	number      int64
	hit         int
	start, size int
	block       int32
	context     bool
}

// add keeps a line. The text is copied.
func (k *lineBuffer) add(line keptLine, text []byte) {
	if k.block.Cap()-k.block.Len() < len(text) {
		if k.block.Len() > 0 {
			k.blocks = append(k.blocks, k.block.String())
		}
		k.block = strings.Builder{}
		k.block.Grow(max(len(text), arenaBytes))
	}
	line.block, line.start, line.size = int32(len(k.blocks)), k.block.Len(), len(text)
	k.block.Write(text)
	if k.n%keptPiece == 0 {
		k.pieces = append(k.pieces, make([]keptLine, 0, keptPiece))
	}
	last := &k.pieces[k.n/keptPiece]
	*last = append(*last, line)
	k.n++
}

// match returns line i as a match in the file of a group.
func (k *lineBuffer) match(i int, g *group) Match {
	line := &k.pieces[i/keptPiece][i%keptPiece]
	text := ""
	if int(line.block) < len(k.blocks) {
		text = k.blocks[line.block]
	} else {
		text = k.block.String()
	}
	return Match{
		Path: g.path, PathBytes: g.exact, LineNumber: line.number,
		Line: text[line.start : line.start+line.size], Context: line.context, Hit: line.hit,
	}
}
