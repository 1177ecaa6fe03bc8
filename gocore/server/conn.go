package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxPending is how many calls may be without an answer: more than the queue
	// of searches takes from everybody, so that what does not search is still let
	// through when that is full.
	maxPending = 2 * dispatch.MaxQueued
	// maxPendingBytes bounds what those calls have sent.
	maxPendingBytes = MaxFrameBytes
)

// conn is a connection of newline-delimited JSON that outlives its client's
// mistakes. The SDK's own ends at a malformed line, answers calls that were
// cancelled, drops the answers that are due when the input ends, and hands out
// errors without a number.
type conn struct {
	lines *frames
	in    io.Closer
	out   *outbox
	to    io.Closer

	queue []arrival // of the last line, not yet read

	mu       sync.Mutex // guards what follows
	pending  map[jsonrpc.ID]*pending
	shaken   bool // the connection began with a handshake
	unread   int  // answers that are on their way out
	bytes    int  // that the calls of both have sent
	budget   *dispatch.Budget
	due      int           // pending calls that are not cancelled, and answers on their way out
	over     bool          // nothing more is read
	ended    chan struct{} // closed when the input has ended
	answered chan struct{} // closed when over and nothing is due
	finished chan struct{} // closed when the SDK may learn of the end
}

// arrival is a message and the line that it came on.
type arrival struct {
	req   *jsonrpc.Request
	size  int
	batch *batch // nil: it came alone
}

// pending is a call without an answer.
type pending struct {
	arrival
	shaken    bool // it came behind a handshake
	cancelled bool
	claim     *dispatch.Claim // what it holds of the connection's budget
}

func newConn(in io.ReadCloser, out io.WriteCloser) *conn {
	return &conn{
		lines:    newFrames(in),
		in:       in,
		out:      newOutbox(out),
		to:       out,
		pending:  map[jsonrpc.ID]*pending{},
		budget:   dispatch.NewBudget(maxBacklog),
		ended:    make(chan struct{}),
		answered: make(chan struct{}),
		finished: make(chan struct{}),
	}
}

// Connect makes a conn its own transport.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is empty: a stream is one session.
func (c *conn) SessionID() string { return "" }

// Read returns the next message that is one. Lines that are not are answered
// with an error and passed over. A client that does not read its answers is not
// read from either, as soon as one of those errors is due.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		for len(c.queue) > 0 {
			next := c.queue[0]
			c.queue = c.queue[1:]
			if req := c.admit(next); req != nil {
				return req, nil
			}
		}
		line, err := c.lines.next()
		switch {
		case errors.Is(err, errFrameTooLong):
			c.refuse(nil, refuse(nil, jsonrpc.CodeInvalidRequest, "%v", err))
		case err != nil:
			return nil, c.end(err)
		default:
			c.take(line)
		}
	}
}

// take queues the messages of a line.
func (c *conn) take(line []byte) {
	parts, isBatch, bad := splitBatch(line)
	if bad != nil {
		c.refuse(nil, bad)
		return
	}
	if !isBatch {
		if len(bytes.TrimSpace(line)) > 0 {
			c.parse(line, nil)
		}
		return
	}
	b := newBatch(c.out)
	for _, part := range parts {
		c.parse(part, b)
	}
	_ = b.answer(nil)
}

func (c *conn) parse(text []byte, b *batch) {
	req, bad := parseMessage(text)
	switch {
	case bad != nil:
		if b != nil {
			b.expect()
		}
		c.refuse(b, bad)
	case req != nil:
		if b != nil && req.IsCall() {
			b.expect()
		}
		c.queue = append(c.queue, arrival{req, len(text), b})
	}
}

// admit notes a call and returns what the SDK is to see, nil for nothing.
func (c *conn) admit(a arrival) *jsonrpc.Request {
	if !a.req.IsCall() {
		if a.req.Method == "notifications/cancelled" && !c.cancel(a.req.Params) {
			return nil
		}
		return a.req
	}
	if bad := c.note(a); bad != nil {
		c.refuse(a.batch, bad)
		return nil
	}
	return a.req
}

// note puts a call on the list of those that are due an answer.
func (c *conn) note(a arrival) *refusal {
	id := a.req.ID
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[id] != nil {
		// Whoever waits for that answer must not take this one for it.
		return refuse(nil, jsonrpc.CodeInvalidRequest, "the id %s is in use by a call that has no answer yet", encodeID(id))
	}
	if calls := len(c.pending) + c.unread; calls >= maxPending || calls > 0 && c.bytes+a.size > maxPendingBytes {
		return &refusal{encodeID(id), wireError(&dispatch.Refusal{Code: failure.Busy, Message: "too many calls have no answer yet; try again when some have been answered"})}
	}
	c.shaken = c.shaken || a.req.Method == "initialize"
	c.pending[id] = &pending{arrival: a, shaken: c.shaken, claim: c.budget.Claim()}
	a.req.Extra = &mcp.RequestExtra{Header: http.Header{callHeader: {string(encodeID(id))}}}
	c.bytes += a.size
	c.due++
	return nil
}

