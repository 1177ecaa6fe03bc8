package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// params are the parameters of a hydra/ method, kept as they came.
type params struct {
	mcp.ParamsBase
	body json.RawMessage
}

// UnmarshalJSON keeps the text and reads _meta out of it.
func (p *params) UnmarshalJSON(text []byte) error {
	p.body = bytes.Clone(text)
	var with struct {
		Meta map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal(text, &with); err != nil {
		return err
	}
	p.SetMeta(with.Meta)
	return nil
}

// result is the answer of a hydra/ method.
type result struct {
	mcp.ResultBase
	value any
}

// MarshalJSON writes the value alone.
func (r *result) MarshalJSON() ([]byte, error) { return json.Marshal(r.value) }

// method answers one hydra/ method.
type method func(ctx context.Context, c call, params json.RawMessage) (any, error)

func (s *Server) addMethods() error {
	for name, handler := range map[string]method{
		"hydra/info":        s.info,
		"hydra/search/glob": s.searchGlob,
		"hydra/search/grep": s.searchGrep,
	} {
		if err := mcp.AddReceivingCustomMethod(s.mcp, name, s.wire(handler)); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}
	return nil
}

// wire puts a method on the connection: its context, its errors, its panics.
func (s *Server) wire(handler method) func(context.Context, *mcp.ServerSession, *params) (*result, error) {
	return func(ctx context.Context, _ *mcp.ServerSession, p *params) (answer *result, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				s.log.Error("a method panicked", "panic", cause)
				answer, err = nil, wireError(fmt.Errorf("internal error: %v", cause))
			}
		}()
		if p == nil {
			p = &params{body: json.RawMessage(`{}`)}
		}
		c, err := s.call(p.GetMeta())
		if err != nil {
			return nil, wireError(err)
		}
		ctx, release := s.bound(ctx)
		defer release()
		ctx, cancel := c.context(ctx)
		defer cancel()
		value, err := handler(ctx, c, p.body)
		if err != nil {
			return nil, wireError(err)
		}
		return &result{value: value}, nil
	}
}

// Numbers of our errors, outside the range that JSON-RPC reserves
// (-32768..-32000). Programs go by the code in the error's data.
var errorNumbers = map[string]int64{
	tool.CodeArgument:            1001,
	"SEARCH_INVALID_PATTERN":     1101,
	"SEARCH_FAILED":              1102,
	"SEARCH_RAW_OUTPUT_OVERFLOW": 1103,
	"SEARCH_ABORTED":             1104,
}

// wireError writes an error for the wire: never a bare one, which the SDK would
// send with the number 0.
func wireError(err error) error {
	var known *jsonrpc.Error
	if errors.As(err, &known) {
		return known
	}
	failure := tool.FailureOf(err)
	data, marshalErr := json.Marshal(failure)
	if marshalErr != nil {
		data = json.RawMessage(`{}`)
	}
	return &jsonrpc.Error{Code: errorNumbers[failure.Code], Message: failure.Message, Data: data}
}

// decode reads the parameters of a method into target, refusing unknown names.
// The error is a *tool.ArgumentError.
func decode(body json.RawMessage, target any) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(body, &given); err != nil {
		return &tool.ArgumentError{Argument: "params", Message: "they are not a JSON object"}
	}
	delete(given, "_meta")
	text, err := json.Marshal(given)
	if err != nil {
		return &tool.ArgumentError{Argument: "params", Message: err.Error()}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(target); err != nil {
		return &tool.ArgumentError{Argument: "params", Message: err.Error()}
	}
	return nil
}

func (s *Server) info(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	if err := decode(body, &struct{}{}); err != nil {
		return nil, err
	}
	return s.runtime.Info(ctx), nil
}
