package pybind

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// methods answers what the server answers: its own methods through the
// dispatcher, and of MCP's those that the Python client asks for. Their results
// have MCP's form, so that the client reads both doors with the same code.
type methods struct{ *dispatch.Dispatcher }

func (m methods) running() int          { return m.Running() }
func (m methods) idle() <-chan struct{} { return m.Idle() }

func (m methods) answer(ctx context.Context, method string, meta map[string]any, params json.RawMessage) (any, error) {
	switch method {
	case "ping":
		return struct{}{}, nil
	case "tools/list":
		return m.listTools(), nil
	case "tools/call":
		return m.callTool(ctx, meta, params)
	}
	return m.Call(ctx, method, meta, params, door(ctx))
}

// door is this package's part in a call: one that is waited for in its own thread
// holds nothing.
func door(ctx context.Context) dispatch.Door {
	claim, _ := ctx.Value(claimKey{}).(*dispatch.Claim)
	return dispatch.Door{Claim: claim}
}

// listedTool is an entry of tools/list.
type listedTool struct {
	tool.Definition
	Annotations annotations `json:"annotations"`
}

// annotations are those of MCP: both tools look and change nothing.
type annotations struct {
	Title       string `json:"title"`
	ReadOnly    bool   `json:"readOnlyHint"`
	Destructive bool   `json:"destructiveHint"`
	Idempotent  bool   `json:"idempotentHint"`
	OpenWorld   bool   `json:"openWorldHint"`
}

func (m methods) listTools() any {
	list := []listedTool{}
	for _, def := range m.Runtime().Tools() {
		list = append(list, listedTool{def, annotations{Title: def.Title, ReadOnly: true, Idempotent: true}})
	}
	return map[string]any{"tools": list}
}

// toolParams are the parameters of tools/call.
type toolParams struct {
	Meta      strictjson.Raw `json:"_meta"`
	Name      string         `json:"name"`
	Arguments strictjson.Raw `json:"arguments"`
}

func (m methods) callTool(ctx context.Context, meta map[string]any, params json.RawMessage) (any, error) {
	var p toolParams
	if err := read(params, &p); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(m.Runtime().Tools(), func(def tool.Definition) bool { return def.Name == p.Name }) {
		return nil, misused("params", "unknown tool %q", p.Name)
	}
	answer := m.CallTool(ctx, p.Name, meta, json.RawMessage(p.Arguments), door(ctx))
	content := []any{map[string]string{"type": "text", "text": answer.Text}}
	if answer.Link != nil {
		content = append(content, answer.Link)
	}
	result := map[string]any{"content": content}
	if answer.Failure != nil {
		result["isError"], result["_meta"] = true, map[string]any{dispatch.MetaError: answer.Failure}
	} else {
		result["structuredContent"] = answer.Page
		if answer.Resource != "" {
			result["_meta"] = map[string]any{dispatch.MetaResource: answer.Resource}
		}
	}
	return result, nil
}
