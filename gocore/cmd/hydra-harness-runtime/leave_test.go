package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Work that does not come back is given up for the reason that was said, and nothing
// that it would have said counts.
func TestWorkThatHangsIsGivenUp(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	value, err := within(context.Background(), time.Millisecond, errHookTime, func(context.Context) (*hookAnswer, error) {
		<-hang
		return &hookAnswer{}, nil
	})
	assert.Nil(t, value)
	assert.ErrorIs(t, err, errHookTime)
	assert.Less(t, judgeTime, time.Minute, "hosts give a hook a minute, and go on without its word")

	// A signal ends it before its time.
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errInterrupted)
	_, err = within(ctx, time.Hour, errNoAnswer, func(context.Context) (int, error) { <-hang; return 0, nil })
	assert.ErrorIs(t, err, errInterrupted)
}
