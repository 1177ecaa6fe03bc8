package server

import (
	"io"
	"sync"
	"sync/atomic"
)

// maxBacklog is how many bytes the calls of a connection may hold, by what they
// are going to answer and by what nobody has read yet, before a further call is
// begun: one frame.
const maxBacklog = MaxFrameBytes

// outbox writes lines, one at a time.
type outbox struct {
	to      io.Writer
	writing sync.Mutex // guards to
	// batched is how many bytes of answers wait in batches for the others.
	batched atomic.Int64
}

func newOutbox(to io.Writer) *outbox { return &outbox{to: to} }

// send writes a line without its end.
func (o *outbox) send(line []byte) error {
	return o.write(func() []byte { return line })
}

// write makes a line when its turn has come, and writes it.
func (o *outbox) write(make func() []byte) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	_, err := o.to.Write(append(make(), '\n'))
	return err
}
