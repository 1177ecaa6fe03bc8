package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

func (s *Server) addTools() {
	no := false
	for _, def := range s.runtime.Tools() {
		s.mcp.AddTool(&mcp.Tool{
			Name:         def.Name,
			Title:        def.Title,
			Description:  def.Description,
			InputSchema:  def.InputSchema,
			OutputSchema: def.OutputSchema,
			Annotations: &mcp.ToolAnnotations{
				Title:           def.Title,
				ReadOnlyHint:    true,
				DestructiveHint: &no,
				IdempotentHint:  true,
				OpenWorldHint:   &no,
			},
		}, s.callTool)
	}
}

// callTool runs a tool for a model. Whatever goes wrong is a result that the
// model can read, with the same facts for programs in _meta.
func (s *Server) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	result, err := run(ctx, s, req.Session, req.Params.GetMeta(), work[*mcp.CallToolResult]{
		searches: true,
		ended:    ended,
		do: func(ctx context.Context, c call) (*mcp.CallToolResult, error) {
			return toolResult(s.runtime.Call(ctx, c.Session, req.Params.Name, req.Params.Arguments))
		},
	})
	if err != nil {
		failure := failureOf(err)
		return toolFailure("Error: "+failure.Message, failure), nil
	}
	return result, nil
}

// toolResult writes a result for the wire.
func toolResult(r tool.Result) (*mcp.CallToolResult, error) {
	if r.Failure != nil {
		return toolFailure(r.Text, r.Failure), nil
	}
	page, err := marshal(r.Page)
	if err != nil {
		return nil, err
	}
	if size := len(page) + jsonSize(r.Text); size > maxPageBytes {
		return nil, &search.Error{
			Code:    search.RawOutputOverflow,
			Details: search.Details{Reason: "inlineMaxBytes"},
			Message: fmt.Sprintf("the page has %d bytes, an answer at most %d; narrow path, include or pattern, or lower inlineMaxBytes", size, maxPageBytes),
		}
	}
	return &mcp.CallToolResult{Content: content(r.Text), StructuredContent: json.RawMessage(page)}, nil
}

// toolFailure is the result of a call that failed. It carries no structured
// content: a client would hold it against the output schema and hide the text.
func toolFailure(text string, f *tool.Failure) *mcp.CallToolResult {
	result := &mcp.CallToolResult{Content: content(text), IsError: true}
	result.SetMeta(map[string]any{metaError: f})
	return result
}

func content(text string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: text}} }
