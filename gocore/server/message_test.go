package server

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever comes in, it is a message that goes out again as it was, a refusal
// that is a line of JSON, or an answer that is nobody's.
func FuzzParseMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1e3,"method":"x","params":null}`,
		`{"id":{}}`, `[]`, `{}`, `"`, `{"jsonrpc":"2.0","id":"\ud83d","method":"x"}`, "\xff",
		`{"jsonrpc":"2.0","id":-0,"method":""}`, `{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		req, bad := parseMessage(text)
		if bad != nil {
			require.Nil(t, req)
			line := encodeError(bad.id, bad.err)
			assert.True(t, json.Valid(line) && utf8.Valid(line), "%s", line)
			assert.NotContains(t, string(line), "\n")
			assert.NotZero(t, bad.err.Code)
			return
		}
		if req == nil || !req.IsCall() {
			return
		}
		var sent struct {
			ID     any
			Method string
		}
		require.NoError(t, json.Unmarshal(text, &sent))
		var back any
		require.NoError(t, json.Unmarshal(encodeID(req.ID), &back))
		assert.Equal(t, sent.ID, back)
		assert.Equal(t, sent.Method, req.Method)
		id, err := parseID(encodeID(req.ID))
		require.NoError(t, err)
		assert.Equal(t, req.ID, id, "a cancel that repeats the id finds the call")
	})
}

func TestErrorsOfTheSDKHaveANumberAndNoGoTypes(t *testing.T) {
	id := json.RawMessage(`1`)
	line := encodeError(id, sdkError("x", assert.AnError))
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"assert.AnError general error for testing"}}`, string(line))
	known := &jsonrpc.Error{Code: 7, Message: "seven"}
	assert.Same(t, known, sdkError("x", known))
}
