package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// standard are the methods of MCP that a client may try, ours or not.
var standard = []string{
	"initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
	"resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete",
	"logging/setLevel", "server/discover", "subscriptions/listen", "notifications/initialized", "notifications/cancelled",
	"roots/list", "sampling/createMessage", "hydra/none", "", "tools/call ", "constructor",
}

// hostile are parameters that are of no use to any method.
var hostile = []string{
	``, `,"params":null`, `,"params":{}`, `,"params":[]`, `,"params":7`, `,"params":"x"`,
	`,"params":{"_meta":7}`, `,"params":{"_meta":[]}`, `,"params":{"_meta":null}`, `,"params":{"_meta":{"progressToken":{}}}`,
	`,"params":{"name":7,"uri":7,"cursor":7,"id":7,"pattern":7,"level":7,"protocolVersion":7,"ref":7}`,
	`,"params":{"name":"grep","arguments":[]}`, `,"params":{"name":"grep","arguments":"x"}`, `,"params":{"name":"none"}`,
	`,"params":{"uri":"hydra-spill:///"}`, `,"params":{"uri":"hydra-spill:///a"}`, `,"params":{"uri":"hydra-spill:///a/b/c"}`,
	`,"params":{"uri":"hydra-spill:///a/%zz"}`, `,"params":{"uri":"hydra-spill:///a/b?offset=-1"}`, `,"params":{"uri":"file:///etc/passwd"}`,
	`,"params":{"uri":"hydra-spill:///a/b?limit=99999999999999999999"}`, `,"params":{"uri":"hydra-spill:///a/b?x=1"}`,
	`,"params":{"cursor":"x"}`, `,"params":{"id":"x"}`, `,"params":{"level":"x"}`,
	`,"params":{"protocolVersion":"x","capabilities":7,"clientInfo":7}`,
	`,"params":{"_meta":{"dev.hydra-harness/owner":"s"},"id":"../../etc/passwd"}`,
	`,"params":{"_meta":{"dev.hydra-harness/owner":"s","dev.hydra-harness/colour":"red"}}`,
	`,"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`,
	`,"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`,
	`,"params":{"a":` + strings.Repeat(`[`, 2000) + strings.Repeat(`]`, 2000) + `}`,
	`,"params":{"name":"` + strings.Repeat("long", 5000) + `"}`,
}

