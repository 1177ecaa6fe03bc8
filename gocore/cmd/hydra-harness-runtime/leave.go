package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/supervise"
)

const (
	// judgeTime is how long one command may take to be judged, its input included
	// for a hook: hosts give a hook a minute and then go on without its word. What
	// takes longer waits for a file system that does not answer.
	judgeTime = 30 * time.Second
	// lookTime is how long a look may take without which nothing can begin: the
	// current directory, the configuration file.
	lookTime = 5 * time.Second
	// leaveTime is how long a command may take to end by itself once it was told to:
	// longer than ripgrep's grace.
	leaveTime = 5 * time.Second
)

// errNoAnswer is the cause of a look that ran out of its time.
var errNoAnswer = errors.New("a file system does not answer; unmount what is gone (umount -l), or name another place")

// errHookTime is that of a hook, whose input may be what does not come.
var errHookTime = fmt.Errorf("it was not judged within %s: the host did not end the event, or a file system does not answer", judgeTime)

// untilLeft runs a command and leaves it behind when it does not end although a
// signal has told it to: no signal reaches a thread that waits for a file system.
func untilLeft(ctx context.Context, command func(context.Context) error) error {
	_, err := supervise.Run(ctx, nil, supervise.Within(leaveTime), func() (struct{}, error) { return struct{}{}, command(ctx) })
	if left := (*supervise.Left)(nil); errors.As(err, &left) {
		return fmt.Errorf("%w, while %w", left.Cause, errNoAnswer)
	}
	return err
}

// within does work that looks at file systems, and gives it up after a time, for this
// reason.
func within[T any](ctx context.Context, limit time.Duration, reason error, work func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, reason)
	defer cancel()
	value, err := supervise.Run(ctx, nil, supervise.Within(0), func() (T, error) { return work(ctx) })
	if left := (*supervise.Left)(nil); errors.As(err, &left) {
		return value, left.Cause
	}
	return value, err
}

// looked is within for what cannot be given up by itself.
func looked[T any](look func() (T, error)) (T, error) {
	return within(context.Background(), lookTime, errNoAnswer, func(context.Context) (T, error) { return look() })
}
