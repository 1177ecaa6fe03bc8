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
	// Link is Resource as a part of the content, where the configuration wants it.
	Link *ResourceLink
	// Failure is set when the call failed. It carries the same facts for programs.
	Failure *failure.Failure
}

// ResourceLink is a part of a result's content that leads to a saved result.
type ResourceLink struct {
	Type        string `json:"type"`
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	MIMEType    string `json:"mimeType"`
	Size        int64  `json:"size"`
}

func linkTo(saved spill.Result) *ResourceLink {
	return &ResourceLink{
		Type: "resource_link", URI: saved.URI(), Name: saved.ID, Title: "The complete result",
		Description: "All of the result of which the page shows a part: " + saved.Label, MIMEType: "text/plain", Size: saved.Bytes,
	}
}

// CallTool runs a tool for a model. Whatever goes wrong is an answer that the
// model can read.
func (d *Dispatcher) CallTool(ctx context.Context, name string, meta map[string]any, arguments json.RawMessage, door Door) ToolAnswer {
	answer, err := run(ctx, d, meta, door, work[ToolAnswer]{
		searches: name != tool.ReadResult,
		ended:    ended,
		reserve:  reserveSearch,
		size:     func(answer ToolAnswer) int { return len(answer.Text) + len(answer.Page) },
		do: func(ctx context.Context, c call) (ToolAnswer, error) {
			result := d.runtime.Call(ctx, c.Session, name, arguments)
			answer, err := toolAnswer(result)
			if err == nil {
				if saved := d.savedBy(ctx, c, result.Page); saved != nil {
					answer.Resource = saved.URI()
					if d.runtime.Config().ResourceLinks {
						answer.Link = linkTo(*saved)
					}
				}
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

// savedBy is what a call has saved, nil for nothing.
func (d *Dispatcher) savedBy(ctx context.Context, c call, page any) *spill.Result {
	locator := ""
	switch page := page.(type) {
	case tool.GlobPage:
		locator = page.Locator
	case tool.GrepPage:
		locator = page.Locator
	}
	if locator == "" {
		return nil
	}
	saved, err := d.runtime.Spill().Stat(ctx, spill.Session(c.Owner), locator)
	if err != nil {
		return nil // the locator alone has to do
	}
	return &saved
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
