package spill

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func conformQuota(t *testing.T, open func(Options) Store) {
	s := open(Options{MaxBytes: 10})
	save(t, s, "a", "n", "123456")
	_, err := s.SaveText(ctx, Meta{Owner: "b"}, Text("12345"))
	assert.ErrorIs(t, err, ErrQuota)
	assert.ErrorContains(t, err, "6 of 10 bytes are in use")
	save(t, s, "b", "n", "1234") // exactly full
	save(t, s, "b", "n", "")
	_, err = s.SaveText(ctx, Meta{Owner: "b"}, Text("1"))
	assert.ErrorIs(t, err, ErrQuota)

	written := 0
	_, err = s.SaveText(ctx, Meta{Owner: "b"}, func(w io.Writer) error {
		for range 1000 {
			n, err := w.Write([]byte("1234"))
			written += n
			if err != nil {
				return err
			}
		}
		return nil
	})
	assert.ErrorIs(t, err, ErrQuota)
	assert.LessOrEqual(t, written, 10, "a text longer than the whole quota is stopped while it is made")
	list, err := s.List(ctx, AllSessions())
	require.NoError(t, err)
	assert.Len(t, list, 3, "a refused text leaves nothing")
}

func conformQuotaMakesRoom(t *testing.T, open func(Options) Store) {
	c := newClock()
	s := open(Options{Now: c.now, MaxAge: time.Hour, MaxBytes: 10})
	save(t, s, "a", "n", "12345")
	c.advance(time.Hour - time.Second)
	save(t, s, "b", "n", "12345")
	_, err := s.SaveText(ctx, Meta{Owner: "b"}, Text("1"))
	assert.ErrorIs(t, err, ErrQuota, "a second too young to give way")
	c.advance(time.Second)
	save(t, s, "b", "n", "1")
	_, err = s.SaveText(ctx, Meta{Owner: "b"}, Text("12345"))
	assert.ErrorIs(t, err, ErrQuota)
}

func conformFailingContent(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	cause := errors.New("renderer broke")
	_, err := s.SaveText(ctx, Meta{Owner: "s"}, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return cause
	})
	assert.ErrorIs(t, err, ErrFailed)
	assert.ErrorIs(t, err, cause)
	assertNothingKept(t, s)
}

func conformDeafContent(t *testing.T, open func(Options) Store) {
	s := open(Options{MaxBytes: 3})
	var kept io.Writer
	_, err := s.SaveText(ctx, Meta{Owner: "s"}, func(w io.Writer) error {
		kept = w
		_, _ = io.WriteString(w, "1234")
		_, _ = io.WriteString(w, "5")
		return nil
	})
	assert.ErrorIs(t, err, ErrQuota, "an ignored write error is still one")
	assertNothingKept(t, s)
	_, err = s.SaveText(ctx, Meta{Owner: "s"}, func(w io.Writer) error { kept = w; return nil })
	require.NoError(t, err)
	_, err = io.WriteString(kept, "late")
	assert.Error(t, err, "a writer that outlives the save refuses")
}

func conformPanickingContent(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	for range maxSaves + 1 { // and gives its slot back
		assert.PanicsWithValue(t, "boom", func() {
			_, _ = s.SaveText(ctx, Meta{Owner: "s"}, func(w io.Writer) error { panic("boom") })
		})
	}
	assertNothingKept(t, s)
	save(t, s, "s", "n", "x")
}

func conformCancelled(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	a := save(t, s, "s", "n", strings.Repeat("x", 3*blockBytes))
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, saveErr := s.SaveText(done, Meta{Owner: "s"}, func(io.Writer) error { t.Error("the content ran"); return nil })
	_, readErr := s.Read(done, Session("s"), a.ID, Range{}, io.Discard)
	_, statErr := s.Stat(done, Session("s"), a.ID)
	_, listErr := s.List(done, Session("s"))
	_, sweepErr := s.Sweep(done, Session("s"))
	for _, err := range []error{saveErr, readErr, statErr, listErr, sweepErr, s.Delete(done, Session("s"), a.ID)} {
		assert.ErrorIs(t, err, ErrFailed)
		assert.ErrorIs(t, err, context.Canceled)
	}

	half, cancel := context.WithCancel(ctx)
	_, err := s.SaveText(half, Meta{Owner: "s"}, func(w io.Writer) error {
		cancel()
		_, err := io.WriteString(w, strings.Repeat("y", 3*blockBytes))
		return err
	})
	assert.ErrorIs(t, err, context.Canceled)
	half, cancel = context.WithCancel(ctx)
	var got bytes.Buffer
	_, err = s.Read(half, Session("s"), a.ID, Range{}, writerFunc(func(p []byte) (int, error) { cancel(); return got.Write(p) }))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, blockBytes, got.Len(), "stopped after the block in hand")
	list, err := s.List(ctx, AllSessions())
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func conformRefusedArguments(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	_, err := s.SaveText(ctx, Meta{}, Text("x"))
	assert.ErrorIs(t, err, ErrFailed)
	assert.ErrorContains(t, err, "no owner session")
	_, err = s.SaveText(ctx, Meta{Owner: "s"}, nil)
	assert.ErrorContains(t, err, "no content")
	a := save(t, s, "s", "n", "x")
	for want, r := range map[string]Range{
		"the offset is -1": Bytes(-1, 0), "the count is -1": Bytes(0, -1),
		"the first line is 0": Lines(0, 1), "the count is -2": Lines(1, -2),
	} {
		_, err := s.Read(ctx, Session("s"), a.ID, r, io.Discard)
		assert.ErrorIs(t, err, ErrFailed)
		assert.ErrorContains(t, err, want)
	}
}

func conformFailingWriter(t *testing.T, open func(Options) Store) {
	s := open(Options{})
	a := save(t, s, "s", "n", "text")
	cause := errors.New("the client went away")
	_, err := s.Read(ctx, Session("s"), a.ID, Range{}, writerFunc(func([]byte) (int, error) { return 0, cause }))
	assert.ErrorIs(t, err, cause)
	_, err = s.Read(ctx, Session("s"), a.ID, Range{}, writerFunc(func([]byte) (int, error) { return 1, nil }))
	assert.ErrorIs(t, err, io.ErrShortWrite)
}

func assertNothingKept(t *testing.T, s Store) {
	t.Helper()
	list, err := s.List(ctx, AllSessions())
	require.NoError(t, err)
	assert.Empty(t, list)
	if d, ok := s.(*DirStore); ok {
		assert.Empty(t, tree(t, d), "no temporary file is left")
	}
}
