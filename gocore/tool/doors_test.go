package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/strictjson/strictjsontest"
)

// Every argument of every schema, whatever is wrong with it, is refused by an
// error that names it.
func TestEveryArgumentIsReadInOneWay(t *testing.T) {
	b := newBench(t)
	b.names = Names()
	for _, def := range b.set().Definitions() {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		require.NoError(t, json.Unmarshal(def.InputSchema, &schema))
		valid := map[string]any{}
		for name, property := range schema.Properties {
			valid[name] = "x"
			if strings.Contains(string(property), `"integer"`) {
				valid[name] = 7
			}
		}
		text, err := json.Marshal(valid)
		require.NoError(t, err)
		strictjsontest.Door{
			Valid: string(text),
			Read: func(text []byte) error {
				var err error
				switch def.Name {
				case Glob:
					_, err = decodeGlob(text)
				case ReadResult:
					_, err = decodeRead(text)
				default:
					_, err = decodeGrep(text)
				}
				return err
			},
			Null: func(path string) bool { return path != Pattern && path != ID },
		}.Test(t)
	}
}
