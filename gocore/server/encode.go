package server

import (
	"encoding/json"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// codeNoResource is the number for a missing resource in the revisions of MCP
// that begin with a handshake; the later ones have that for bad parameters.
const codeNoResource = -32002

// encodeResponse writes an answer on one line. One that no frame holds becomes
// an error.
func encodeResponse(p *pending, r *jsonrpc.Response) []byte {
	id := encodeID(r.ID)
	if r.Error != nil {
		wire := sdkError(p.req.Method, r.Error)
		if p.shaken && p.req.Method == "resources/read" && failureCode(wire) == failure.SpillNotFound {
			wire.Code = codeNoResource
		}
		return encodeError(id, wire)
	}
	line := make([]byte, 0, len(r.Result)+len(id)+len(`{"jsonrpc":"2.0","id":,"result":}`)+1)
	line = append(line, `{"jsonrpc":"2.0","id":`...)
	line = append(line, id...)
	line = append(line, `,"result":`...)
	line = append(line, r.Result...)
	line = append(line, '}')
	if len(line) >= MaxFrameBytes {
		return encodeError(id, wireError(fmt.Errorf("the answer has %d bytes, a message at most %d; ask for less", len(line), MaxFrameBytes)))
	}
	return line
}

func encodeError(id json.RawMessage, wire *jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := dispatch.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, wire})
	if err != nil { // only an id or data that is no JSON could be the reason
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"an error could not be written"}}`)
	}
	return text
}

// encodeID writes an id as it was read.
func encodeID(id jsonrpc.ID) json.RawMessage {
	text, err := dispatch.Marshal(id.Raw())
	if err != nil {
		return nil
	}
	return text
}
