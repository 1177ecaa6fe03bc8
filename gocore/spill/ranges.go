package spill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
)

// blockBytes is how much of a saved result is read at a time: large enough that
// system calls cost nothing, small enough to stay in a processor's cache and
// to notice soon that the context ended.
const blockBytes = 256 << 10

// Range is a part of a saved result. The zero Range is the whole.
type Range struct {
	lines bool
	first int64 // bytes: offset from 0; lines: number from 1
	count int64 // 0: to the end
}

// Bytes is the range of count bytes from offset on; count 0 means to the end.
// It gives exactly those bytes, also where it cuts a character in two.
func Bytes(offset, count int64) Range { return Range{first: offset, count: count} }

// Lines is the range of count lines from line first on, the first line of a
// text being 1; count 0 means to the end. Line ends belong to their lines and
// are given as they are.
func Lines(first, count int64) Range { return Range{lines: true, first: first, count: count} }

// Extent says what a read wrote.
type Extent struct {
	Offset int64 `json:"offset"` // of the first byte written; Size when the range lies behind the end
	Bytes  int64 `json:"bytes"`  // written
	Size   int64 `json:"size"`   // of the whole saved result
	// Line and Lines are the number of the first line and how many were
	// written, whole or at the end of the text; 0 for a range of bytes.
	Line  int64 `json:"line,omitempty"`
	Lines int64 `json:"lines,omitempty"`
}

// Next is the offset at which a reader goes on.
func (e Extent) Next() int64 { return e.Offset + e.Bytes }

// More reports whether the saved result has content behind this extent.
func (e Extent) More() bool { return e.Next() < e.Size }

// ReadBytes reads a range into memory, at most limit bytes of it. Extent.More
// with Extent.Next says how to go on, by bytes, where a range was cut.
func ReadBytes(ctx context.Context, s Store, scope Scope, id string, r Range, limit int64) ([]byte, Extent, error) {
	if limit <= 0 {
		return nil, Extent{}, badRange(fmt.Sprintf("the limit is %d bytes; give a positive one", limit))
	}
	w := &limitedBuffer{room: limit}
	extent, err := s.Read(ctx, scope, id, r, w)
	if w.cut && errors.Is(err, errBufferFull) {
		// The extent is what fits; a line that was cut is not one.
		extent.Bytes = int64(w.buf.Len())
		if r.lines {
			extent.Lines = int64(bytes.Count(w.buf.Bytes(), lineFeed))
		}
		err = nil
	}
	if err != nil {
		return nil, Extent{}, err
	}
	return w.buf.Bytes(), extent, nil
}

var errBufferFull = errors.New("the limit of the read is reached")

type limitedBuffer struct {
	buf  bytes.Buffer
	room int64
	cut  bool
}

func (w *limitedBuffer) Write(p []byte) (int, error) {
	if int64(len(p)) <= w.room {
		w.room -= int64(len(p))
		return w.buf.Write(p)
	}
	w.cut = true
	n, _ := w.buf.Write(p[:w.room])
	w.room = 0
	return n, errBufferFull
}

func (r Range) check() error {
	switch {
	case r.count < 0:
		return badRange(fmt.Sprintf("the count is %d; give 0 for everything to the end, or a positive number", r.count))
	case r.lines && r.first < 1:
		return badRange(fmt.Sprintf("the first line is %d; lines are numbered from 1", r.first))
	case r.first < 0:
		return badRange(fmt.Sprintf("the offset is %d; offsets are counted from 0", r.first))
	}
	return nil
}

func badRange(message string) error { return &Error{Code: Failed, Op: "read", Message: message} }

// copyRange writes the range of a text of size bytes to w. The extent is valid
// also beside an error of w: it tells what was written up to the failed block.
func copyRange(ctx context.Context, text io.ReaderAt, size int64, r Range, w io.Writer) (Extent, error) {
	return copyBlocks(ctx, text, size, r, w, blockBytes)
}

func copyBlocks(ctx context.Context, text io.ReaderAt, size int64, r Range, w io.Writer, block int64) (Extent, error) {
	c := copier{ctx: ctx, text: text, size: size, w: w, block: make([]byte, min(size, block))}
	if r.lines {
		return c.lines(r.first, r.count)
	}
	offset := min(r.first, size)
	end := size
	if r.count > 0 && r.count < size-offset {
		end = offset + r.count
	}
	e := Extent{Offset: offset, Size: size}
	for at := offset; at < end; {
		block, err := c.read(at, end)
		if err != nil {
			return e, err
		}
		if err := c.write(block, &e); err != nil {
			return e, err
		}
		at += int64(len(block))
	}
	return e, nil
}

type copier struct {
	ctx   context.Context
	text  io.ReaderAt
	size  int64
	w     io.Writer
	block []byte
}

// read returns the text from at on, up to end and at most a block.
func (c *copier) read(at, end int64) ([]byte, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, failed("read", "stopped", err)
	}
	n, err := c.text.ReadAt(c.block[:min(end-at, int64(len(c.block)))], at)
	if n == 0 && err == io.EOF {
		return nil, failed("read", "the saved result became shorter while it was read", io.ErrUnexpectedEOF)
	}
	if err != nil && err != io.EOF {
		return nil, failed("read", describe("the saved result cannot be read", err), err)
	}
	return c.block[:n], nil
}

func (c *copier) write(p []byte, e *Extent) error {
	n, err := c.w.Write(p)
	e.Bytes += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return failed("read", "the reader does not take the text", err)
	}
	return nil
}

func (c *copier) lines(first, count int64) (Extent, error) {
	e := Extent{Offset: c.size, Size: c.size, Line: first}
	begin, end := first-1, first-1+count // in line feeds from the start of the text
	if count == 0 || end < begin {
		end = math.MaxInt64
	}
	feeds := int64(0) // line feeds in front of the current block
	for at := int64(0); at < c.size; {
		block, err := c.read(at, c.size)
		if err != nil {
			return e, err
		}
		in := int64(bytes.Count(block, lineFeed))
		next := at + int64(len(block))
		from, to := 0, len(block)
		if e.Offset == c.size { // not begun
			if from = behindFeed(block, in, begin-feeds); from < 0 || at+int64(from) == c.size {
				feeds, at = feeds+in, next
				continue
			}
			e.Offset = at + int64(from)
		}
		last := end-feeds <= in
		if last {
			to = behindFeed(block, in, end-feeds)
		}
		if err := c.write(block[from:to], &e); err != nil {
			return e, err
		}
		e.Lines += int64(bytes.Count(block[from:to], lineFeed))
		if last {
			return e, nil
		}
		if next == c.size && block[len(block)-1] != '\n' {
			e.Lines++
		}
		feeds, at = feeds+in, next
	}
	return e, nil
}

var lineFeed = []byte{'\n'}

// behindFeed is the index behind the n-th line feed of block (0 for n = 0), -1
// when n is more than all that are in it.
func behindFeed(block []byte, all, n int64) int {
	if n > all {
		return -1
	}
	at := 0
	for ; n > 0; n-- {
		at += bytes.IndexByte(block[at:], '\n') + 1
	}
	return at
}
