package spill

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func conformRanges(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	text := "one\ntwo é\n\nfour" // 4 + 7 + 1 + 4 bytes; the é is bytes 8 and 9
	a := save(t, s, "s", "n", text)
	size := int64(len(text))
	for _, c := range []struct {
		r    Range
		want string
		e    Extent
	}{
		{Range{}, text, Extent{Bytes: size}},
		{Bytes(0, 0), text, Extent{Bytes: size}},
		{Bytes(0, 3), "one", Extent{Bytes: 3}},
		{Bytes(8, 1), "\xc3", Extent{Offset: 8, Bytes: 1}},
		{Bytes(9, 2), "\xa9\n", Extent{Offset: 9, Bytes: 2}},
		{Bytes(14, 100), "ur", Extent{Offset: 14, Bytes: 2}},
		{Bytes(15, 0), "r", Extent{Offset: 15, Bytes: 1}},
		{Bytes(size, 1), "", Extent{Offset: size}},
		{Bytes(size+5, 0), "", Extent{Offset: size}},
		{Bytes(math.MaxInt64, math.MaxInt64), "", Extent{Offset: size}},
		{Bytes(1, math.MaxInt64), text[1:], Extent{Offset: 1, Bytes: size - 1}},
		{Lines(1, 0), text, Extent{Bytes: size, Line: 1, Lines: 4}},
		{Lines(1, 1), "one\n", Extent{Bytes: 4, Line: 1, Lines: 1}},
		{Lines(2, 2), "two é\n\n", Extent{Offset: 4, Bytes: 8, Line: 2, Lines: 2}},
		{Lines(4, 1), "four", Extent{Offset: 12, Bytes: 4, Line: 4, Lines: 1}},
		{Lines(3, math.MaxInt64), "\nfour", Extent{Offset: 11, Bytes: 5, Line: 3, Lines: 2}},
		{Lines(5, 1), "", Extent{Offset: size, Line: 5}},
		{Lines(math.MaxInt64, 0), "", Extent{Offset: size, Line: math.MaxInt64}},
	} {
		var got bytes.Buffer
		c.e.Size = size
		e, err := s.Read(ctx, Session("s"), a.ID, c.r, &got)
		require.NoError(t, err, "%+v", c.r)
		assert.Equal(t, c.want, got.String(), "%+v", c.r)
		assert.Equal(t, c.e, e, "%+v", c.r)
		assert.Equal(t, e.Next() < size, e.More())
	}
	closed := save(t, s, "s", "n", "a\n")
	var got bytes.Buffer
	e, err := s.Read(ctx, Session("s"), closed.ID, Lines(2, 0), &got)
	require.NoError(t, err)
	assert.Equal(t, Extent{Offset: 2, Size: 2, Line: 2}, e, "a last line feed begins no line")
}

func conformReadBytes(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	text := strings.Repeat("0123456789\n", 60_000) // three blocks
	a := save(t, s, "s", "n", text)
	for _, limit := range []int64{1, 7, 1000, blockBytes, blockBytes + 1, int64(len(text)), math.MaxInt64} {
		if limit < 1000 {
			text = text[:100]
			a = save(t, s, "s", "n", text)
		} else if len(text) == 100 {
			text = strings.Repeat("0123456789\n", 60_000)
			a = save(t, s, "s", "n", text)
		}
		var all []byte
		for e := (Extent{}); ; {
			part, next, err := ReadBytes(ctx, s, Session("s"), a.ID, Bytes(e.Next(), 0), limit)
			require.NoError(t, err)
			assert.EqualValues(t, len(part), next.Bytes)
			assert.LessOrEqual(t, next.Bytes, limit)
			all = append(all, part...)
			if e = next; !e.More() {
				break
			}
		}
		assert.True(t, text == string(all), "pages of %d bytes add up to the text", limit)
	}
	part, e, err := ReadBytes(ctx, s, Session("s"), a.ID, Lines(2, 3), 25)
	require.NoError(t, err)
	assert.Equal(t, "0123456789\n0123456789\n012", string(part))
	assert.Equal(t, Extent{Offset: 11, Bytes: 25, Size: int64(len(text)), Line: 2, Lines: 2}, e, "a cut line does not count")
	part, e, err = ReadBytes(ctx, s, Session("s"), a.ID, Lines(2, 3), 33)
	require.NoError(t, err)
	assert.Equal(t, 33, len(part))
	assert.EqualValues(t, 3, e.Lines)
	_, _, err = ReadBytes(ctx, s, Session("s"), a.ID, Range{}, 0)
	assert.ErrorIs(t, err, ErrFailed)
}

// lineRange is the plain way to say what a range of lines is.
func lineRange(text string, first, count int64) (string, int64) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	lines = lines[min(first-1, int64(len(lines))):]
	if count > 0 {
		lines = lines[:min(count, int64(len(lines)))]
	}
	return strings.Join(lines, ""), int64(len(lines))
}

func checkLines(t *testing.T, text string, first, count, block int64) {
	var got bytes.Buffer
	e, err := copyBlocks(ctx, strings.NewReader(text), int64(len(text)), Lines(first, count), &got, block)
	require.NoError(t, err)
	want, lines := lineRange(text, first, count)
	require.Equal(t, want, got.String(), "%q from %d count %d block %d", text, first, count, block)
	require.Equal(t, lines, e.Lines, "%q from %d count %d block %d", text, first, count, block)
	require.EqualValues(t, len(want), e.Bytes)
	if want != "" {
		require.Equal(t, want, text[e.Offset:e.Next()])
	} else {
		require.Equal(t, e.Size, e.Offset)
	}
}

// TestLinesAgainstSplit cuts every text of five bytes over {a, \n} into blocks
// of every size and asks for every range.
func TestLinesAgainstSplit(t *testing.T) {
	for length := range 6 {
		for bits := range 1 << length {
			text := ""
			for i := range length {
				text += string("a\n"[bits>>i&1])
			}
			for block := int64(1); block <= 6; block++ {
				for first := int64(1); first <= 7; first++ {
					for count := range int64(7) {
						checkLines(t, text, first, count, block)
					}
				}
			}
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\nb\r\n\xff\n\n", int64(2), int64(2), int64(3))
	f.Add("", int64(1), int64(0), int64(1))
	f.Fuzz(func(t *testing.T, text string, first, count, block int64) {
		if first < 1 || count < 0 || block < 1 {
			t.Skip("outside the domain: refused before, or not a block")
		}
		checkLines(t, text, first, count, block)
	})
}

func TestReadOfShrunkText(t *testing.T) {
	_, err := copyRange(ctx, strings.NewReader("abc"), 5, Range{}, &bytes.Buffer{})
	assert.ErrorIs(t, err, ErrFailed)
	assert.ErrorContains(t, err, "became shorter")
}

func ExampleLines() {
	s, _ := NewMemoryStore(Options{})
	a, _ := s.SaveText(ctx, Meta{Owner: "session-1", Tool: "glob", Name: "glob-results.txt"}, Text("a.go\nb.go\nc.go\n"))
	text, extent, _ := ReadBytes(ctx, s, Session("session-1"), a.ID, Lines(2, 1), 1<<20)
	fmt.Printf("%q, line %d of %d\n", text, extent.Line, a.Lines)
	// Output: "b.go\n", line 2 of 3
}
