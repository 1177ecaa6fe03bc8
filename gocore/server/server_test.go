package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

func TestInitializeTellsWhatThereIs(t *testing.T) {
	root := coretest.Tree(t)
	m := connect(t, open(t, root, nil), Options{Workdir: root}).initialize()
	var r struct {
		Instructions string
		ServerInfo   struct{ Name, Version string }
		Capabilities struct {
			Tools, Resources map[string]any
			Extensions       map[string]map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(m.Result, &r))
	assert.Contains(t, r.Instructions, "Use the glob tool — not shell find")
	assert.Contains(t, r.Instructions, "Use the grep tool — not shell grep or rg")
	assert.Equal(t, "hydra-harness-runtime", r.ServerInfo.Name)
	assert.Equal(t, "1.2.3", r.ServerInfo.Version)
	assert.Equal(t, map[string]map[string]any{Extension: {"api": float64(1)}}, r.Capabilities.Extensions)
	assert.NotNil(t, r.Capabilities.Tools)
	assert.NotNil(t, r.Capabilities.Resources)
}

func TestToolsAreListedWithAnnotationsAndSchemas(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	var r struct {
		Tools []struct {
			Name, Description         string
			InputSchema, OutputSchema map[string]any
			Annotations               map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(c.call(1, "tools/list", `{}`).Result, &r))
	require.Len(t, r.Tools, 2)
	for i, name := range []string{"glob", "grep"} {
		tool := r.Tools[i]
		assert.Equal(t, name, tool.Name)
		assert.Equal(t, []string{"properties", "required", "type"}, slices.Sorted(maps.Keys(tool.InputSchema)), "what every vendor's converter takes")
		assert.Equal(t, "object", tool.OutputSchema["type"])
		for hint, want := range map[string]bool{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false} {
			assert.Equal(t, want, tool.Annotations[hint], "%s of %s", hint, name)
		}
	}
}

func TestAToolCanBeHiddenAndTheGuidanceStays(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, func(c *harness.Config) { c.Tools = []string{"grep"} }), Options{Workdir: root})
	assert.Contains(t, string(c.initialize().Result), "Use the glob tool")
	assert.NotContains(t, string(c.call(1, "tools/list", `{}`).Result), `"name":"glob"`)
	assert.NotNil(t, c.call(2, "tools/call", `{"name":"glob","arguments":{"pattern":"*"}}`).Error)
}

