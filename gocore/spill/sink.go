package spill

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

var errSaveOver = errors.New("the save is over; a Content must not keep its writer")

// gatherBytes is how much of small writes goes to the disk at once: enough to
// make system calls rare, little enough to allocate for a short text.
const gatherBytes = 64 << 10

// sink is the writer that a Content sees. It counts, gathers small pieces,
// stops with the context and at the limit, and keeps its first error, so that
// a Content that ignores write errors cannot make a torn result.
type sink struct {
	dst   *bufio.Writer
	limit int64 // the most bytes, or Unlimited
	size  int64
	feeds int64
	last  byte
	err   error
}

func newSink(ctx context.Context, dst io.Writer, limit int64) *sink {
	return &sink{dst: bufio.NewWriterSize(stopping{ctx, dst}, gatherBytes), limit: limit}
}

// fill runs content and flushes. Afterwards the sink refuses.
func (s *sink) fill(content Content) error {
	defer func() { // also when content panics
		if s.err == nil {
			s.err = errSaveOver
		}
	}()
	err := content(s)
	if s.err != nil {
		return s.err // the cause of whatever content made of it
	}
	if err != nil {
		return failed("save", "the text could not be made", err)
	}
	return s.dst.Flush()
}

func (s *sink) Write(p []byte) (int, error) {
	if err := s.admit(len(p)); err != nil {
		return 0, err
	}
	s.feeds += int64(bytes.Count(p, lineFeed))
	if len(p) > 0 {
		s.last = p[len(p)-1]
	}
	n, err := s.dst.Write(p)
	s.err = err
	return n, err
}

// WriteString saves io.WriteString a copy of a long text.
func (s *sink) WriteString(p string) (int, error) {
	if err := s.admit(len(p)); err != nil {
		return 0, err
	}
	s.feeds += int64(strings.Count(p, "\n"))
	if len(p) > 0 {
		s.last = p[len(p)-1]
	}
	n, err := s.dst.WriteString(p)
	s.err = err
	return n, err
}

// admit counts n bytes in, or says why not.
func (s *sink) admit(n int) error {
	if s.err == nil && s.limit != Unlimited && int64(n) > s.limit-s.size {
		s.err = &Error{Code: Quota, Op: "save", Message: fmt.Sprintf(
			"the text alone is longer than the %d bytes of spillMaxBytes; narrow the search or raise it", s.limit)}
	}
	if s.err == nil {
		s.size += int64(n)
	}
	return s.err
}

// lines counts a last line without a line feed, too.
func (s *sink) lines() int64 {
	if s.size > 0 && s.last != '\n' {
		return s.feeds + 1
	}
	return s.feeds
}

// stopping looks at the context before every piece that reaches the store.
type stopping struct {
	ctx context.Context
	dst io.Writer
}

func (w stopping) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.dst.Write(p)
}

// WriteString is what bufio hands a long string to, past its buffer. Pieces
// keep a cancelled save from going on for the length of the text.
func (w stopping) WriteString(s string) (int, error) {
	written := 0
	for len(s) > 0 {
		if err := w.ctx.Err(); err != nil {
			return written, err
		}
		n, err := io.WriteString(w.dst, s[:min(len(s), blockBytes)])
		written += n
		if err != nil {
			return written, err
		}
		s = s[n:]
	}
	return written, nil
}
