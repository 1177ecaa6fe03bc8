package server

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// spillTemplate addresses saved results as resources.
const spillTemplate = spill.URIScheme + "{owner}/{id}{?offset,limit}"

func (s *Server) addResources() {
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name:        "spill",
		Title:       "Saved search results",
		Description: "The complete text of a search result that did not fit on its page, or limit bytes of it from offset on.",
		MIMEType:    "text/plain",
		URITemplate: spillTemplate,
	}, s.readResource)
	s.mcp.AddReceivingMiddleware(anyQuery)
}

// askedKey is the context key of the address that a client asked for.
type askedKey struct{}

// anyQuery lets the SDK match an address by its path alone: its templates want
// a query spelled in their own order.
func anyQuery(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if read, ok := req.(*mcp.ReadResourceRequest); ok {
			asked := read.Params.URI
			ctx = context.WithValue(ctx, askedKey{}, asked)
			if strings.HasPrefix(asked, spill.URIScheme) {
				read.Params.URI, _, _ = strings.Cut(asked, "?")
			}
		}
		return next(ctx, method, req)
	}
}

func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	asked, _ := ctx.Value(askedKey{}).(string)
	contents, err := s.resource(ctx, req, asked)
	if err != nil {
		wire := wireError(err)
		if wire.Code == failure.Number(failure.SpillNotFound) {
			wire.Code = jsonrpc.CodeInvalidParams // what MCP's clients know
		}
		return nil, wire
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

func (s *Server) resource(ctx context.Context, req *mcp.ReadResourceRequest, uri string) (*mcp.ResourceContents, error) {
	id, r, err := parseSpillURI(uri)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	text, err := s.dispatcher.ReadSpill(ctx, id, r, req.Params.GetMeta(), s.door(ctx, req.Session))
	if err != nil {
		return nil, err
	}
	contents := &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text.Text}
	if text.TextBytes != nil {
		contents.Text, contents.Blob, contents.MIMEType = "", text.TextBytes, "application/octet-stream"
	}
	if text.More {
		contents.Meta = mcp.Meta{dispatch.MetaNext: text.Next, dispatch.MetaSize: text.Size}
	}
	return contents, nil
}

// parseSpillURI splits an address into the id and the range it asks for. The
// error is a *tool.ArgumentError.
func parseSpillURI(uri string) (id string, r spill.Range, err error) {
	bad := func(argument, message string) (string, spill.Range, error) {
		return "", spill.Range{}, &tool.ArgumentError{Argument: argument, Message: message}
	}
	path, query, _ := strings.Cut(strings.TrimPrefix(uri, spill.URIScheme), "?")
	if id, err = url.PathUnescape(path); err != nil {
		return bad("uri", "it is badly escaped")
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return bad("uri", "its query is badly escaped")
	}
	numbers := map[string]int64{"offset": 0, "limit": 0}
	for name, given := range values {
		if _, known := numbers[name]; !known || len(given) > 1 {
			return bad("uri", "its query takes offset and limit, once each")
		}
		if numbers[name], err = strconv.ParseInt(given[0], 10, 64); err != nil || numbers[name] < 0 {
			return bad(name, "it is not a whole number from 0 on")
		}
	}
	return id, spill.Bytes(numbers["offset"], numbers["limit"]), nil
}
