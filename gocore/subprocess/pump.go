package subprocess

import (
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// wideBuffer is the size of one read of standard output: a quarter of the
	// pipe, so that a child that writes without pause is never kept waiting.
	wideBuffer = pipeBytes / 4
	// narrowBuffer is that of standard error, which says little.
	narrowBuffer = 4 << 10
	// gatherTime is how long output may collect in a wide pipe before it is read
	// on. A child that writes file by file would otherwise wake the reader
	// thousands of times, on a processor that it could use itself. It adds no
	// latency to the end, which ends the wait, and the pipe holds what a fast
	// child writes meanwhile.
	gatherTime = time.Millisecond
	// pollTime is how long the pump waits for output before it looks whether it
	// has been cut off.
	pollTime = 10 * time.Millisecond
)

// wideBuffers are used again: a fresh one is memory that has to be cleared.
var wideBuffers = sync.Pool{New: func() any { return new([wideBuffer]byte) }}

// pump moves what a child writes into the sinks, from one goroutine.
//
// It polls the pipes by itself. The Go runtime's own poller would be woken by
// every write of the child, also while nobody wants to read.
type pump struct {
	streams [2]stream
	// gather is set when the first pipe is wide enough to let output collect.
	gather bool
	// cut is set when only what is in the pipes now is wanted.
	cut atomic.Bool
	// refused gives the refusal of a sink, at most one; the pump then stops.
	refused chan error
	// ended is closed when the sinks have got everything.
	ended chan struct{}
}

// stream is one output of a child.
type stream struct {
	read, write int // descriptors, -1 when closed
	sink        io.Writer
	buf         []byte
	left        int // after the cut: what may still be read
}

// sinkPanic carries a panic of a sink to the goroutine that called Run.
type sinkPanic struct {
	value any
	stack []byte
}

func (p *sinkPanic) Error() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }

// newPump makes the pipes for a child that is to be started.
func newPump(stdout, stderr io.Writer) (*pump, error) {
	p := &pump{refused: make(chan error, 1), ended: make(chan struct{})}
	for i := range p.streams {
		p.streams[i] = stream{read: -1, write: -1, sink: io.Discard, left: pipeBytes}
	}
	for i, sink := range []io.Writer{stdout, stderr} {
		s := &p.streams[i]
		if sink != nil {
			s.sink = sink
		}
		var err error
		if s.read, s.write, err = newPipe(); err == nil {
			err = unix.SetNonblock(s.read, true) // the child's end stays as it is
		}
		if err != nil {
			p.close()
			return nil, err
		}
	}
	p.gather = widenPipe(p.streams[0].read)
	return p, nil
}

// started closes the ends that the child writes to: only it holds them now.
func (p *pump) started() {
	for i := range p.streams {
		shut(&p.streams[i].write)
	}
}

// close gives the pipes up. The pump must not run.
func (p *pump) close() {
	for i := range p.streams {
		shut(&p.streams[i].write)
		shut(&p.streams[i].read)
	}
}

func shut(fd *int) {
	if *fd >= 0 {
		_ = unix.Close(*fd)
	}
	*fd = -1
}

// run moves everything until both streams end, a sink refuses, or the pump is
// cut and the pipes are empty.
func (p *pump) run() {
	defer close(p.ended)
	defer func() {
		if value := recover(); value != nil {
			p.refused <- &sinkPanic{value, debug.Stack()}
		}
	}()
	wide := wideBuffers.Get().(*[wideBuffer]byte)
	defer wideBuffers.Put(wide)
	p.streams[0].buf, p.streams[1].buf = wide[:], make([]byte, narrowBuffer)
	if err := p.move(); err != nil {
		p.refused <- err
	}
}

func (p *pump) move() error {
	for open := len(p.streams); ; {
		cut := p.cut.Load() // before the reads: they then see all that the child wrote
		most := 0
		for i := range p.streams {
			s := &p.streams[i]
			if s.read < 0 {
				continue
			}
			n, end, err := s.move(cut)
			if err != nil {
				return err
			}
			if end {
				shut(&s.read)
				open--
			}
			most = max(most, n)
		}
		switch {
		case open == 0 || most == 0 && cut:
			return nil
		case most == 0:
			p.wait(unix.POLLIN, pollTime)
		case p.gather && !cut && most < wideBuffer/2:
			p.wait(0, gatherTime)
		}
	}
}

// move reads once and hands on what there is. It returns how much that was, and
// whether the stream has come to its end.
func (s *stream) move(cut bool) (n int, end bool, err error) {
	buf := s.buf
	if cut {
		// What the child itself has left is at most a pipe full. Whoever else goes
		// on writing is not listened to any longer.
		buf = buf[:min(len(buf), s.left)]
		if len(buf) == 0 {
			return 0, true, nil
		}
	}
	n, err = unix.Read(s.read, buf)
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return 0, false, nil
	case err != nil:
		return 0, true, err
	case n == 0:
		return 0, true, nil
	}
	if cut {
		s.left -= n
	}
	_, err = s.sink.Write(buf[:n])
	return n, false, err
}

// wait blocks until one of the streams has what is asked for (unix.POLLIN), has
// come to its end, or the time is over.
func (p *pump) wait(events int16, limit time.Duration) {
	var fds [len(p.streams)]unix.PollFd
	for i := range p.streams {
		fds[i] = unix.PollFd{Fd: int32(p.streams[i].read), Events: events} // -1 is passed over
	}
	_, _ = unix.Poll(fds[:], int(limit/time.Millisecond)) // whatever it says, the reads find out
}
