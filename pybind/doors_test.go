package pybind

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/strictjson/strictjsontest"
)

// Every member of every form of this package is read in one way. Raw members are
// forms of others, which hold them against the same.
func TestEveryMemberIsReadInOneWay(t *testing.T) {
	for valid, form := range map[string]any{
		`{"workdir":"/w","workdirBytes":"L3c=","ripgrep":"/r","ripgrepBytes":"L3I=","environ":"QT1C","config":{},"owner":"o"}`: setup{},
		`{"runtime":1,"params":{},"environ":"QT1C","abandon":true}`:                                                            callParams{},
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`:                                                                    rpcRequest{},
		`{"_meta":{},"name":"glob","arguments":{}}`:                                                                            toolParams{},
	} {
		t.Run(reflect.TypeOf(form).Name(), func(t *testing.T) {
			var given map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(valid), &given))
			for _, name := range strictjson.Names(reflect.TypeOf(form)) {
				assert.Contains(t, given, name)
			}
			raw := map[string]bool{"config": true, "params": true, "id": true, "_meta": true, "arguments": true}
			strictjsontest.Door{
				Valid:   valid,
				Read:    func(text []byte) error { return read(text, reflect.New(reflect.TypeOf(form)).Interface()) },
				Foreign: func(path string) bool { return raw[path] },
			}.Test(t)
			for name := range given {
				err := read([]byte(`{"`+name+`":`+string(given[name])+`,"`+name+`":`+string(given[name])+`}`), reflect.New(reflect.TypeOf(form)).Interface())
				assert.ErrorContains(t, err, name, "given twice")
			}
		})
	}
}

// Requests whose answers nobody takes are held to their bytes.
func TestAnswersThatNobodyTakesAreHeldToTheirBytes(t *testing.T) {
	r := newInstance(setup{})
	claims := []reply{{"a", r.budget.Claim()}, {"b", r.budget.Claim()}}
	for _, c := range claims {
		require.NoError(t, c.claim.Take(t.Context(), "o", maxUnread/2))
		r.mu.Lock()
		r.started++
		r.mu.Unlock()
		r.leave(c)
	}
	assert.Equal(t, maxUnread, r.budget.Held())
	assert.Equal(t, "a\nb", r.wait())
	assert.Zero(t, r.budget.Held(), "what was taken is free again")
}
