package server

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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
	c, err := s.call(req.Params.GetMeta())
	if err != nil {
		return toolFailure(err), nil
	}
	ctx, cancel := s.contextOf(ctx, c)
	defer cancel()
	release, err := s.admission.acquire(ctx, c.Owner)
	if err != nil {
		return toolFailure(refused(err)), nil
	}
	defer release()
	defer s.progress(ctx, req.Session, req.Params.GetProgressToken())()
	return toolResult(s.runtime.Call(ctx, c.Session, req.Params.Name, req.Params.Arguments)), nil
}

// toolResult writes a result for the wire. An error carries no structured
// content: a client would hold it against the output schema and hide the text.
func toolResult(r tool.Result) *mcp.CallToolResult {
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}}
	if r.Failure != nil {
		result.IsError = true
		result.SetMeta(map[string]any{metaError: r.Failure})
		return result
	}
	result.StructuredContent = r.Page
	return result
}

func toolFailure(err error) *mcp.CallToolResult {
	failure := failureOf(err)
	return toolResult(tool.Result{Text: "Error: " + failure.Message, Failure: failure})
}

// contextOf is the context that a call runs in.
func (s *Server) contextOf(ctx context.Context, c call) (context.Context, context.CancelFunc) {
	ctx, release := s.bound(ctx)
	ctx, cancel := c.context(ctx)
	return ctx, func() { cancel(); release() }
}

// refused is the error of a call that was not admitted.
func refused(err error) error {
	if refusal, ok := err.(*Refusal); ok {
		return refusal
	}
	return waitEnded(err)
}
