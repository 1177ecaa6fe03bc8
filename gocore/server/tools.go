package server

import (
	"context"

	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (s *Server) addTools() {
	no := false
	for _, def := range s.dispatcher.Runtime().Tools() {
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
// model can read, with the same facts for programs in _meta. A failure carries
// no structured content: a client would hold it against the output schema and
// hide the text.
func (s *Server) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	answer := s.dispatcher.CallTool(ctx, req.Params.Name, req.Params.GetMeta(), req.Params.Arguments, s.door(ctx, req.Session))
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer.Text}}}
	if answer.Failure != nil {
		result.IsError = true
		result.SetMeta(map[string]any{dispatch.MetaError: answer.Failure})
		return result, nil
	}
	result.StructuredContent = answer.Page
	if answer.Resource != "" {
		result.SetMeta(map[string]any{dispatch.MetaResource: answer.Resource})
	}
	if l := answer.Link; l != nil && knowsLinks(req.Session) {
		result.Content = append(result.Content, &mcp.ResourceLink{
			URI: l.URI, Name: l.Name, Title: l.Title, Description: l.Description, MIMEType: l.MIMEType, Size: &l.Size,
		})
	}
	return result, nil
}

// linksSince is the first revision of MCP that has links in results: a client of an
// older one may refuse the whole answer.
const linksSince = "2025-06-18"

func knowsLinks(session *mcp.ServerSession) bool {
	params := session.InitializeParams()
	return params == nil || params.ProtocolVersion >= linksSince
}
