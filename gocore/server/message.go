package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// maxID is the largest whole number that every reader of JSON takes exactly.
const maxID = 1<<53 - 1

// refusal answers what is no message, or a message that is not taken. ID is the
// id to answer to as the client wrote it, nil when there is none.
type refusal struct {
	id  json.RawMessage
	err *jsonrpc.Error
}

func refuse(id json.RawMessage, code int64, format string, args ...any) *refusal {
	return &refusal{id, &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// parseMessage reads one message, strictly. Both results are nil for an answer:
// this server asks nothing of its clients.
func parseMessage(text []byte) (*jsonrpc.Request, *refusal) {
	members, err := tool.Members(text)
	var twice *tool.DuplicateError
	switch {
	case errors.Is(err, tool.ErrNotObject):
		return nil, refuse(nil, jsonrpc.CodeInvalidRequest, "a message is not a JSON object")
	case errors.As(err, &twice):
		return nil, refuse(nil, jsonrpc.CodeInvalidRequest, "a message is ambiguous: %v", err)
	case err != nil:
		return nil, refuse(nil, jsonrpc.CodeParseError, "a message is not JSON: %v", err)
	}
	given := map[string]json.RawMessage{}
	for _, m := range members {
		given[m.Name] = m.Value
	}
	rawID, hasID := given["id"]
	_, isCall := given["method"]
	_, answers := given["result"]
	_, fails := given["error"]
	if !isCall && hasID && (answers || fails) {
		return nil, nil
	}
	var id jsonrpc.ID
	if hasID {
		if id, err = parseID(rawID); err != nil {
			return nil, refuse(echo(rawID), jsonrpc.CodeInvalidRequest, "%v", err)
		}
	}
	bad := func(format string, args ...any) (*jsonrpc.Request, *refusal) {
		return nil, refuse(echo(rawID), jsonrpc.CodeInvalidRequest, format, args...)
	}
	if string(given["jsonrpc"]) != `"2.0"` {
		return bad(`a message has no "jsonrpc":"2.0"`)
	}
	req := &jsonrpc.Request{ID: id}
	if json.Unmarshal(given["method"], &req.Method) != nil || given["method"][0] != '"' {
		return bad("a message has no method")
	}
	switch params := given["params"]; {
	case len(params) == 0 || string(params) == "null":
	case params[0] == '{':
		req.Params = params
	default:
		return nil, argumentRefusal(echo(rawID), "params", "they are "+dispatch.TypeName(params)+"; write an object")
	}
	return req, nil
}

// parseID reads the id of a call. It is given back as a JSON value of the same
// meaning; what could not be is an error.
func parseID(raw json.RawMessage) (jsonrpc.ID, error) {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) == nil && !dispatch.HalfSurrogate(raw, text) {
			return jsonrpc.MakeID(text)
		}
		return jsonrpc.ID{}, errors.New("the id holds half of a surrogate pair, which is no character")
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > maxID {
		return jsonrpc.ID{}, fmt.Errorf("the id is neither a string nor a whole number of at most %d", maxID)
	}
	return jsonrpc.MakeID(number)
}

// echo is an id as an answer may repeat it, nil for what is none.
func echo(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || !strings.ContainsRune(`"-0123456789`, rune(id[0])) {
		return nil
	}
	return id
}

// maxBatch bounds the messages on one line, each of which is answered.
const maxBatch = 1000

// splitBatch returns the messages of a batch; isBatch is false for any other
// line.
func splitBatch(line []byte) (parts []json.RawMessage, isBatch bool, bad *refusal) {
	line = bytes.TrimSpace(line)
	if !bytes.HasPrefix(line, []byte("[")) {
		return nil, false, nil
	}
	if !json.Valid(line) || !utf8.Valid(line) {
		return nil, true, refuse(nil, jsonrpc.CodeParseError, "a batch is not JSON in UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	_, _ = dec.Token() // "[": the line is valid JSON, so that nothing below fails
	for dec.More() {
		if len(parts) == maxBatch {
			return nil, true, refuse(nil, jsonrpc.CodeInvalidRequest, "a batch has more than %d messages; send several", maxBatch)
		}
		var part json.RawMessage
		_ = dec.Decode(&part)
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return nil, true, refuse(nil, jsonrpc.CodeInvalidRequest, "a batch is empty")
	}
	return parts, true, nil
}
