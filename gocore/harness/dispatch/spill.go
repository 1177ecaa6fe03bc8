package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// MaxSpillRead is how much of an artifact one answer holds. In JSON a byte of
// text takes six at worst, so that a frame of 8 MiB always has room.
const MaxSpillRead = 1 << 20

// spillMethods read and manage what calls have saved for their owner.
func (d *Dispatcher) spillMethods() map[string]method {
	all := map[string]method{
		"hydra/spill/read":   {do: d.spillRead},
		"hydra/spill/stat":   {do: d.spillStat},
		"hydra/spill/list":   {do: d.spillList},
		"hydra/spill/delete": {do: d.spillDelete},
		"hydra/spill/sweep":  {do: d.spillSweep},
	}
	for name, m := range all {
		m.ended = spillEnded
		all[name] = m
	}
	return all
}

func spillEnded(cause error, _ bool) error {
	return &spill.Error{Code: spill.Failed, Message: "the call was given up before it was complete", Err: cause}
}

// SpillText is the answer of hydra/spill/read.
type SpillText struct {
	spill.Extent
	Text string `json:"text"`
	// TextBytes are the exact bytes when they are not UTF-8.
	TextBytes []byte `json:"textBytes,omitempty"`
	More      bool   `json:"more"`
	Next      int64  `json:"next"`
}

// stored is the store, and for whom a call looks.
func (d *Dispatcher) stored(c call) (spill.Store, spill.Scope, error) {
	if c.Owner == "" {
		return nil, spill.Scope{}, &tool.ArgumentError{
			Argument: metaOwner,
			Message:  "it is missing; what is saved belongs to an owner: name it in _meta, or start the runtime with --owner",
		}
	}
	return d.runtime.Spill(), spill.Session(c.Owner), nil
}

// artifact reads the parameters of a method for one artifact.
func (d *Dispatcher) artifact(c call, body json.RawMessage, more ...field) (store spill.Store, scope spill.Scope, id string, err error) {
	if err = decode(body, append([]field{{"id", &id}}, more...)...); err != nil {
		return nil, scope, id, err
	}
	if id == "" {
		return nil, scope, id, &tool.ArgumentError{Argument: "id", Message: "it is missing; write an artifact's id, locator or address"}
	}
	store, scope, err = d.stored(c)
	return store, scope, id, err
}

func (d *Dispatcher) spillRead(ctx context.Context, c call, body json.RawMessage) (any, error) {
	var offset, limit, line, lines int64 = unset, unset, unset, unset
	store, scope, id, err := d.artifact(c, body,
		field{"offset", &offset}, field{"limit", &limit}, field{"line", &line}, field{"lines", &lines})
	if err != nil {
		return nil, err
	}
	byBytes, byLines := offset != unset || limit != unset, line != unset || lines != unset
	switch {
	case byBytes && byLines:
		return nil, &tool.ArgumentError{Argument: "line", Message: "a range of bytes is given, too; give offset and limit, or line and lines"}
	case byLines && line == 0:
		return nil, &tool.ArgumentError{Argument: "line", Message: "it is 0; lines are counted from 1"}
	case byLines:
		return readSpill(ctx, store, scope, id, spill.Lines(max(1, line), max(0, lines)))
	}
	return readSpill(ctx, store, scope, id, spill.Bytes(max(0, offset), max(0, limit)))
}

// unset is a number that a request left out.
const unset = -1

// ReadSpill reads a range of a saved text for a client that asks for it as a
// resource. The error is as that of Call.
func (d *Dispatcher) ReadSpill(ctx context.Context, id string, r spill.Range, meta map[string]any, door Door) (*SpillText, error) {
	return run(ctx, d, meta, door, work[*SpillText]{
		ended: spillEnded,
		do: func(ctx context.Context, c call) (*SpillText, error) {
			store, scope, err := d.stored(c)
			if err != nil {
				return nil, err
			}
			return readSpill(ctx, store, scope, id, r)
		},
	})
}

