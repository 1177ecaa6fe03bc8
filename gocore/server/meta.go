package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// Keys of a request's _meta.
const (
	metaOwner      = "dev.hydra-harness/owner"
	metaWorkdir    = "dev.hydra-harness/workdir"
	metaDeadlineMs = "dev.hydra-harness/deadlineMs"
	metaNested     = "dev.hydra-harness/nested"
	// metaError carries the failure of a tool call in its result.
	metaError = "dev.hydra-harness/error"
)

// call is what a request says about itself.
type call struct {
	tool.Session
	deadline time.Duration // 0: none of its own
}

// call reads a request's _meta. The error is a *tool.ArgumentError.
func (s *Server) call(meta map[string]any) (call, error) {
	c := call{Session: tool.Session{Workdir: s.options.Workdir, Owner: s.options.Owner}}
	var workdir string
	for key, target := range map[string]any{metaOwner: &c.Owner, metaWorkdir: &workdir, metaNested: &c.Nested} {
		if err := metaValue(meta, key, target); err != nil {
			return c, err
		}
	}
	var ms float64
	if err := metaValue(meta, metaDeadlineMs, &ms); err != nil {
		return c, err
	}
	if _, given := meta[metaDeadlineMs]; given {
		if ms <= 0 {
			return c, &tool.ArgumentError{Argument: metaDeadlineMs, Message: "it is not positive; give the milliseconds that are left"}
		}
		c.deadline = time.Duration(ms * float64(time.Millisecond))
	}
	if workdir != "" {
		checked, err := s.runtime.Workdir(workdir)
		if err != nil {
			return c, err
		}
		c.Workdir = checked
	}
	return c, nil
}

// metaValue reads one value of _meta into target, a pointer.
func metaValue(meta map[string]any, key string, target any) error {
	value, given := meta[key]
	if !given {
		return nil
	}
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, target)
	}
	if err != nil || value == nil {
		return &tool.ArgumentError{Argument: key, Message: "the value is of another type; " + metaTypes[key]}
	}
	return nil
}

var metaTypes = map[string]string{
	metaOwner:      "write a string",
	metaWorkdir:    "write a string, an absolute path",
	metaDeadlineMs: "write a number of milliseconds",
	metaNested:     "write true or false",
}

// context gives ctx the deadline of the call, a little early so that the answer
// is there before the client gives up.
func (c call) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.deadline == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.deadline-min(answerTime, c.deadline/10))
}

// answerTime is how much of a client's deadline is kept for the answer itself.
const answerTime = 100 * time.Millisecond
