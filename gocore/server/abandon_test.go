package server

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A call that does not end with its server is told so, once, whatever it says later.
func TestNoCallIsLeftWithoutAnAnswer(t *testing.T) {
	to := &sink{}
	c := newConn(io.NopCloser(strings.NewReader("")), to)
	b := newBatch(c.out)
	for id := range 4 {
		a := arrivalOf(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"hydra/info"}`, id))
		if id == 3 {
			a.batch = b
			b.expect()
		}
		require.Nil(t, c.note(a))
	}
	require.NoError(t, b.answer(nil))
	require.True(t, c.cancel([]byte(`{"requestId":2}`)))
	c.stop()
	assert.False(t, isClosed(c.answered))
	c.abandon()
	assert.True(t, isClosed(c.answered), "nothing is due any more")
	lines := strings.Split(strings.TrimSpace(to.String()), "\n")
	assert.Len(t, lines, 3)
	for _, want := range []string{`{"jsonrpc":"2.0","id":0,`, `{"jsonrpc":"2.0","id":1,`, `[{"jsonrpc":"2.0","id":3,`} {
		assert.Equal(t, 1, strings.Count(to.String(), want), want)
	}
	assert.Equal(t, 3, strings.Count(to.String(), "RUNTIME_SHUTTING_DOWN"))
	assert.NotContains(t, to.String(), `"id":2`, "a cancelled call has no answer")
	assert.Equal(t, 0, c.unread)
}
