package server

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a client that asked is told that a call goes on.
const progressEvery = time.Second

// told is the progress of one call.
type told struct {
	// begun is set when the call has had its turn.
	begun atomic.Bool
	stop  func()
}

// progress tells a client that asked for it, by a token, how long its call has
// been waiting or running, until stop is called.
func (s *Server) progress(ctx context.Context, session *mcp.ServerSession, token any) *told {
	p := &told{stop: func() {}}
	if token == nil || session == nil {
		return p
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for seconds := 1; ; seconds++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				said := "running"
				if !p.begun.Load() {
					said = "waiting for its turn"
				}
				_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(seconds), Message: fmt.Sprintf("%s, %d s", said, seconds),
				})
			}
		}
	}()
	// Nothing is said of a call that has been answered.
	p.stop = func() { cancel(); <-done }
	return p
}
