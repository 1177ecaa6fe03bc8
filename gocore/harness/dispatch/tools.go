package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// ToolAnswer is the result of a tool for a model.
type ToolAnswer struct {
	// Text is what the model reads.
	Text string
	// Page is the structured form of Text, nil for a failure.
	Page json.RawMessage
	// Resource is the address at which the complete result was saved, or "".
	Resource string
	// Failure is set when the call failed. It carries the same facts for programs.
	Failure *failure.Failure
}

// CallTool runs a tool for a model. Whatever goes wrong is an answer that the
// model can read.
func (d *Dispatcher) CallTool(ctx context.Context, name string, meta map[string]any, arguments json.RawMessage, door Door) ToolAnswer {
	answer, err := run(ctx, d, meta, door, work[ToolAnswer]{
		searches: true,
		ended:    ended,
		reserve:  reserveSearch,
		size:     func(answer ToolAnswer) int { return len(answer.Text) + len(answer.Page) },
		do: func(ctx context.Context, c call) (ToolAnswer, error) {
			result := d.runtime.Call(ctx, c.Session, name, arguments)
			answer, err := toolAnswer(result)
			if err == nil {
				answer.Resource = d.resourceOf(ctx, c, result.Page)
			}
			return answer, err
		},
	})
	if err != nil {
		f := failure.Of(err)
		return ToolAnswer{Text: "Error: " + f.Message, Failure: f}
	}
	return answer
}

// resourceOf is the address of what a call has saved, "" for nothing.
func (d *Dispatcher) resourceOf(ctx context.Context, c call, page any) string {
	locator := ""
	switch page := page.(type) {
	case tool.GlobPage:
		locator = page.Locator
	case tool.GrepPage:
		locator = page.Locator
	}
	if locator == "" {
		return ""
	}
	saved, err := d.runtime.Spill().Stat(ctx, spill.Session(c.Owner), locator)
	if err != nil {
		return "" // the locator alone has to do
	}
	return saved.URI()
}

func toolAnswer(r tool.Result) (ToolAnswer, error) {
	if r.Failure != nil {
		return ToolAnswer{Text: r.Text, Failure: r.Failure}, nil
	}
	page, err := Marshal(r.Page)
	if err != nil {
		return ToolAnswer{}, err
	}
	// The server's SDK escapes three more characters in content than Marshal does.
	escaped := 0
	for _, c := range []string{"<", ">", "&"} {
		escaped += len(`u0026`) * strings.Count(r.Text, c)
	}
	if size := len(page) + jsonSize(r.Text) + escaped; size > MaxPageBytes {
		reason := "inlineMaxBytes"
		if _, isGlob := r.Page.(tool.GlobPage); isGlob {
			reason = "globMaxResults" // a list within that cap is shown whole
		}
		return ToolAnswer{}, &search.Error{
			Code:    search.RawOutputOverflow,
			Details: search.Details{Reason: reason},
			Message: fmt.Sprintf("the page has %d bytes, an answer at most %d; narrow the search, or lower %s", size, MaxPageBytes, reason),
		}
	}
	return ToolAnswer{Text: r.Text, Page: page}, nil
}