// Each answer is a result, or an error with a number, a bounded text and, when
// the number is ours, the data of the page.
func TestNoRequestGetsABareError(t *testing.T) {
	root := coretest.Tree(t)
	for _, shaken := range []bool{false, true} {
		c := connect(t, open(t, root, nil), Options{Workdir: root})
		if shaken {
			c.initialize()
		}
		id := 0
		for _, method := range append(c.srv.dispatcher.Methods(), standard...) {
			for _, params := range hostile {
				id++
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q%s}`, id, method, params))
				m := c.read()
				for m.Method != "" {
					m = c.read() // a notification that belongs to the call
				}
				require.Equal(t, fmt.Sprint(id), string(m.ID), "%s%s", method, params)
				if m.Error == nil {
					assert.NotEmpty(t, m.Result)
					continue
				}
				checkError(t, &m, method+params)
			}
		}
		assert.Zero(t, c.srv.dispatcher.Running())
	}
}

func checkError(t *testing.T, m *message, what string) {
	t.Helper()
	assert.NotZero(t, m.Error.Code, what)
	assert.NotEmpty(t, m.Error.Message, what)
	assert.LessOrEqual(t, len(m.Error.Message), failure.MaxTextBytes+10, what)
	for _, leak := range []string{"mcp.", "server.params", "dispatch.", "unmarshal", "Go value", "goroutine", "*server"} {
		assert.NotContains(t, m.Error.Message, leak, what)
	}
	if reserved := -32768 <= m.Error.Code && m.Error.Code <= -32000; reserved && len(m.Error.Data) == 0 {
		assert.NotEqual(t, -32602, m.Error.Code, "%s: %s", what, m.Error.Message)
		return
	}
	if m.Error.Code == mcp.CodeUnsupportedProtocolVersion {
		return // MCP's own data
	}
	var data struct {
		Name, Code string
		Retryable  *bool
		Details    map[string]any
	}
	require.NoError(t, json.Unmarshal(m.Error.Data, &data), what)
	assert.NotEmpty(t, data.Name, what)
	assert.NotNil(t, data.Retryable, what)
	assert.NotNil(t, data.Details, what)
	if m.Error.Code > 0 {
		assert.EqualValues(t, failure.Number(data.Code), m.Error.Code, what)
	} else {
		want := map[string]int{"TOOL_ARGUMENT": -32602, "SPILL_NOT_FOUND": codeNoResource}[data.Code]
		assert.Equal(t, want, m.Error.Code, "%s: %s", what, data.Code)
	}
}

func TestOurKeysInMetaAreChecked(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	for meta, want := range map[string]string{
		`"dev.hydra-harness/colour":1`:                                  "dev.hydra-harness/colour: there is no such key; there are dev.hydra-harness/deadlineMs, dev.hydra-harness/nested, dev.hydra-harness/owner, dev.hydra-harness/workdir",
		`"dev.hydra-harness/owner":7`:                                   "dev.hydra-harness/owner: it is a number; write a string of at most 1024 bytes",
		`"dev.hydra-harness/owner":null`:                                "dev.hydra-harness/owner: it is null; write a string of at most 1024 bytes",
		`"dev.hydra-harness/owner":"` + strings.Repeat("o", 1025) + `"`: "dev.hydra-harness/owner: it has 1025 bytes, at most 1024 are accepted; write a shorter one",
		`"dev.hydra-harness/workdir":""`:                                `workdir: "" is not an absolute path; give one`,
		`"dev.hydra-harness/workdir":"src"`:                             `workdir: "src" is not an absolute path; give one`,
		`"dev.hydra-harness/nested":"yes"`:                              "dev.hydra-harness/nested: it is a string; write true or false",
		`"dev.hydra-harness/deadlineMs":"5"`:                            "dev.hydra-harness/deadlineMs: it is a string; write a number of milliseconds",
		`"dev.hydra-harness/deadlineMs":0`:                              "dev.hydra-harness/deadlineMs: it is 0; give the milliseconds that are left, more than 0 and at most 2147483647",
		`"dev.hydra-harness/deadlineMs":1e300`:                          "dev.hydra-harness/deadlineMs: it is 1e+300; give the milliseconds that are left, more than 0 and at most 2147483647",
	} {
		m := c.call(1, "hydra/search/glob", `{"pattern":"*","_meta":{`+meta+`}}`)
		require.NotNil(t, m.Error, meta)
		assert.Equal(t, want, m.Error.Message)
		assert.Equal(t, 1001, m.Error.Code)
	}
	for _, meta := range []string{
		`"dev.hydra-harness/deadlineMs":0.5e4`, `"dev.hydra-harness/deadlineMs":2147483647`, `"dev.hydra-harness/owner":""`,
		`"somebody.else/colour":1`, `"progressToken":0`, fmt.Sprintf(`"dev.hydra-harness/workdir":%q`, root),
	} {
		assert.Nil(t, c.call(1, "hydra/search/glob", `{"pattern":"*","_meta":{`+meta+`}}`).Error, meta)
	}
}

func TestParametersAreReadStrictly(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	c := connect(t, open(t, root, nil), Options{Workdir: root, Owner: "s"})
	c.initialize()
	for name, tc := range map[string]struct{ method, params, want string }{
		"unknown":        {"hydra/search/glob", `{"pattern":"*","limit":3}`, "limit: there is no such parameter; the method takes pattern, path, pathBytes, cursor"},
		"case of a name": {"hydra/search/glob", `{"Pattern":"*"}`, "Pattern: there is no such parameter; the method takes pattern, path, pathBytes, cursor"},
		"twice":          {"hydra/search/glob", `{"pattern":"*","pattern":"?"}`, "pattern: it is given twice; give it once"},
		"type":           {"hydra/search/glob", `{"pattern":["*"]}`, "pattern: it is an array; write a string"},
		"half a pair":    {"hydra/search/glob", `{"pattern":"\ud83d"}`, `pattern: it holds half of a surrogate pair, such as "\ud83d" alone, which is no character; write the character itself`},
		"flag":           {"hydra/search/grep", `{"pattern":"x","literal":1}`, "literal: it is a number; write true or false"},
		"case":           {"hydra/search/grep", `{"pattern":"x","case":"upper"}`, `case: it is "upper"; write sensitive, insensitive or smart`},
		"base64":         {"hydra/search/grep", `{"pattern":"x","pathBytes":"?"}`, "pathBytes: it is not base64; write the bytes in the standard alphabet, padded"},
		"cursor":         {"hydra/search/grep", `{"pattern":"x","cursor":"7"}`, "cursor: it is not a cursor; pass the nextCursor of the page before"},
		"none taken":     {"hydra/info", `{"verbose":true}`, "verbose: there is no such parameter; the method takes none"},
		"list an id":     {"hydra/spill/list", `{"id":"x"}`, "id: there is no such parameter; the method takes cursor"},
		"list cursor":    {"hydra/spill/list", `{"cursor":"x"}`, "cursor: it is not a cursor; pass the nextCursor of the page before"},
		"no id":          {"hydra/spill/stat", `{}`, "id: it is missing; write a saved result's id, locator or address"},
		"negative":       {"hydra/spill/read", `{"id":"a/b","offset":-1}`, "offset: it is -1; write a whole number from 0 on"},
		"fraction":       {"hydra/spill/read", `{"id":"a/b","offset":1.5}`, "offset: it is 1.5; write a whole number from 0 on"},
		"both ranges":    {"hydra/spill/read", `{"id":"a/b","limit":1,"line":1}`, "line: a range of bytes is given, too; give offset and limit, or line and lines"},
		"env":            {"hydra/shell/plan", `{"command":"ls","env":{"A":1}}`, "env.A: it is a number; write a string"},
		"shell":          {"hydra/shell/plan", `{"command":"ls","shell":"fish"}`, `shell: "fish" is not known; write bash, dash or posix`},
		"cwd":            {"hydra/shell/plan", `{"command":"ls","cwd":"src"}`, `cwd: "src" is not an absolute path; give one`},
		"policy":         {"hydra/shell/gate", `{"command":"ls","policy":{"opaque":7}}`, "policy.opaque: it is a number; write a string"},
		"policy name":    {"hydra/shell/gate", `{"command":"ls","policy":{"mood":"x"}}`, "policy.mood: there is no such member; there are opaque, unestablishable, containedTraversal, trust, confine"},
		"no previous":    {"hydra/shell/reestablish", `{}`, "previous: it is missing; hand back an establishment"},
		"line 0":         {"hydra/spill/read", `{"id":"a/b","line":0}`, "line: it is 0; lines are counted from 1"},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.call(1, tc.method, tc.params)
			require.NotNil(t, m.Error)
			assert.Equal(t, tc.want, m.Error.Message)
			assert.Equal(t, 1001, m.Error.Code)
			assert.Contains(t, string(m.Error.Data), `"name":"ToolArgumentError","code":"TOOL_ARGUMENT","retryable":true`)
		})
	}
	assert.Contains(t, string(c.call(2, "hydra/search/grep", `{"pattern":"x","path":"no\\xff","pathBytes":"YQ=="}`).Result), `"path":"a"`, "the bytes win")
	assert.Contains(t, string(c.call(2, "hydra/search/grep", `{"pattern":"x","path":null,"pathBytes":"YQ==","cursor":null}`).Result), `"path":"a"`)
}

// The SDK answers these before anything of ours sees them.
func TestTheRevisionIsNegotiated(t *testing.T) {
	root := coretest.Tree(t, "a: needle")
	initialize := `{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}`
	for asked, spoken := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "latest": "2025-11-25",
	} {
		c := connect(t, open(t, root, nil), Options{Workdir: root})
		m := c.call(1, "initialize", fmt.Sprintf(initialize, asked))
		assert.Contains(t, string(m.Result), fmt.Sprintf(`"protocolVersion":%q`, spoken), "asked for %s", asked)
		assert.Contains(t, string(c.call(2, "tools/call", `{"name":"grep","arguments":{"pattern":"needle"}}`).Result), "Line 1: needle")
		assert.Nil(t, c.call(3, "hydra/search/glob", `{"pattern":"*"}`).Error)
	}
}

// The newest revision has no handshake and no session: each request says what it
// speaks, and all methods are there.
func TestTheRevisionWithoutAHandshake(t *testing.T) {
	root := coretest.Tree(t, "a.txt: needle")
	c := connect(t, open(t, root, nil), Options{Workdir: root, Owner: "s"})
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`
	m := c.call(1, "server/discover", `{`+meta+`}}`)
	require.Nil(t, m.Error)
	assert.Contains(t, string(m.Result), `"2026-07-28"`)
	assert.Contains(t, string(m.Result), "Use the glob tool")
	assert.Contains(t, string(m.Result), Extension)
	for id, tc := range []struct{ method, params, want string }{
		{"tools/list", ``, `"name":"glob"`},
		{"tools/call", `"name":"grep","arguments":{"pattern":"needle"},`, `a.txt\nLine 1: needle`},
		{"hydra/search/grep", `"pattern":"needle",`, `"matches":[{"path":"a.txt"`},
		{"hydra/info", ``, `"api":1`},
		{"hydra/spill/list", ``, `"results":[]`},
		{"resources/templates/list", ``, spillTemplate},
	} {
		m := c.call(id+2, tc.method, `{`+tc.params+meta+`,"dev.hydra-harness/deadlineMs":20000}}`)
		require.Nil(t, m.Error, "%s: %+v", tc.method, m.Error)
		assert.Contains(t, string(m.Result), tc.want)
		assert.Contains(t, string(m.Result), `"io.modelcontextprotocol/serverInfo"`, "%s says who answers", tc.method)
	}
	c.send(`{"jsonrpc":"2.0","id":20,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}}`)
	assert.Equal(t, "notifications/subscriptions/acknowledged", c.read().Method)
	m = c.read()
	assert.Equal(t, "20", string(m.ID))
	assert.Nil(t, m.Error, "nothing is subscribed to, so that this ends")
}
