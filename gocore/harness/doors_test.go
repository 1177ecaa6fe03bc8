package harness

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/strictjson/strictjsontest"
)

// Every key of the table, whatever is wrong with it, is refused under its name.
func TestEveryKeyIsReadInOneWay(t *testing.T) {
	c := DefaultConfig(true)
	c.SpillRoot, c.Roots = "/spill", []string{"/r"}
	text, err := json.Marshal(c)
	require.NoError(t, err)
	for i := range keys {
		assert.Contains(t, string(text), `"`+keys[i].name+`":`)
	}
	strictjsontest.Door{
		Valid: string(text),
		Read: func(text []byte) error {
			_, err := ParseConfig(text)
			if err == nil {
				return nil
			}
			// A list is refused as a whole, by its key.
			return &ShellError{strings.ReplaceAll(err.Error(), "roots", "roots[0]") + strings.ReplaceAll(err.Error(), "tools", "tools[0]"), err.Error()}
		},
	}.Test(t)
}
