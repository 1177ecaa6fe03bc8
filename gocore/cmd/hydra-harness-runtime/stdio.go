package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// privateOutput moves standard output to a descriptor that nobody else knows,
// and points the public one at standard error.
func privateOutput(out, stderr *os.File) (*os.File, error) {
	private, err := unix.FcntlInt(out.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := redirect(int(stderr.Fd()), int(out.Fd())); err != nil {
		unix.Close(private)
		return nil, err
	}
	return os.NewFile(uintptr(private), "frames"), nil
}

// pollable copies a stream into a pipe, whose reading end can be closed while it
// is being read: standard input in general cannot.
func pollable(in io.Reader) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}
