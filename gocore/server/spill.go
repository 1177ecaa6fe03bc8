package server

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// maxSpillRead is how much of an artifact one answer holds. In JSON a byte of
// text takes six at worst, so that a frame always has room.
const maxSpillRead = 2 << 20

// spillParams are the parameters of the hydra/spill/ methods.
type spillParams struct {
	ID string `json:"id"`
	// A range of bytes, or, with line, of lines; 0 of either count is to the end.
	Offset int64 `json:"offset"`
	Limit  int64 `json:"limit"`
	Line   int64 `json:"line"`
	Lines  int64 `json:"lines"`
}

// spillText is the answer of hydra/spill/read.
type spillText struct {
	spill.Extent
	Text string `json:"text"`
	// TextBytes are the exact bytes when they are not UTF-8.
	TextBytes []byte `json:"textBytes,omitempty"`
	More      bool   `json:"more"`
	Next      int64  `json:"next"`
}

// stored prepares a spill method: the store, and for whom it looks.
func (s *Server) stored(c call, body json.RawMessage) (spill.Store, spill.Scope, spillParams, error) {
	var p spillParams
	if err := decode(body, &p); err != nil {
		return nil, spill.Scope{}, p, err
	}
	if c.Owner == "" {
		return nil, spill.Scope{}, p, &tool.ArgumentError{Argument: metaOwner, Message: "it is missing; saved results belong to an owner"}
	}
	store, err := s.runtime.Spill()
	return store, spill.Session(c.Owner), p, err
}

func (p spillParams) scope() spill.Range {
	if p.Line > 0 {
		return spill.Lines(p.Line, p.Lines)
	}
	return spill.Bytes(p.Offset, p.Limit)
}

func (s *Server) spillRead(ctx context.Context, c call, body json.RawMessage) (any, error) {
	store, scope, p, err := s.stored(c, body)
	if err != nil {
		return nil, err
	}
	return readSpill(ctx, store, scope, p.ID, p.scope())
}

func readSpill(ctx context.Context, store spill.Store, scope spill.Scope, id string, r spill.Range) (*spillText, error) {
	text, extent, err := spill.ReadBytes(ctx, store, scope, id, r, maxSpillRead)
	if err != nil {
		return nil, err
	}
	answer := &spillText{Extent: extent, Text: string(text), More: extent.More(), Next: extent.Next()}
	if !utf8.Valid(text) {
		answer.TextBytes = text
	}
	return answer, nil
}

func (s *Server) spillStat(ctx context.Context, c call, body json.RawMessage) (any, error) {
	store, scope, p, err := s.stored(c, body)
	if err != nil {
		return nil, err
	}
	return store.Stat(ctx, scope, p.ID)
}

func (s *Server) spillList(ctx context.Context, c call, body json.RawMessage) (any, error) {
	store, scope, _, err := s.stored(c, body)
	if err != nil {
		return nil, err
	}
	list, err := store.List(ctx, scope)
	if err != nil {
		return nil, err
	}
	return map[string]any{"artifacts": append([]spill.Artifact{}, list...)}, nil
}

func (s *Server) spillDelete(ctx context.Context, c call, body json.RawMessage) (any, error) {
	store, scope, p, err := s.stored(c, body)
	if err != nil {
		return nil, err
	}
	return map[string]any{}, store.Delete(ctx, scope, p.ID)
}

func (s *Server) spillSweep(ctx context.Context, c call, body json.RawMessage) (any, error) {
	store, scope, _, err := s.stored(c, body)
	if err != nil {
		return nil, err
	}
	return store.Sweep(ctx, scope)
}
