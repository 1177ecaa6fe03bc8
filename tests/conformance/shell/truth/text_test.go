package truth

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTextKeepsItsBytes(t *testing.T) {
	for _, want := range []Text{"", "a\"b\\c", "\xff\n\t<&>", "é\xc3", "😀\x80\x00", "a\"", "{OUT}/d"} {
		data, err := json.Marshal(want)
		require.NoError(t, err)
		var got Text
		require.NoError(t, json.Unmarshal(data, &got), "%s", data)
		assert.Equal(t, want, got, "%s", data)
	}
}
