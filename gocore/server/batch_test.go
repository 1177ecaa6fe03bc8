package server

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

// Answers that wait for the rest of their batch are bounded over all batches: what
// would be too much goes out before the rest.
func TestBatchesKeepNoMoreThanAConnectionMay(t *testing.T) {
	to := &sink{}
	out := newOutbox(to)
	answer := bytes.Repeat([]byte("1"), maxBacklog/8)
	var all []*batch
	for range 20 {
		b := newBatch(out)
		for range 3 {
			b.expect()
		}
		require.NoError(t, b.answer(nil))
		all = append(all, b)
	}
	for range 2 {
		for _, b := range all {
			require.NoError(t, b.answer(answer))
			assert.LessOrEqual(t, out.batched.Load(), int64(maxBacklog+20*(len(answer)+1)))
		}
	}
	for _, b := range all {
		require.NoError(t, b.answer([]byte("2")))
	}
	assert.Zero(t, out.batched.Load())
	assert.Equal(t, 40*len(answer), strings.Count(to.String(), "1"))
	assert.Equal(t, 20, strings.Count(to.String(), "2"))
}
