package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted ends a command that was told to end.
var errInterrupted = errors.New("it was interrupted by a signal")

// untilSignal is a context that ends when this process is told to end. A signal
// that it was started to ignore, as nohup does for SIGHUP and a shell for what it
// runs in the background, stays ignored.
func untilSignal() (ctx context.Context, stop func()) {
	var ends []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			ends = append(ends, s)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	told := make(chan os.Signal, 1)
	if len(ends) > 0 { // none would mean all
		signal.Notify(told, ends...)
	}
	go func() {
		select {
		case <-told:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(told); cancel(nil) }
}

// input is standard input as long as ctx lasts: a read that waits for more is
// given up then, which a signal alone does not do.
func (c *common) input(ctx context.Context) io.Reader {
	in := pollable(c.std.in)
	context.AfterFunc(ctx, func() { in.Close() })
	return in
}

// heeded remembers the first error of writing: cobra prints help and the version
// and takes no heed of one.
type heeded struct {
	to  io.Writer
	err error
}

func (h *heeded) Write(text []byte) (int, error) {
	n, err := h.to.Write(text)
	if h.err == nil {
		h.err = err
	}
	return n, err
}

// whileWaiting does what may wait for others for good, such as opening a pipe, and
// gives it up when ctx is done.
func whileWaiting[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
