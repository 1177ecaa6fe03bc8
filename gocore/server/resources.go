package server

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

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
}

func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	result, err := s.resource(ctx, req)
	if err == nil {
		return result, nil
	}
	err = wireError(err)
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && wire.Code == errorNumbers[string(spill.NotFound)] {
		wire.Code = mcp.CodeResourceNotFound // what MCP's clients know
	}
	return nil, err
}

func (s *Server) resource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	c, err := s.call(req.Params.GetMeta())
	if err != nil {
		return nil, err
	}
	id, r, err := parseSpillURI(req.Params.URI)
	if err != nil {
		return nil, err
	}
	store, err := s.runtime.Spill()
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.contextOf(ctx, c)
	defer cancel()
	text, err := readSpill(ctx, store, spill.Session(c.Owner), id, r)
	if err != nil {
		return nil, err
	}
	contents := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: text.Text}
	if text.TextBytes != nil {
		contents.Text, contents.Blob, contents.MIMEType = "", text.TextBytes, "application/octet-stream"
	}
	if text.More {
		contents.Meta = mcp.Meta{"dev.hydra-harness/next": text.Next, "dev.hydra-harness/size": text.Size}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

// parseSpillURI splits an address into the id and the range it asks for.
func parseSpillURI(uri string) (id string, r spill.Range, err error) {
	rest := strings.TrimPrefix(uri, spill.URIScheme)
	path, query, _ := strings.Cut(rest, "?")
	if id, err = url.PathUnescape(path); err != nil {
		return "", r, &tool.ArgumentError{Argument: "uri", Message: "it is badly escaped"}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", r, &tool.ArgumentError{Argument: "uri", Message: "its query is badly escaped"}
	}
	var numbers [2]int64
	for i, name := range []string{"offset", "limit"} {
		if text := values.Get(name); text != "" {
			if numbers[i], err = strconv.ParseInt(text, 10, 64); err != nil || numbers[i] < 0 {
				return "", r, &tool.ArgumentError{Argument: name, Message: "it is not a whole number from 0 on"}
			}
		}
	}
	return id, spill.Bytes(numbers[0], numbers[1]), nil
}
