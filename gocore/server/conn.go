package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// MaxFrameBytes bounds one line in either direction: the largest argument
	// the tools accept, and a page of results, fit with room.
	MaxFrameBytes = 16 << 20
	// maxPending is how many requests are read before one of them is answered.
	// A client that stops reading is then not read either, which bounds what is
	// held for it.
	maxPending = 1024
	// readBuffer is the size of one read of the input.
	readBuffer = 64 << 10
)

// conn is a connection of newline-delimited JSON that outlives its client's
// mistakes. The SDK's own ends at a malformed line, answers requests that were
// cancelled, and drops the answers that are due when the input ends.
type conn struct {
	in  *bufio.Reader
	raw io.ReadCloser
	out io.WriteCloser

	// atEnd is called once when the input ends; the answers that are due then
	// may still be written until it returns.
	atEnd func(answered <-chan struct{})

	queue []jsonrpc.Message // of a batch, not yet read

	writing sync.Mutex // guards out

	mu       sync.Mutex          // guards what follows
	pending  map[jsonrpc.ID]bool // requests without an answer; true: cancelled
	leaving  int                 // answers on their way out
	room     sync.Cond           // signalled when pending shrinks
	ended    bool
	quiet    bool
	answered chan struct{} // closed when quiet: ended, and nothing is due
	closed   bool
}

func newConn(in io.ReadCloser, out io.WriteCloser, atEnd func(<-chan struct{})) *conn {
	c := &conn{
		in:       bufio.NewReaderSize(in, readBuffer),
		raw:      in,
		out:      out,
		atEnd:    atEnd,
		pending:  map[jsonrpc.ID]bool{},
		answered: make(chan struct{}),
	}
	c.room.L = &c.mu
	return c
}

// Connect makes a conn its own transport.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is empty: a stream is one session.
func (c *conn) SessionID() string { return "" }

// Read returns the next message that is one. Lines that are not are answered
// with an error and passed over.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue = c.queue[1:]
			if c.admit(msg) {
				return msg, nil
			}
			continue
		}
		line, err := c.line()
		if err != nil {
			return nil, c.end(err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			c.queue = c.decode(line)
		}
	}
}

// line reads one line. One that is too long is answered and skipped. What
// stands behind the last line end is a line too.
func (c *conn) line() ([]byte, error) {
	var line []byte
	for {
		part, err := c.in.ReadSlice('\n')
		if len(line)+len(part) > MaxFrameBytes {
			c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has more than %d bytes", MaxFrameBytes))
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = c.in.ReadSlice('\n')
			}
			if err != nil {
				return nil, err
			}
			line = nil
			continue
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

// decode reads a message, or the messages of a batch. Each message of a batch is
// answered by itself.
func (c *conn) decode(line []byte) []jsonrpc.Message {
	if !utf8.Valid(line) {
		c.refuse(jsonrpc.CodeParseError, "a message is not valid UTF-8")
		return nil
	}
	parts := []json.RawMessage{line}
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
		parts = nil
		if err := json.Unmarshal(line, &parts); err != nil {
			c.refuse(jsonrpc.CodeParseError, "a message is not JSON: "+err.Error())
			return nil
		}
	}
	var messages []jsonrpc.Message
	for _, part := range parts {
		if !json.Valid(part) {
			c.refuse(jsonrpc.CodeParseError, "a message is not JSON")
			continue
		}
		msg, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			c.refuse(jsonrpc.CodeInvalidRequest, "a message is not JSON-RPC 2.0: "+err.Error())
			continue
		}
		messages = append(messages, msg)
	}
	return messages
}

// admit notes a request, and waits while too many have no answer.
func (c *conn) admit(msg jsonrpc.Message) bool {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.IsCall() {
		c.noteCancel(req)
		return true
	}
	for len(c.pending) >= maxPending && !c.closed {
		c.room.Wait()
	}
	if _, double := c.pending[req.ID]; double {
		go c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the id %v is in use by a request that has no answer yet", req.ID.Raw()))
		return false
	}
	c.pending[req.ID] = false
	return true
}

// noteCancel marks a request whose answer is not wanted any more.
func (c *conn) noteCancel(note *jsonrpc.Request) {
	if note.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(note.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if _, pending := c.pending[id]; err == nil && pending {
		c.pending[id] = true
	}
}

// end lets due answers out before the SDK learns that the input is over: it
// would drop them.
func (c *conn) end(cause error) error {
	c.mu.Lock()
	c.ended = true
	c.checkAnswered()
	c.mu.Unlock()
	c.atEnd(c.answered)
	if errors.Is(cause, io.ErrClosedPipe) {
		return io.EOF
	}
	return cause
}

// Write sends a message, unless it answers a request that was cancelled.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	response, isResponse := msg.(*jsonrpc.Response)
	if isResponse {
		defer c.left()
		if c.settle(response.ID) {
			return nil
		}
	}
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	if isResponse && len(text) >= MaxFrameBytes {
		text, err = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: response.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("the answer has more than %d bytes; ask for less", MaxFrameBytes),
		}})
		if err != nil {
			return err
		}
	}
	return c.send(text)
}

func (c *conn) send(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// settle takes a request off the list, before its answer goes out: the client
// may use the id again as soon as it has read that. It reports whether the
// request was cancelled.
func (c *conn) settle(id jsonrpc.ID) (cancelled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancelled = c.pending[id]
	delete(c.pending, id)
	c.leaving++
	c.room.Signal()
	return cancelled
}

// left notes that an answer has gone out.
func (c *conn) left() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving--
	c.checkAnswered()
}

// checkAnswered closes answered when nothing more is due.
func (c *conn) checkAnswered() {
	if c.ended && !c.quiet && c.leaving == 0 && len(c.pending) == 0 {
		c.quiet = true
		close(c.answered)
	}
}

// refuse answers a line that has no id to answer to.
func (c *conn) refuse(code int64, message string) {
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message},
	})
	if err == nil {
		_ = c.send(text) // a broken output shows at the next answer
	}
}

// Close ends the connection.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.room.Broadcast()
	c.mu.Unlock()
	return errors.Join(c.raw.Close(), c.out.Close())
}
