package server

import (
	"bytes"
	"context"
	"encoding/json"
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

// methods are everything for code. Those that run the sidecar are admitted like
// tool calls.
func (s *Server) methods() map[string]method {
	return map[string]method{
		"hydra/info":              s.info,
		"hydra/search/glob":       s.admitted(s.searchGlob),
		"hydra/search/grep":       s.admitted(s.searchGrep),
		"hydra/shell/plan":        s.shellPlan,
		"hydra/shell/establish":   s.shellEstablish,
		"hydra/shell/reestablish": s.shellReestablish,
		"hydra/shell/gate":        s.shellGate,
		"hydra/shell/confirm":     s.shellConfirm,
		"hydra/spill/read":        s.spillRead,
		"hydra/spill/stat":        s.spillStat,
		"hydra/spill/list":        s.spillList,
		"hydra/spill/delete":      s.spillDelete,
		"hydra/spill/sweep":       s.spillSweep,
	}
}

func (s *Server) addMethods() error {
	for name, handler := range s.methods() {
		if err := mcp.AddReceivingCustomMethod(s.mcp, name, s.wire(handler)); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}
	return nil
}

// admitted runs a method when its turn has come.
func (s *Server) admitted(handler method) method {
	return func(ctx context.Context, c call, body json.RawMessage) (any, error) {
		release, err := s.admission.acquire(ctx, c.Owner)
		if err != nil {
			return nil, refused(err)
		}
		defer release()
		return handler(ctx, c, body)
	}
}

// wire puts a method on the connection: its context, its errors, its panics.
func (s *Server) wire(handler method) func(context.Context, *mcp.ServerSession, *params) (*result, error) {
	return func(ctx context.Context, session *mcp.ServerSession, p *params) (answer *result, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				s.log.Error("a method panicked", "panic", cause)
				answer, err = nil, &jsonrpc.Error{Code: errorNumbers[codeInternal], Message: fmt.Sprintf("internal error: %v", cause)}
			}
		}()
		if p == nil {
			p = &params{body: json.RawMessage(`{}`)}
		}
		c, err := s.call(p.GetMeta())
		if err != nil {
			return nil, wireError(err)
		}
		ctx, cancel := s.contextOf(ctx, c)
		defer cancel()
		defer s.progress(ctx, session, p.GetMeta()["progressToken"])()
		value, err := handler(ctx, c, p.body)
		if err != nil {
			return nil, wireError(err)
		}
		return &result{value: value}, nil
	}
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
	err = dec.Decode(target)
	if err == nil || shellFailure(err) != nil {
		return err // a malformed plan or boundary says more of itself
	}
	return &tool.ArgumentError{Argument: "params", Message: err.Error()}
}

func (s *Server) info(ctx context.Context, _ call, body json.RawMessage) (any, error) {
	if err := decode(body, &struct{}{}); err != nil {
		return nil, err
	}
	return s.runtime.Info(ctx), nil
}
