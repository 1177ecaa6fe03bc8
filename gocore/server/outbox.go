package server

import (
	"context"
	"io"
	"sync"
)

// maxBacklog is how many bytes of answers may wait for a client to read them
// before no further call is begun: one frame and what the calls that run add.
const maxBacklog = MaxFrameBytes

// outbox writes lines, one at a time, and knows how much is waiting.
type outbox struct {
	to      io.Writer
	writing sync.Mutex // guards to

	mu      sync.Mutex
	waiting int           // bytes
	drained chan struct{} // closed, and made anew, when waiting has shrunk
}

func newOutbox(to io.Writer) *outbox {
	return &outbox{to: to, drained: make(chan struct{})}
}

// send writes a line without its end.
func (o *outbox) send(line []byte) error {
	line = append(line, '\n')
	o.count(len(line))
	defer o.count(-len(line))
	o.writing.Lock()
	defer o.writing.Unlock()
	_, err := o.to.Write(line)
	return err
}

func (o *outbox) count(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting += n
	if n < 0 {
		close(o.drained)
		o.drained = make(chan struct{})
	}
}

// room waits until the client has read enough for another answer. The error is
// the context's cause.
func (o *outbox) room(ctx context.Context) error {
	for {
		o.mu.Lock()
		waiting, drained := o.waiting, o.drained
		o.mu.Unlock()
		if waiting <= maxBacklog {
			return nil
		}
		select {
		case <-drained:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
