package server

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/strictjson/strictjsontest"
)

// parsed reads a message; the error is what its sender is told.
func parsed(text []byte) error {
	_, bad := parseMessage(text)
	if bad == nil {
		return nil
	}
	return errors.New(bad.err.Message)
}

// Every member of a message, and every parameter of MCP's methods that somebody
// reads, is read in one way. What is ours is held against the same in dispatch.
func TestEveryMemberOfAMessageIsReadInOneWay(t *testing.T) {
	// Values whose inside is MCP's, and which any JSON may be.
	values := map[string]string{"capabilities": `{}`, "clientInfo": `{}`, "requestId": `5`, "arguments": `{}`}
	for method, expected := range mcpParams {
		t.Run(method, func(t *testing.T) {
			var params []string
			whole := map[string]bool{"params.arguments": true, "id": true, "params.requestId": true, "params.reason": true, "params.capabilities": true, "params.clientInfo": true}
			for _, p := range expected {
				value, ok := values[p.name]
				if !ok {
					value = `"x"`
				}
				params = append(params, `"`+p.name+`":`+value)
			}
			strictjsontest.Door{
				Valid: `{"jsonrpc":"2.0","id":"i","method":"` + method + `","params":{` + strings.Join(params, ",") + `}}`,
				Read: func(text []byte) error {
					if err := parsed(text); err != nil {
						// Parameters are named from themselves on, as clients know them.
						return errors.New("params." + err.Error() + " jsonrpc method id")
					}
					return nil
				},
				Null:  func(path string) bool { return whole[path] || path == "params" || path == "id" },
				Whole: func(path string) bool { return whole[path] },
				Foreign: func(path string) bool {
					return path == "id" || path == "method" || whole[path] && !strings.HasPrefix(path, "params.a")
				},
			}.Test(t)
		})
	}
}

func TestWhatIsNotOfferedIsNotThere(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	for _, method := range []string{"prompts/list", "prompts/get", "logging/setLevel", "completion/complete", "resources/subscribe", "resources/unsubscribe", "tasks/list", "Tools/list", "tools/List", ""} {
		m := c.call(1, method, `{}`)
		require.NotNil(t, m.Error, method)
		assert.Equal(t, -32601, m.Error.Code, method)
	}
}

func TestACallWithoutItsParametersIsTold(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	go c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	m := c.read()
	require.NotNil(t, m.Error)
	assert.Equal(t, -32602, m.Error.Code)
	assert.Equal(t, "name: it is missing; write a string", m.Error.Message)
	assert.Equal(t, "1", string(m.ID))
	for params, says := range map[string]string{
		`{"name":null}`: "name: it is null", `{"NAME":"glob"}`: "name: it is missing", `{"name":"glob","Arguments":{}}`: "Arguments: it differs", `{"name":["glob"]}`: "name: it is an array",
	} {
		m := c.call(2, "tools/call", params)
		require.NotNil(t, m.Error, params)
		assert.Equal(t, -32602, m.Error.Code)
		assert.Contains(t, m.Error.Message, says)
	}
}

func TestAMissingResourceHasTheNumberOfItsRevision(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root, Owner: "o"})
	c.initialize()
	for _, uri := range []string{"hydra-spill:///o/nothing", "file:///etc/passwd"} {
		m := c.call(1, "resources/read", `{"uri":"`+uri+`"}`)
		require.NotNil(t, m.Error, uri)
		assert.Equal(t, -32002, m.Error.Code, uri)
		assert.Contains(t, string(m.Error.Data), `"SPILL_NOT_FOUND"`)
	}
}

func TestATokenThatWouldBeRoundedIsRefused(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	for _, method := range []string{"hydra/info", "tools/list"} {
		m := c.call(1, method, `{"_meta":{"progressToken":9007199254740993}}`)
		require.NotNil(t, m.Error, method)
		assert.Contains(t, m.Error.Message, "progressToken: it is 9007199254740993")
	}
	assert.Nil(t, c.call(2, "tools/list", `{"_meta":{"progressToken":9007199254740991,"theirs":9007199254740993}}`).Error)
}
