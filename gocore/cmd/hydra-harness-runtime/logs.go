package main

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// maxLogLines is how many lines may wait for somebody to read standard error.
	// A pipe holds some hundreds itself; what comes then is dropped rather than
	// allowed to hold calls up.
	maxLogLines = 1024
	// logWait is how long the last lines may take at the end.
	logWait = 100 * time.Millisecond
)

// logs writes lines in the background: a client that does not read standard
// error must not hold the server up.
type logs struct {
	lines   chan []byte // nil is the last
	dropped atomic.Int64
	done    chan struct{}
}

func newLogs(to io.Writer) *logs {
	l := &logs{lines: make(chan []byte, maxLogLines), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for line := range l.lines {
			if line == nil {
				return
			}
			_, _ = to.Write(line) // there is no other place to complain at
			if n := l.dropped.Swap(0); n > 0 {
				fmt.Fprintf(to, "{\"@level\":\"warn\",\"@message\":\"log lines were dropped: nobody read them\",\"count\":%d}\n", n)
			}
		}
	}()
	return l
}

// Write takes one line of the logger.
func (l *logs) Write(line []byte) (int, error) {
	select {
	case l.lines <- bytes.Clone(line):
	default:
		l.dropped.Add(1)
	}
	return len(line), nil
}

// flush waits a little for the lines that are still to be written; those that
// come later are not.
func (l *logs) flush() {
	timer := time.NewTimer(logWait)
	defer timer.Stop()
	select {
	case l.lines <- nil:
	case <-timer.C:
		return
	}
	select {
	case <-l.done:
	case <-timer.C:
	}
}
