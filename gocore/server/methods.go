package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/modelcontextprotocol/go-sdk/mcp"
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

// result is the answer of a hydra/ method, a JSON object.
type result struct {
	mcp.ResultBase
	text json.RawMessage
}

// MarshalJSON writes the value, with the _meta that the SDK may have added.
func (r *result) MarshalJSON() ([]byte, error) {
	if len(r.Meta) == 0 {
		return r.text, nil
	}
	meta, err := dispatch.Marshal(r.Meta)
	if err != nil {
		return nil, err
	}
	text := append([]byte(`{"_meta":`), meta...)
	if len(r.text) > len(`{}`) {
		text = append(text, ',')
	}
	return append(text, r.text[1:]...), nil
}

func (s *Server) addMethods() error {
	for _, name := range s.dispatcher.Methods() {
		if err := mcp.AddReceivingCustomMethod(s.mcp, name, s.wire(name)); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}
	return nil
}

// wire puts a method on the connection.
func (s *Server) wire(name string) func(context.Context, *mcp.ServerSession, *params) (*result, error) {
	return func(ctx context.Context, session *mcp.ServerSession, p *params) (*result, error) {
		if p == nil {
			p = &params{}
		}
		ctx, cancel := s.bound(ctx)
		defer cancel()
		text, err := s.dispatcher.Call(ctx, name, p.GetMeta(), p.body, s.door(ctx, session))
		if err != nil {
			return nil, wireError(err)
		}
		return &result{text: text}, nil
	}
}
