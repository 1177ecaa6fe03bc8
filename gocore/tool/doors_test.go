package tool

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/strictjson/strictjsontest"
)

// Every argument of every schema, whatever is wrong with it, is refused by an
// error that names it.
func TestEveryArgumentIsReadInOneWay(t *testing.T) {
	b := newBench(t)
	for _, def := range b.set().Definitions() {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		require.NoError(t, json.Unmarshal(def.InputSchema, &schema))
		valid := map[string]string{}
		for name := range schema.Properties {
			valid[name] = "x"
		}
		text, err := json.Marshal(valid)
		require.NoError(t, err)
		strictjsontest.Door{
			Valid: string(text),
			Read: func(text []byte) error {
				if def.Name == Glob {
					_, err := decodeGlob(text)
					return err
				}
				_, err := decodeGrep(text)
				return err
			},
			Null: func(path string) bool { return path != Pattern },
		}.Test(t)
	}
}
