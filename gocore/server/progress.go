package server

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a client that asked is told that a call goes on.
const progressEvery = time.Second

// progress tells a client that asked for it, by a token, how long its call has
// been running. The returned function stops that.
func (s *Server) progress(ctx context.Context, session *mcp.ServerSession, token any) (stop func()) {
	if token == nil || session == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer s.recovered("progress")
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for seconds := 1; ; seconds++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(seconds), Message: fmt.Sprintf("searching for %d s", seconds),
				})
			}
		}
	}()
	return func() { cancel(); <-done }
}

// recovered keeps a panic of a goroutine from ending the process.
func (s *Server) recovered(where string) {
	if cause := recover(); cause != nil {
		s.log.Error("a goroutine panicked", "where", where, "panic", cause)
	}
}
