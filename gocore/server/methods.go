package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

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
	meta, err := marshal(r.Meta)
	if err != nil {
		return nil, err
	}
	text := append([]byte(`{"_meta":`), meta...)
	if len(r.text) > len(`{}`) {
		text = append(text, ',')
	}
	return append(text, r.text[1:]...), nil
}

// method is one hydra/ method. Its value is a JSON object.
type method struct {
	// searches is set when it runs the sidecar: it then waits for its turn as
	// tool calls do. No other method ever waits behind a search.
	searches bool
	do       func(ctx context.Context, c call, params json.RawMessage) (any, error)
	// ended is the error when the call's time is over; nil is that of a search.
	ended func(cause error, begun bool) error
}

// methods are everything for code, by name.
func (s *Server) methods() map[string]method {
	all := map[string]method{"hydra/info": {do: s.info}}
	for _, group := range []map[string]method{s.searchMethods(), s.shellMethods(), s.spillMethods()} {
		maps.Copy(all, group)
	}
	return all
}

func (s *Server) addMethods() error {
	for name, m := range s.methods() {
		if err := mcp.AddReceivingCustomMethod(s.mcp, name, s.wire(m)); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}
	return nil
}

// methodNames are the methods that there are, sorted.
func (s *Server) methodNames() []string { return slices.Sorted(maps.Keys(s.methods())) }

// wire puts a method on the connection.
func (s *Server) wire(m method) func(context.Context, *mcp.ServerSession, *params) (*result, error) {
	w := work[json.RawMessage]{searches: m.searches, ended: m.ended}
	if w.ended == nil {
		w.ended = ended
	}
	return func(ctx context.Context, session *mcp.ServerSession, p *params) (*result, error) {
		if p == nil {
			p = &params{}
		}
		w := w
		w.do = func(ctx context.Context, c call) (json.RawMessage, error) {
			value, err := m.do(ctx, c, p.body)
			if err != nil {
				return nil, err
			}
			return marshal(value)
		}
		text, err := run(ctx, s, session, p.GetMeta(), w)
		if err != nil {
			return nil, wireError(err)
		}
		return &result{text: text}, nil
	}
}
