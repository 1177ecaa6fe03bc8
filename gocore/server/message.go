package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
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
	members, err := strictjson.Outline(text)
	if err != nil {
		return nil, unreadable(text, err)
	}
	given := map[string]json.RawMessage{}
	for _, m := range members {
		given[m.Name] = json.RawMessage(m.Value)
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
	if err := strictjson.LookAlike(text, []string{"jsonrpc", "id", "method", "params"}); err != nil {
		return bad("a message is ambiguous: %v", err)
	}
	if string(given["jsonrpc"]) != `"2.0"` {
		return bad(`a message has no "jsonrpc":"2.0"`)
	}
	req := &jsonrpc.Request{ID: id}
	if !isCall {
		return bad("a message has no method")
	}
	if err := strictjson.Unmarshal(given["method"], &req.Method); err != nil {
		return bad("a message has no method: %v", err)
	}
	if !offered(req.Method) {
		return nil, refuse(echo(rawID), jsonrpc.CodeMethodNotFound, "method not found: %q", failure.Clip(req.Method))
	}
	params := given["params"]
	if strictjson.IsNull(params) {
		params = nil
	}
	if err := checkParams(req.Method, params); err != nil {
		wire := wireError(err)
		if !strings.HasPrefix(req.Method, ownMethods) {
			wire.Code = jsonrpc.CodeInvalidParams
		}
		return nil, &refusal{echo(rawID), wire}
	}
	req.Params = params
	return req, nil
}

// unreadable answers what is no message. A text in it that is not UTF-8 makes it
// none as well.
func unreadable(text []byte, err error) *refusal {
	var wrong *strictjson.Error
	errors.As(err, &wrong)
	switch wrong.Kind {
	case strictjson.NotObject:
		return refuse(nil, jsonrpc.CodeInvalidRequest, "a message is not a JSON object")
	case strictjson.Twice:
		return refuse(nil, jsonrpc.CodeInvalidRequest, "a message is ambiguous: the name %q is given twice", wrong.Path)
	}
	return refuse(nil, jsonrpc.CodeParseError, "a message is not JSON: %s", strings.TrimPrefix(err.Error(), "it is not JSON: "))
}

// ownMethods begins the names of the methods that are not MCP's.
const ownMethods = "hydra/"

// mcpParam is a member of the parameters of a method of MCP that somebody reads.
type mcpParam struct {
	name string
	// text says that it is a string, needed that it may not be missing.
	text, needed bool
}

var mcpParams = map[string][]mcpParam{
	"initialize":               {{name: "protocolVersion", text: true}, {name: "capabilities"}, {name: "clientInfo"}},
	"tools/list":               {{name: "cursor", text: true}},
	"tools/call":               {{name: "name", text: true, needed: true}, {name: "arguments"}},
	"resources/list":           {{name: "cursor", text: true}},
	"resources/templates/list": {{name: "cursor", text: true}},
	"resources/read":           {{name: "uri", text: true, needed: true}},
	"notifications/cancelled":  {{name: "requestId"}, {name: "reason"}},
}

// withoutParams are the other methods of MCP that we offer. The SDK answers more,
// such as prompts/list, though nothing of that kind was advertised.
var withoutParams = []string{"ping", "server/discover", "subscriptions/listen"}

// offered reports whether a method is one that may be called. Whether there is
// such a method of ours, the dispatcher says; of notifications, the SDK.
func offered(method string) bool {
	_, known := mcpParams[method]
	return known || slices.Contains(withoutParams, method) ||
		strings.HasPrefix(method, ownMethods) || strings.HasPrefix(method, "notifications/")
}

// checkParams looks parameters through before anybody reads them. Those of our
// own methods, and the arguments of a tool, are read strictly where they belong:
// here they must only be readable. The error is a *tool.ArgumentError.
func checkParams(method string, params json.RawMessage) error {
	if params == nil {
		params = json.RawMessage(`{}`)
	}
	members, err := strictjson.Outline(params)
	if err != nil {
		return argument("params", err)
	}
	own := strings.HasPrefix(method, ownMethods)
	given := map[string]json.RawMessage{}
	for _, m := range members {
		given[m.Name] = json.RawMessage(m.Value)
		err := strictjson.Check(m.Value)
		var wrong *strictjson.Error
		switch {
		case m.Name == "_meta":
			if err := dispatch.CheckMeta(json.RawMessage(m.Value)); err != nil {
				return err
			}
		case errors.As(err, &wrong) && (own || method == "tools/call" && m.Name == "arguments") && wrong.Kind != strictjson.TooDeep:
			// It is told in the form of the method, or in words for a model.
		case err != nil:
			return argument(m.Name, err)
		}
	}
	if own {
		return nil
	}
	return checkMCP(mcpParams[method], params, given)
}

// checkMCP checks the members that the SDK is going to read, which takes a null
// for nothing, and does not name what it finds wrong.
func checkMCP(expected []mcpParam, params json.RawMessage, given map[string]json.RawMessage) error {
	names := []string{"_meta"}
	for _, p := range expected {
		names = append(names, p.name)
		value, there := given[p.name]
		switch {
		case p.needed && !there:
			return &tool.ArgumentError{Argument: p.name, Message: "it is missing; write a string"}
		case p.text && there:
			if err := strictjson.Unmarshal(value, new(string)); err != nil {
				return argument(p.name, err)
			}
		}
	}
	if err := strictjson.LookAlike(params, names); err != nil {
		return argument("", err)
	}
	return nil
}

// argument is an error of reading the named part of the parameters.
func argument(name string, err error) error {
	var wrong *strictjson.Error
	if !errors.As(err, &wrong) {
		return &tool.ArgumentError{Argument: name, Message: err.Error()}
	}
	if name != "params" {
		return &tool.ArgumentError{Argument: strictjson.Join(name, wrong.Path), Message: wrong.Message}
	}
	if wrong.Path != "" {
		return &tool.ArgumentError{Argument: wrong.Path, Message: wrong.Message}
	}
	return &tool.ArgumentError{Argument: name, Message: strings.Replace(wrong.Message, "it is ", "they are ", 1)}
}

// parseID reads the id of a call. It is given back as a JSON value of the same
// meaning; what could not be is an error.
func parseID(raw json.RawMessage) (jsonrpc.ID, error) {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := strictjson.Unmarshal(raw, &text); err != nil {
			return jsonrpc.ID{}, fmt.Errorf("the id cannot be given back: %w", err)
		}
		return jsonrpc.MakeID(text)
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > maxID {
		return jsonrpc.ID{}, fmt.Errorf("the id is neither a string nor a whole number of at most %d", maxID)
	}
	return jsonrpc.MakeID(number)
}

// maxEchoedNumber bounds a number that is repeated although it is no id: readers of JSON
// refuse numbers of many digits, and with them the whole answer.
const maxEchoedNumber = 64

// echo is an id as an answer may repeat it, nil for what is none.
func echo(id json.RawMessage) json.RawMessage {
	if len(id) > maxEchoedNumber && id[0] != '"' {
		return nil
	}
	if len(id) == 0 || !utf8.Valid(id) || !strings.ContainsRune(`"-0123456789`, rune(id[0])) {
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
	if !json.Valid(line) {
		return nil, true, refuse(nil, jsonrpc.CodeParseError, "a batch is not JSON")
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
