package dispatch

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
)

// Every method waits for room before its work, holds as much as its answer has
// until that is read, and nothing behind that. A call whose context ends while it
// waits has not begun.
func TestEveryMethodHoldsBytes(t *testing.T) {
	rt, err := harness.Open(harness.Options{RipgrepPath: "/nowhere", Config: harness.DefaultConfig(true)})
	require.NoError(t, err)
	d := New(rt, Options{Owner: "o"})
	for name, params := range everything(t) {
		t.Run(name, func(t *testing.T) {
			const size = 1 << 30
			b := NewBudget(size)
			full := b.Claim()
			require.NoError(t, full.Take(t.Context(), "other", size))

			call := func(ctx context.Context, claim *Claim) <-chan outcome {
				back := make(chan outcome, 1)
				go func() {
					answer, err := d.Call(ctx, name, nil, json.RawMessage(params), Door{Claim: claim})
					back <- outcome{answer, err}
				}()
				return back
			}
			ctx, leave := context.WithCancel(t.Context())
			first := b.Claim()
			given := call(ctx, first)
			awaitWaiting(t, b, given)
			leave()
			require.Error(t, (<-given).err)
			first.Free()
			assert.Equal(t, size, b.Held(), "it gives back nothing that it had not got")

			claim := b.Claim()
			back := call(t.Context(), claim)
			awaitWaiting(t, b, back)
			full.Free()
			got := <-back
			if got.err != nil {
				assert.Equal(t, maxErrorHeld, b.Held())
			} else {
				assert.Equal(t, answerCopies*len(got.answer), b.Held())
			}
			claim.Free()
			assert.Zero(t, b.Held())
		})
	}
}

type outcome struct {
	answer json.RawMessage
	err    error
}

// awaitWaiting returns when a claim waits for room; the call must not have been
// answered without.
func awaitWaiting(t *testing.T, b *Budget, back <-chan outcome) {
	t.Helper()
	for {
		select {
		case got := <-back:
			require.Fail(t, "it did not wait", "%s %v", got.answer, got.err)
		default:
		}
		if _, waiting := b.Load(); waiting > 0 {
			return
		}
		runtime.Gosched()
	}
}
