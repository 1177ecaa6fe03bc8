package dispatch

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/failure"
)

// claiming asks for bytes in the background, and returns when it waits.
func claiming(t *testing.T, b *Budget, ctx context.Context, owner string, bytes int) (*Claim, <-chan error) {
	t.Helper()
	_, before := b.Load()
	c, done := b.Claim(), make(chan error, 1)
	go func() { done <- c.Take(ctx, owner, bytes) }()
	for {
		if _, waiting := b.Load(); waiting > before {
			return c, done
		}
		runtime.Gosched()
	}
}

func TestABudgetIsHeldUntilItIsGivenBack(t *testing.T) {
	b := NewBudget(100)
	first := b.Claim()
	require.NoError(t, first.Take(t.Context(), "a", 60))
	require.NoError(t, first.Take(t.Context(), "a", 60), "a claim is taken once")
	second, waits := claiming(t, b, t.Context(), "a", 50)
	first.Settle(50)
	require.NoError(t, <-waits, "an answer that is smaller leaves room")
	third, waits := claiming(t, b, t.Context(), "a", 1)
	second.Settle(500) // larger than all there is: what comes next waits for it
	fourth, later := claiming(t, b, t.Context(), "a", 1)
	second.Free()
	second.Free()
	require.NoError(t, <-waits)
	require.NoError(t, <-later)
	for _, c := range []*Claim{first, third, fourth} {
		c.Free()
	}
	holding, waiting := b.Load()
	assert.Zero(t, holding+waiting)
	assert.Equal(t, 100, b.free)
}

func TestWhatIsLargerThanTheBudgetHasItsTurnAlone(t *testing.T) {
	b := NewBudget(100)
	small := b.Claim()
	require.NoError(t, small.Take(t.Context(), "a", 1))
	large, waits := claiming(t, b, t.Context(), "a", 1000)
	small.Free()
	require.NoError(t, <-waits)
	large.Free()
	assert.Equal(t, 100, b.free)
}

func TestOwnersTakeTurnsForTheBudget(t *testing.T) {
	b := NewBudget(10)
	held := b.Claim()
	require.NoError(t, held.Take(t.Context(), "x", 10))
	order := make(chan string, 6)
	var all []*Claim
	for _, owner := range []string{"a", "a", "a", "b", "c"} {
		c, done := claiming(t, b, t.Context(), owner, 10)
		all = append(all, c)
		go func() {
			if <-done == nil {
				order <- owner
			}
		}()
	}
	held.Free()
	var got string
	for range all {
		owner := <-order
		got += owner
		for _, c := range all {
			b.mu.Lock()
			mine := c.bytes > 0 && !c.freed && c.granted != nil && isDone(c.granted)
			b.mu.Unlock()
			if mine {
				c.Free()
				break
			}
		}
	}
	assert.Equal(t, "abcaa", got)
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestAClaimIsGivenUpWithItsCall(t *testing.T) {
	b := NewBudget(10)
	held := b.Claim()
	require.NoError(t, held.Take(t.Context(), "a", 10))
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	c, waits := claiming(t, b, ctx, "a", 10)
	next, later := claiming(t, b, t.Context(), "a", 5)
	cancel(gone)
	assert.Equal(t, gone, <-waits)
	c.Free()
	held.Free()
	require.NoError(t, <-later)
	next.Free()
	assert.Equal(t, 10, b.free)
}

// A call is answered as soon as it is cancelled: its claim is settled and freed
// while its work still waits for room.
func TestAClaimThatWaitsGivesBackNothing(t *testing.T) {
	b := NewBudget(10)
	held := b.Claim()
	require.NoError(t, held.Take(t.Context(), "a", 10))
	ctx, cancel := context.WithCancel(t.Context())
	c, waits := claiming(t, b, ctx, "a", 8)
	c.Settle(1)
	assert.Equal(t, 10, b.Held())
	c.Free()
	assert.Equal(t, 10, b.Held())
	_, waiting := b.Load()
	assert.Zero(t, waiting)
	held.Free()
	assert.Zero(t, b.Held(), "nothing is held for a call that is gone")
	cancel()
	assert.ErrorIs(t, <-waits, context.Canceled)
	assert.Zero(t, b.Held())
}

func TestTooManyClaimsOfOneOwnerAreRefused(t *testing.T) {
	b := NewBudget(1)
	held := b.Claim()
	require.NoError(t, held.Take(t.Context(), "a", 1))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range MaxQueuedByOwner {
		claiming(t, b, ctx, "a", 1)
	}
	err := b.Claim().Take(t.Context(), "a", 1)
	assert.ErrorIs(t, err, &Refusal{Code: failure.Busy})
	claiming(t, b, ctx, "b", 1) // another owner still waits
	var none *Claim
	assert.NoError(t, none.Take(t.Context(), "a", 1), "no claim bounds nothing")
	none.Settle(1)
	none.Free()
}
