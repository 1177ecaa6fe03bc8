package server

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// A page whose complete result was saved links to it where the configuration wants
// that and the client knows links; a model without a shell reads on with a tool.
func TestASavedResultIsLinkedAndReadOn(t *testing.T) {
	root := coretest.Tree(t, "a: x", "b: x", "c: x")
	for _, c := range []struct {
		links    bool
		revision string
		want     bool
	}{
		{false, "2025-11-25", false},
		{true, "2025-11-25", true},
		{true, "2025-06-18", true},
		{true, "2025-03-26", false},
		{true, "2024-11-05", false},
	} {
		rt := open(t, root, func(config *harness.Config) {
			config.ResourceLinks, config.GlobMaxResults = c.links, 1
			config.Tools = []string{"glob", "read_result"}
		})
		cl := connect(t, rt, Options{Workdir: root, Owner: "s"})
		require.Nil(t, cl.call(1, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}`, c.revision)).Error)
		cl.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		m := cl.call(2, "tools/call", `{"name":"glob","arguments":{"pattern":"*"}}`)
		require.Nil(t, m.Error)
		var r struct {
			Content []struct {
				Type, Text, URI, Name, MimeType string
				Size                            int
			}
			StructuredContent struct{ Locator, Hint string }
		}
		require.NoError(t, json.Unmarshal(m.Result, &r))
		assert.Equal(t, "text", r.Content[0].Type)
		assert.Contains(t, r.StructuredContent.Hint, "Read on with the read_result tool")
		if assert.Len(t, r.Content, map[bool]int{false: 1, true: 2}[c.want], "%+v", c) && c.want {
			link := r.Content[1]
			assert.Equal(t, "resource_link", link.Type)
			assert.Equal(t, "text/plain", link.MimeType)
			assert.Equal(t, len("a\nb\nc"), link.Size)
			m = cl.call(3, "resources/read", fmt.Sprintf(`{"uri":%q}`, link.URI))
			require.Nil(t, m.Error)
			assert.Contains(t, string(m.Result), `"text":"a\nb\nc"`)
		}
		m = cl.call(4, "tools/call", fmt.Sprintf(`{"name":"read_result","arguments":{"id":%q,"offset":2}}`, r.StructuredContent.Locator))
		require.Nil(t, m.Error)
		assert.Contains(t, string(m.Result), `b\nc\n\n(Bytes 2 to 5 of 5: the end.)`)
		assert.Contains(t, string(m.Result), `"structuredContent":{"id":`)
		m = cl.call(5, "tools/call", fmt.Sprintf(`{"name":"read_result","arguments":{"id":%q},"_meta":{"dev.hydra-harness/owner":"t"}}`, r.StructuredContent.Locator))
		require.Nil(t, m.Error)
		assert.Contains(t, string(m.Result), `SPILL_NOT_FOUND`)
	}
}
