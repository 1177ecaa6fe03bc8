package server

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNothingIsBegunWhileTheClientLeavesAnswersUnread(t *testing.T) {
	read, write := io.Pipe()
	out := newOutbox(write)
	require.NoError(t, out.room(t.Context()))
	sent := make(chan error, 2)
	for range 2 {
		go func() { sent <- out.send(make([]byte, maxBacklog)) }()
	}
	for {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(io.ErrNoProgress)
		if err := out.room(ctx); err != nil {
			assert.Equal(t, io.ErrNoProgress, err)
			break
		}
	}
	room := make(chan error, 1)
	go func() { room <- out.room(t.Context()) }()
	_, err := io.CopyN(io.Discard, read, 2*(maxBacklog+1))
	require.NoError(t, err)
	require.NoError(t, <-sent)
	require.NoError(t, <-sent)
	assert.NoError(t, <-room)
	assert.Zero(t, out.waiting)
}
