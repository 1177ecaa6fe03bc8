package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxFrameBytes bounds one line in either direction: the largest argument
	// the tools accept, and a page of results, fit with room.
	MaxFrameBytes = 16 << 20
	// readBuffer is the size of one read of the input.
	readBuffer = 64 << 10
)

// errFrameTooLong is a line of more than MaxFrameBytes. Reading goes on with
// the line behind it.
var errFrameTooLong = fmt.Errorf("a message has more than %d bytes; send less at once", MaxFrameBytes)

// frames reads lines. What stands behind the last line end is a line too.
type frames struct {
	in       *bufio.Reader
	skipping bool // the rest of a line that was too long is still unread
}

func newFrames(in io.Reader) *frames {
	return &frames{in: bufio.NewReaderSize(in, readBuffer)}
}

// next returns a line with its end. The error is errFrameTooLong, as soon as
// that is known, or the input's own.
func (f *frames) next() ([]byte, error) {
	if f.skipping {
		if err := f.skip(); err != nil {
			return nil, err
		}
	}
	var line []byte
	for {
		part, err := f.in.ReadSlice('\n')
		if len(line)+len(part) > MaxFrameBytes {
			f.skipping = errors.Is(err, bufio.ErrBufferFull)
			return nil, errFrameTooLong
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		default:
			return nil, err
		}
	}
}

func (f *frames) skip() error {
	for {
		switch _, err := f.in.ReadSlice('\n'); {
		case err == nil:
			f.skipping = false
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}
