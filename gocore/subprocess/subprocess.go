// Package subprocess is the one place of the runtime that starts processes.
//
// It decides how a child lives and dies: its own process group, no terminal
// and no standard input, an environment that the caller states in full, output
// handed to sinks while the child runs, and one stop ladder (TERM to the group,
// a grace, KILL to the group) behind every reason to stop. The child also dies
// with this process, however this process dies: on Linux the kernel sees to it,
// elsewhere a watchdog process.
//
// It does not decide what an exit status means, what the output says, or when
// a search is too slow: the caller's context and sinks do.
//
// Known limits: a grandchild that leaves the process group is not killed, only
// cut off from the pipes; where this process is killed itself, the kernel ends
// its children and not theirs. Outside Linux a process that was forked off this one
// without executing anything, as Python's multiprocessing may, holds the
// watchdog's pipe: children then die when the last such process has.
package subprocess

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// Spec says what to start and where its output goes.
type Spec struct {
	// Path is the executable, absolute. It is never looked up on PATH.
	Path string
	// Args are the arguments after argv[0].
	Args []string
	// Dir is the working directory; it is resolved by the kernel, unchanged.
	Dir string
	// Env is the whole environment of the child. Nil means empty.
	Env []string
	// ExtraFiles become descriptors 3, 4, ... of the child.
	ExtraFiles []*os.File
	// Stdout and Stderr receive output as it arrives, each from one goroutine
	// and all of it before Run returns. A sink that returns an error stops the
	// child; the error comes back in Outcome.SinkErr. Nil discards.
	Stdout, Stderr io.Writer
	// MaxData bounds the private writable memory of the child, in bytes, where
	// the system can (Linux, RLIMIT_DATA); 0 is no bound.
	MaxData int64
	// Grace is how long Run may go on when the child has to be stopped: most of
	// it lies between TERM and KILL, the last part behind KILL. Not positive means
	// that the child is killed at once.
	Grace time.Duration
}

// Outcome says how a child that was started ended.
type Outcome struct {
	// ExitCode is the exit status, or -1 when a signal ended the child or it
	// could not be reaped.
	ExitCode int
	// Signal is the signal that ended the child, or 0.
	Signal syscall.Signal
	// Cause is why this package stopped the child: the context's cause, or nil
	// when the child ended by itself or a sink stopped it.
	Cause error
	// SinkErr is the error of the sink that stopped the child.
	SinkErr error
	// Lost is why the system did not tell how the child ended: the process that
	// embeds this package ignores SIGCHLD, or waits for children it did not start.
	Lost error
	// Unreaped is set when the child outlived TERM, grace and KILL. It is then
	// reaped in the background, if ever.
	Unreaped bool
}

// Stopped reports whether the child was stopped rather than left to end.
func (o Outcome) Stopped() bool { return o.Cause != nil || o.SinkErr != nil }

// StartError means that the child never ran. Unwrap gives the system's error.
type StartError struct {
	Path string
	Err  error
}

func (e *StartError) Error() string { return fmt.Sprintf("cannot start %s: %v", e.Path, e.Err) }

// Unwrap returns the system's error.
func (e *StartError) Unwrap() error { return e.Err }

// Runner runs one child to its end. The only error is a *StartError: whatever
// happens to a child that started is an Outcome.
type Runner interface {
	Run(ctx context.Context, spec Spec) (Outcome, error)
}