func TestCallAnswersThePageAndItsFacts(t *testing.T) {
	root := coretest.Tree(t, "a: x1", "b: x2", "c: x3")
	c := connect(t, open(t, root, func(c *harness.Config) { c.GlobMaxResults = 2; c.SampleOverCapGlobResults = false }), Options{Workdir: root})
	c.initialize()
	m := c.call(1, "tools/call", `{"name":"glob","arguments":{"pattern":"*"},"_meta":{"dev.hydra-harness/owner":"s1"}}`)
	var r struct {
		Content           []struct{ Type, Text string }
		StructuredContent struct {
			Root         string
			Paths        []string
			Shown, Total int
			Truncated    bool
			Locator      string
		}
		IsError bool
		Meta    map[string]string `json:"_meta"`
	}
	require.NoError(t, json.Unmarshal(m.Result, &r))
	page := r.StructuredContent
	assert.Equal(t, []string{"a", "b"}, page.Paths, "the capped page, never the whole value")
	assert.Equal(t, 2, page.Shown)
	assert.Equal(t, 3, page.Total)
	assert.True(t, page.Truncated)
	require.NotEmpty(t, page.Locator)
	assert.Contains(t, r.Content[0].Text, page.Locator)

	t.Run("and what was saved is read back by its owner alone", func(t *testing.T) {
		read := func(id int, method, owner string) message {
			return c.call(id, method, fmt.Sprintf(`{"id":%q,"_meta":{"dev.hydra-harness/owner":%q}}`, page.Locator, owner))
		}
		assert.Contains(t, string(read(2, "hydra/spill/read", "s1").Result), `"text":"a\nb\nc","more":false,"next":5`)
		assert.Contains(t, string(read(3, "hydra/spill/stat", "s1").Result), `"bytes":5,"lines":3`)
		other := read(4, "hydra/spill/read", "s2")
		require.NotNil(t, other.Error)
		assert.Equal(t, 1201, other.Error.Code)
		assert.Contains(t, string(other.Error.Data), `"code":"SPILL_NOT_FOUND"`)
		list := c.call(5, "hydra/spill/list", `{"_meta":{"dev.hydra-harness/owner":"s1"}}`)
		var listed struct{ Results []struct{ ID string } }
		require.NoError(t, json.Unmarshal(list.Result, &listed))
		require.Len(t, listed.Results, 1)

		uri := "hydra-spill:///" + listed.Results[0].ID
		assert.Equal(t, map[string]string{"dev.hydra-harness/resource": uri}, r.Meta)
		owner := `"_meta":{"dev.hydra-harness/owner":"s1"}`
		assert.Contains(t, string(c.call(6, "resources/read", fmt.Sprintf(`{"uri":%q,%s}`, uri, owner)).Result), `"text":"a\nb\nc"`)
		assert.Contains(t, string(c.call(7, "resources/read", fmt.Sprintf(`{"uri":%q,%s}`, uri+"?offset=2&limit=1", owner)).Result), `"text":"b"`)
		stranger := c.call(8, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		require.NotNil(t, stranger.Error)
		assert.Contains(t, string(stranger.Error.Data), `"code":"TOOL_ARGUMENT"`)
		stranger = c.call(8, "resources/read", fmt.Sprintf(`{"uri":%q,"_meta":{"dev.hydra-harness/owner":"s2"}}`, uri))
		require.NotNil(t, stranger.Error)
		assert.EqualValues(t, codeNoResource, stranger.Error.Code)
		assert.Contains(t, string(stranger.Error.Data), `"code":"SPILL_NOT_FOUND"`)
		assert.Contains(t, string(c.call(9, "resources/templates/list", `{}`).Result), "hydra-spill:///{owner}/{id}{?offset,limit}")
		assert.Equal(t, "{}", string(c.call(10, "hydra/spill/delete", fmt.Sprintf(`{"id":%q,%s}`, page.Locator, owner)).Result))
		assert.NotNil(t, read(11, "hydra/spill/stat", "s1").Error)
	})
}

func TestAFailedCallIsTextForTheModelAndFactsForPrograms(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	for name, tc := range map[string]struct {
		params, text, code string
		retryable          bool
	}{
		"bad pattern":   {`{"name":"grep","arguments":{"pattern":"foo("}}`, "Error: ripgrep rejected the pattern", "SEARCH_INVALID_PATTERN", true},
		"bad argument":  {`{"name":"grep","arguments":{"pattern":1}}`, "Error: pattern: it is a number; write a string", "TOOL_ARGUMENT", true},
		"missing path":  {`{"name":"glob","arguments":{"pattern":"*","path":"nope"}}`, `Error: path "nope" does not exist`, "SEARCH_FAILED", true},
		"foreign place": {`{"name":"glob","arguments":{"pattern":"*"},"_meta":{"dev.hydra-harness/workdir":"/"}}`, `Error: workdir: "/" lies outside the roots`, "TOOL_ARGUMENT", true},
		"bad meta":      {`{"name":"glob","arguments":{"pattern":"*"},"_meta":{"dev.hydra-harness/owner":7}}`, "Error: dev.hydra-harness/owner: it is a number; write a string", "TOOL_ARGUMENT", true},
		"no time left":  {`{"name":"glob","arguments":{"pattern":"*"},"_meta":{"dev.hydra-harness/deadlineMs":-5}}`, "Error: dev.hydra-harness/deadlineMs: it is -5; give the milliseconds that are left", "TOOL_ARGUMENT", true},
	} {
		t.Run(name, func(t *testing.T) {
			var r struct {
				Content           []struct{ Text string }
				IsError           bool
				StructuredContent json.RawMessage
				Meta              map[string]struct {
					Name, Code string
					Retryable  bool
					Details    map[string]any
				} `json:"_meta"`
			}
			require.NoError(t, json.Unmarshal(c.call(1, "tools/call", tc.params).Result, &r))
			assert.True(t, r.IsError)
			assert.Nil(t, r.StructuredContent, "a client would validate it and hide the error")
			assert.True(t, strings.HasPrefix(r.Content[0].Text, tc.text), "%s", r.Content[0].Text)
			failure := r.Meta[dispatch.MetaError]
			assert.Equal(t, tc.code, failure.Code)
			assert.Equal(t, tc.retryable, failure.Retryable)
			assert.NotNil(t, failure.Details)
		})
	}
}

func TestMethodsForCodeAnswerCompleteValuesAndCodedErrors(t *testing.T) {
	root := coretest.Tree(t, "a.go: func A()", "b.go: FUNC B()")
	c := connect(t, open(t, root, func(c *harness.Config) { c.GlobMaxResults = 1 }), Options{Workdir: root})
	c.initialize()
	assert.Contains(t, string(c.call(1, "hydra/search/glob", `{"pattern":"*.go"}`).Result), `{"root":".","paths":["a.go","b.go"],"stats":`)
	assert.Contains(t, string(c.call(2, "hydra/search/grep", `{"pattern":"func","case":"insensitive"}`).Result), `"path":"b.go","lineNumber":1`)
	assert.Contains(t, string(c.call(3, "hydra/search/grep", `{"pattern":"A()","literal":true}`).Result), `"matches":[{"path":"a.go"`)
	assert.Contains(t, string(c.call(4, "hydra/info", `{}`).Result), `"api":1,"ripgrep":{"path":`)

	for name, tc := range map[string]struct {
		method, params string
		number         int
		data           string
	}{
		"bad pattern":    {"hydra/search/grep", `{"pattern":"("}`, 1101, `"name":"SearchError","code":"SEARCH_INVALID_PATTERN","retryable":true`},
		"unknown key":    {"hydra/search/glob", `{"pattern":"*","limit":3}`, 1001, `"code":"TOOL_ARGUMENT"`},
		"wrong type":     {"hydra/search/glob", `{"pattern":3}`, 1001, `"code":"TOOL_ARGUMENT"`},
		"bad cursor":     {"hydra/search/glob", `{"pattern":"*","cursor":"x"}`, 1001, `"code":"TOOL_ARGUMENT"`},
		"no owner":       {"hydra/spill/list", `{}`, 1001, `"code":"TOOL_ARGUMENT"`},
		"foreign place":  {"hydra/search/glob", `{"pattern":"*","_meta":{"dev.hydra-harness/workdir":"/etc"}}`, 1001, `"code":"TOOL_ARGUMENT"`},
		"unknown method": {"hydra/none", `{}`, -32601, ``},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.call(9, tc.method, tc.params)
			require.NotNil(t, m.Error)
			assert.Equal(t, tc.number, m.Error.Code)
			assert.Contains(t, string(m.Error.Data), tc.data)
			assert.NotEmpty(t, m.Error.Message)
		})
	}
}
