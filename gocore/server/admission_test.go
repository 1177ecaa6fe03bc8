package server

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waitFor asks for a slot in the background and returns where the answer goes,
// once the request is in its queue.
func waitFor(t *testing.T, a *admission, ctx context.Context, owner string, order chan<- string) <-chan error {
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
	}
}

func TestOwnersTakeTurns(t *testing.T) {
	a := newAdmission()
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
	a := newAdmission()
	a.free = 1
	release, err := a.acquire(t.Context(), "s")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	left := waitFor(t, a, ctx, "s", nil)
	cancel()
	assert.Equal(t, context.Canceled, <-left)
	release()
	assert.Equal(t, 1, a.free)
	assert.Empty(t, a.turn)
}

func TestTooManyWaitingAreToldSo(t *testing.T) {
	a := newAdmission()
	a.free, a.waiting = 0, maxQueued
	_, err := a.acquire(t.Context(), "s")
	var refusal *Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, "RUNTIME_BUSY", refusal.Code)
}