// cancel marks a call whose answer is not wanted any more. It reports whether
// there is one.
func (c *conn) cancel(params json.RawMessage) bool {
	var cancelled struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if strictjson.UnmarshalForeign(params, &cancelled) != nil {
		return false
	}
	id, err := parseID(cancelled.RequestID)
	if err != nil {
		return false
	}
	c.mu.Lock()
	p := c.pending[id]
	known := p != nil && !p.cancelled
	if known {
		p.cancelled = true
	}
	c.mu.Unlock()
	if !known {
		return false
	}
	if p.batch != nil {
		_ = p.batch.answer(nil)
	}
	c.settled()
	return true
}

// Write sends a message, unless it answers a call that was cancelled.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	response, ok := msg.(*jsonrpc.Response)
	if !ok {
		text, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return err
		}
		return c.out.send(text)
	}
	// The call is off the list before its answer goes out: the client may use
	// the id again as soon as it has read that.
	p := c.forget(response.ID)
	if p == nil {
		return nil
	}
	defer c.gone(p)
	if p.cancelled {
		return nil
	}
	defer c.settled()
	if p.batch != nil {
		return p.batch.answer(encodeResponse(p, response))
	}
	return c.out.write(func() []byte { return encodeResponse(p, response) })
}

// callHeader is where a request carries its own id through the SDK, which does not
// tell a method which of the calls it answers.
const callHeader = "Call"

// claimOf is the claim of the call that a request of the SDK is, nil for none.
func (c *conn) claimOf(req mcp.Request) *dispatch.Claim {
	extra := req.GetExtra()
	if extra == nil {
		return nil
	}
	id, err := parseID(json.RawMessage(extra.Header.Get(callHeader)))
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.pending[id]; p != nil {
		return p.claim
	}
	return nil
}

// forget takes a call off the list and returns it.
func (c *conn) forget(id jsonrpc.ID) *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[id]
	if p != nil {
		delete(c.pending, id)
		c.unread++
	}
	return p
}

// gone gives back what a call held whose answer has been read, or is not sent.
func (c *conn) gone(p *pending) {
	p.claim.Free()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread--
	c.bytes -= p.size
}

// settled counts an answer that is not due any more.
func (c *conn) settled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due--
	c.checkAnswered()
}

func (c *conn) checkAnswered() {
	if c.over && c.due == 0 && !isClosed(c.answered) {
		close(c.answered)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (c *conn) answer(b *batch, text []byte) error {
	if b != nil {
		return b.answer(text)
	}
	return c.out.send(text)
}

// refuse answers what the SDK does not get to see.
func (c *conn) refuse(b *batch, bad *refusal) {
	_ = c.answer(b, encodeError(bad.id, bad.err)) // a broken output shows at the next answer
}

// end waits until the answers that are due may be gone, before the SDK learns
// that the input is over: it would drop them.
func (c *conn) end(cause error) error {
	close(c.ended)
	c.stop()
	<-c.finished
	if errors.Is(cause, io.ErrClosedPipe) {
		return io.EOF
	}
	return cause
}

// stop tells that nothing more is read, also when the reader is held up.
func (c *conn) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.checkAnswered()
}

// finish lets the SDK learn of the end.
func (c *conn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !isClosed(c.finished) {
		close(c.finished)
	}
}

// abandon answers the calls that are still due an answer: it will not come.
func (c *conn) abandon() {
	c.mu.Lock()
	due := make([]jsonrpc.ID, 0, len(c.pending))
	for id, p := range c.pending {
		if !p.cancelled {
			due = append(due, id)
		}
	}
	c.mu.Unlock()
	for _, id := range due {
		p := c.forget(id)
		if p == nil {
			continue // it has just been answered
		}
		if !p.cancelled {
			_ = c.answer(p.batch, encodeError(encodeID(id), wireError(&dispatch.Refusal{Code: failure.ShuttingDown, Message: "the runtime is shutting down; the call was given up"})))
			c.settled()
		}
		c.gone(p)
	}
}

// Close ends the connection.
func (c *conn) Close() error {
	c.finish()
	return errors.Join(c.in.Close(), c.to.Close())
}
