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

// progress tells a client that asked for it, by a token, how long its call has
// been waiting or, once it has begun, running, until stop is called.
func progress(ctx context.Context, session *mcp.ServerSession, token any) (begun, stop func()) {
	var running atomic.Bool
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
				if !running.Load() {
					said = "waiting for its turn"
				}
				_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(seconds), Message: fmt.Sprintf("%s, %d s", said, seconds),
				})
			}
		}
	}()
	// Nothing is said of a call that has been answered.
	return func() { running.Store(true) }, func() { cancel(); <-done }
}
