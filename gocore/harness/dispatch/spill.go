package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// MaxSpillRead is how much of a saved result one answer holds. In JSON a byte of
// text takes six at worst, so that a frame of 8 MiB always has room.
const MaxSpillRead = 1 << 20

// spillMethods read and manage what calls have saved for their owner.
func (d *Dispatcher) spillMethods() map[string]method {
	all := map[string]method{
		"hydra/spill/read":   takes(d.spillRead),
		"hydra/spill/stat":   takes(d.spillStat),
		"hydra/spill/list":   takes(d.spillList),
		"hydra/spill/delete": takes(d.spillDelete),
		"hydra/spill/sweep":  takes(d.spillSweep),
	}
	for name, m := range all {
		m.ended = spillEnded
		if name == "hydra/spill/read" {
			m.base = reserveText
		}
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

// savedParams name one saved result.
type savedParams struct {
	ID string `json:"id"`
}

// readParams are the parameters of hydra/spill/read.
type readParams struct {
	savedParams
	Offset *uint64 `json:"offset"`
	Limit  *uint64 `json:"limit"`
	Line   *uint64 `json:"line"`
	Lines  *uint64 `json:"lines"`
}

// listParams are the parameters of hydra/spill/list.
type listParams struct {
	Cursor string `json:"cursor"`
}

// saved is the store, and for whom a call looks at a saved result.
func (d *Dispatcher) saved(c call, p *savedParams) (spill.Store, spill.Scope, error) {
	if p.ID == "" {
		return nil, spill.Scope{}, &tool.ArgumentError{Argument: "id", Message: "it is missing; write a saved result's id, locator or address"}
	}
	return d.stored(c)
}

func (d *Dispatcher) spillRead(ctx context.Context, c call, p *readParams) (any, error) {
	store, scope, err := d.saved(c, &p.savedParams)
	if err != nil {
		return nil, err
	}
	byBytes, byLines := p.Offset != nil || p.Limit != nil, p.Line != nil || p.Lines != nil
	switch {
	case byBytes && byLines:
		return nil, &tool.ArgumentError{Argument: "line", Message: "a range of bytes is given, too; give offset and limit, or line and lines"}
	case p.Line != nil && *p.Line == 0:
		return nil, &tool.ArgumentError{Argument: "line", Message: "it is 0; lines are counted from 1"}
	case byLines:
		return readSpill(ctx, store, scope, p.ID, spill.Lines(given(p.Line, 1), given(p.Lines, 0)))
	}
	return readSpill(ctx, store, scope, p.ID, spill.Bytes(given(p.Offset, 0), given(p.Limit, 0)))
}

// given is a number, or what is meant by leaving it out.
func given(n *uint64, otherwise int64) int64 {
	if n == nil {
		return otherwise
	}
	return int64(*n)
}

// ReadSpill reads a range of a saved result for a client that asks for it as a
// resource. The error is as that of Call.
func (d *Dispatcher) ReadSpill(ctx context.Context, id string, r spill.Range, meta map[string]any, door Door) (*SpillText, error) {
	return run(ctx, d, meta, door, work[*SpillText]{
		ended:   spillEnded,
		reserve: reserveText,
		size:    func(text *SpillText) int { return len(text.Text) + len(text.TextBytes) },
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

func (d *Dispatcher) spillStat(ctx context.Context, c call, p *savedParams) (any, error) {
	store, scope, err := d.saved(c, p)
	if err != nil {
		return nil, err
	}
	return store.Stat(ctx, scope, p.ID)
}

// spillList is the answer of hydra/spill/list.
type spillList struct {
	Results    []spill.Result `json:"results"`
	NextCursor string         `json:"nextCursor,omitempty"`
	// Incomplete says what could not be looked at: the list has the rest.
	Incomplete string `json:"incomplete,omitempty"`
}

// MaxListed is how many saved results one answer lists: with the longest of names
// and labels they stay far below a frame.
const MaxListed = 1000

func (d *Dispatcher) spillList(ctx context.Context, c call, p *listParams) (any, error) {
	after := p.Cursor
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
		list = slices.DeleteFunc(list, func(a spill.Result) bool {
			created := a.Created.UnixMicro()
			return created < since || created == since && a.ID <= id
		})
	}
	answer := spillList{Results: append([]spill.Result{}, list[:min(len(list), MaxListed)]...), Incomplete: incomplete}
	if len(list) > MaxListed {
		last := list[MaxListed-1]
		answer.NextCursor = fmt.Sprintf("%d-%s", last.Created.UnixMicro(), last.ID)
	}
	return answer, nil
}

func (d *Dispatcher) spillDelete(ctx context.Context, c call, p *savedParams) (any, error) {
	store, scope, err := d.saved(c, p)
	if err != nil {
		return nil, err
	}
	return struct{}{}, store.Delete(ctx, scope, p.ID)
}

func (d *Dispatcher) spillSweep(ctx context.Context, c call, _ *none) (any, error) {
	store, scope, err := d.stored(c)
	if err != nil {
		return nil, err
	}
	return store.Sweep(ctx, scope)
}
