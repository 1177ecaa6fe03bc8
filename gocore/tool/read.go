package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/supervise"
)

// ReadResult is the tool that reads a saved result on: for models that have neither
// a shell nor a tool that reads files. It is offered when the configuration names it.
const ReadResult = "read_result"

// Names of its arguments.
const (
	ID     = "id"
	Offset = "offset"
	Limit  = "limit"
)

// maxReadBytes bounds one part whatever inlineMaxBytes is: it stands twice in an answer,
// as text and as structured content, and each byte takes six at worst in JSON, so that a
// frame of 8 MiB always has room.
const maxReadBytes = 256 << 10

// partBytes is how many bytes of a saved result one call shows at most.
func (s *Set) partBytes() int { return min(s.policy.InlineMaxBytes, maxReadBytes) }

// ReadPage is the structured page of read_result.
type ReadPage struct {
	ID string `json:"id"`
	// Offset and Bytes say which bytes of Size are shown.
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Size   int64  `json:"size"`
	Text   string `json:"text"`
	// More tells that the saved result goes on, Next where.
	More bool  `json:"more"`
	Next int64 `json:"next"`
}

// Any reports whether something was read.
func (p ReadPage) Any() bool { return p.Bytes > 0 }

var readSchema = json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"offset":{"type":"integer"},"bytes":{"type":"integer"},` +
	`"size":{"type":"integer"},"text":{"type":"string"},"more":{"type":"boolean"},"next":{"type":"integer"}},` +
	`"required":["id","offset","bytes","size","text","more","next"]}`)

// readRequest are the arguments of read_result.
type readRequest struct {
	id            string
	offset, limit int64
}

func decodeRead(raw json.RawMessage) (readRequest, error) {
	var req readRequest
	err := decode(raw, argument{ID, true, &req.id}, argument{Offset, false, &req.offset}, argument{Limit, false, &req.limit})
	if err == nil && req.id == "" {
		err = &ArgumentError{Argument: ID, Message: "it is empty; write the path that the page names"}
	}
	return req, err
}

func (s *Set) defineRead() Definition {
	return Definition{
		Name:  ReadResult,
		Title: "Read a saved result",
		Description: fmt.Sprintf("Read on in a result that did not fit on its page and was saved whole. "+
			"Returns its text from a byte offset on, at most %d bytes, and tells the offset to go on with.", s.partBytes()),
		InputSchema: schema([]property{
			{ID, "string", "What the page names as the place of the saved result."},
			{Offset, "integer", "First byte to read, counted from 0. Leave it out to start at the beginning."},
			{Limit, "integer", "How many bytes to read at most. Leave it out for a whole page."},
		}),
		OutputSchema: readSchema,
	}
}

// readGuidance is what a system prompt says of read_result.
const readGuidance = `Use the read_result tool to read on where a page says that the complete result was saved.`

// read shows a part of what the session has saved. What another session has saved
// does not exist.
func (s *Set) read(ctx context.Context, session Session, req readRequest) Result {
	session.searched()
	if session.Owner == "" || s.store == nil {
		return failed(&ArgumentError{Argument: ID, Message: "nothing is saved here, because " + noOwner + "; narrow the search instead"})
	}
	most := int64(s.partBytes())
	if req.limit > 0 {
		most = min(most, req.limit)
	}
	ctx, cancel := withinSaveTime(ctx)
	defer cancel()
	var extent spill.Extent
	text, err := supervise.Run(ctx, s.pool, supervise.Within(0), func() ([]byte, error) {
		text, found, err := spill.ReadBytes(ctx, s.store, spill.Session(session.Owner), req.id, spill.Bytes(req.offset, most), most)
		extent = found
		return text, err
	})
	if errors.As(err, new(*supervise.Left)) || errors.Is(context.Cause(ctx), errNoAnswer) {
		err = &spill.Error{Code: spill.Failed, Op: "read", Message: noAnswer, Err: err}
	}
	if err != nil {
		return failed(err)
	}
	part := render.Excerpt(text, extent.Offset, extent.Size, s.partBytes())
	page := ReadPage{
		ID: req.id, Offset: extent.Offset, Bytes: part.Bytes, Size: extent.Size, Text: part.Text,
		Next: extent.Offset + part.Bytes, More: extent.Offset+part.Bytes < extent.Size,
	}
	r := Result{Text: part.Text, Body: part.Text, Foot: part.Foot, Page: page, Value: page}
	if part.Foot != "" {
		r.Text += "\n\n" + part.Foot
	}
	return r
}