func readSpill(ctx context.Context, store spill.Store, scope spill.Scope, id string, r spill.Range) (*SpillText, error) {
	text, extent, err := spill.ReadBytes(ctx, store, scope, id, r, MaxSpillRead)
	if err != nil {
		return nil, err
	}
	if len(text) == MaxSpillRead {
		// Where the answer ends, not the range, a character stays whole.
		text = wholeCharacters(text)
		extent.Bytes = int64(len(text))
	}
	answer := &SpillText{Extent: extent, Text: string(text), More: extent.More(), Next: extent.Next()}
	if !utf8.Valid(text) {
		answer.TextBytes = text
		answer.Text = strings.ToValidUTF8(answer.Text, "\ufffd")
	}
	return answer, nil
}

// wholeCharacters drops the beginning of a character at the end of a text.
func wholeCharacters(text []byte) []byte {
	for cut := len(text) - 1; cut >= 0 && cut >= len(text)-utf8.UTFMax; cut-- {
		if utf8.RuneStart(text[cut]) {
			if !utf8.FullRune(text[cut:]) {
				return text[:cut]
			}
			break
		}
	}
	return text
}

func (d *Dispatcher) spillStat(ctx context.Context, c call, body json.RawMessage) (any, error) {
	store, scope, id, err := d.artifact(c, body)
	if err != nil {
		return nil, err
	}
	return store.Stat(ctx, scope, id)
}

// spillList is the answer of hydra/spill/list.
type spillList struct {
	Artifacts  []spill.Artifact `json:"artifacts"`
	NextCursor string           `json:"nextCursor,omitempty"`
	// Incomplete says what could not be looked at: the list has the rest.
	Incomplete string `json:"incomplete,omitempty"`
}

// MaxListed is how many artifacts one answer lists: with the longest of names
// and labels they stay far below a frame.
const MaxListed = 1000

func (d *Dispatcher) spillList(ctx context.Context, c call, body json.RawMessage) (any, error) {
	var after string
	if err := decode(body, field{"cursor", &after}); err != nil {
		return nil, err
	}
	micros, id, ok := strings.Cut(after, "-")
	since, err := strconv.ParseInt(micros, 10, 64)
	if after != "" && (!ok || err != nil) {
		return nil, &tool.ArgumentError{Argument: "cursor", Message: "it is not a cursor; pass the nextCursor of the page before"}
	}
	store, scope, err := d.stored(c)
	if err != nil {
		return nil, err
	}
	list, err := store.List(ctx, scope)
	incomplete := ""
	if err != nil {
		if len(list) == 0 {
			return nil, err
		}
		incomplete = failure.Clip(err.Error())
	}
	if after != "" {
		// The list is in this order; what was deleted meanwhile is not missed.
		list = slices.DeleteFunc(list, func(a spill.Artifact) bool {
			created := a.Created.UnixMicro()
			return created < since || created == since && a.ID <= id
		})
	}
	answer := spillList{Artifacts: append([]spill.Artifact{}, list[:min(len(list), MaxListed)]...), Incomplete: incomplete}
	if len(list) > MaxListed {
		last := list[MaxListed-1]
		answer.NextCursor = fmt.Sprintf("%d-%s", last.Created.UnixMicro(), last.ID)
	}
	return answer, nil
}

func (d *Dispatcher) spillDelete(ctx context.Context, c call, body json.RawMessage) (any, error) {
	store, scope, id, err := d.artifact(c, body)
	if err != nil {
		return nil, err
	}
	return struct{}{}, store.Delete(ctx, scope, id)
}

func (d *Dispatcher) spillSweep(ctx context.Context, c call, body json.RawMessage) (any, error) {
	if err := decode(body); err != nil {
		return nil, err
	}
	store, scope, err := d.stored(c)
	if err != nil {
		return nil, err
	}
	return store.Sweep(ctx, scope)
}
