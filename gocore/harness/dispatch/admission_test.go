package dispatch

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

// waitFor asks for a slot in the background and returns where the answer goes,
// once the request is in its queue.
func waitFor(t *testing.T, a *Admission, ctx context.Context, owner string, order chan<- string) <-chan error {
	t.Helper()
	a.mu.Lock()
	before := a.waiting
	a.mu.Unlock()
	got := make(chan error, 1)
	go func() {
		release, err := a.acquire(ctx, owner)
		if err == nil {
			order <- owner
			release()
		}
		got <- err
	}()
	for {
		a.mu.Lock()
		waiting := a.waiting
		a.mu.Unlock()
		if waiting > before {
			return got
		}
		runtime.Gosched()
	}
}

func TestOwnersTakeTurns(t *testing.T) {
	a := NewAdmission()
	a.free = 1
	release, err := a.acquire(t.Context(), "flood")
	require.NoError(t, err)
	order := make(chan string, 8)
	for _, owner := range []string{"flood", "flood", "flood", "calm", "other", "calm"} {
		waitFor(t, a, t.Context(), owner, order)
	}
	release()
	var got []string
	for range 6 {
		got = append(got, <-order)
	}
	assert.Equal(t, []string{"flood", "calm", "other", "flood", "calm", "flood"}, got)
	a.mu.Lock()
	defer a.mu.Unlock()
	assert.Empty(t, a.queues)
	assert.Empty(t, a.turn)
	assert.Zero(t, a.waiting)
}

func TestAWaitingCallCanLeave(t *testing.T) {
	a := NewAdmission()
	a.free = 1
	release, err := a.acquire(t.Context(), "s")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	left := waitFor(t, a, ctx, "s", nil)
	cancel()
	require.ErrorIs(t, <-left, &search.Error{Code: search.Aborted})
	release()
	assert.Equal(t, 1, a.free)
	assert.Empty(t, a.turn)
}

func TestACallThatIsOverGetsNoSlot(t *testing.T) {
	a := NewAdmission()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(search.ErrShutdown)
	_, err := a.acquire(ctx, "s")
	require.ErrorIs(t, err, &Refusal{Code: "RUNTIME_SHUTTING_DOWN"})
	assert.Equal(t, Slots(), a.free)
}

func TestOneOwnersFloodLeavesRoomForOthers(t *testing.T) {
	a := NewAdmission()
	a.free = 0
	ctx, cancel := context.WithCancel(t.Context())
	var left []<-chan error
	for range MaxQueuedByOwner {
		left = append(left, waitFor(t, a, ctx, "flood", nil))
	}
	_, err := a.acquire(ctx, "flood")
	require.ErrorIs(t, err, &Refusal{Code: "RUNTIME_BUSY"})
	left = append(left, waitFor(t, a, ctx, "calm", nil))
	cancel()
	for _, err := range left {
		assert.Error(t, <-err)
	}
	assert.Zero(t, a.waiting)
	assert.Empty(t, a.queues)
}

func TestTooManyWaitingAreToldSo(t *testing.T) {
	a := NewAdmission()
	a.free, a.waiting = 0, MaxQueued
	_, err := a.acquire(t.Context(), "s")
	require.ErrorIs(t, err, &Refusal{Code: "RUNTIME_BUSY"})
}

// Slots are neither lost nor made when calls come, leave and end at the same
// moment.
func TestSlotsAreConserved(t *testing.T) {
	a := NewAdmission()
	a.free = 3
	var mu sync.Mutex
	running, most := 0, 0
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%3 == 0 {
				go cancel()
			}
			release, err := a.acquire(ctx, fmt.Sprint(i%5))
			if err != nil {
				return
			}
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			running--
			mu.Unlock()
			release()
		})
	}
	all.Wait()
	assert.Equal(t, 3, a.free)
	assert.LessOrEqual(t, most, 3)
	assert.Zero(t, a.waiting)
}
