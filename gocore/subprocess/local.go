package subprocess

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	// reapWait is how long a call waits, after KILL, for the kernel to report
	// the death. A killed process is reported within microseconds; one in an
	// uninterruptible sleep is not, and must not hold the caller.
	reapWait = 200 * time.Millisecond
	// drainWait is how long output is still read after the child has ended.
	// What the child wrote is in the pipe already; only a descendant that
	// inherited the pipe keeps it open longer.
	drainWait = 250 * time.Millisecond
	// copyBuffer is the size of one read. It equals the default capacity of a
	// Linux pipe, so that a busy pipe is emptied by one call.
	copyBuffer = 64 << 10
)

// Local runs children on this machine. The zero value is ready to use.
type Local struct {
	// kill replaces syscall.Kill in tests of a child that cannot be killed.
	kill func(pid int, sig syscall.Signal) error
}

// child is one started process and the two moments of its end.
type child struct {
	process *os.Process
	exited  chan struct{} // closed when it has ended but is not reaped: its pid is still ours
	release chan struct{} // closed when nobody signals the group any more: it may be reaped
	reaped  chan os.ProcessState
}

// Run starts the child and returns when it has ended, or when it could not be
// made to end within the grace after the context was done or a sink refused.
func (l *Local) Run(ctx context.Context, spec Spec) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{ExitCode: -1, Cause: context.Cause(ctx)}, nil
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return Outcome{}, &StartError{Path: spec.Path, Err: err}
	}
	defer outRead.Close()
	widenPipe(outRead)
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		outWrite.Close()
		return Outcome{}, &StartError{Path: spec.Path, Err: err}
	}
	defer errRead.Close()

	c, err := start(spec, outWrite, errWrite)
	outWrite.Close()
	errWrite.Close()
	if err != nil {
		return Outcome{}, &StartError{Path: spec.Path, Err: err}
	}

	sinkErr := make(chan error, 2)
	var copying sync.WaitGroup
	drain := func(sink io.Writer, pipe *os.File) {
		copying.Go(func() {
			if err := copyTo(sink, pipe); err != nil {
				sinkErr <- err
			}
		})
	}
	drain(spec.Stdout, outRead)
	drain(spec.Stderr, errRead)
	drained := make(chan struct{})
	go func() { copying.Wait(); close(drained) }()

	out := Outcome{ExitCode: -1}
	select {
	case <-c.exited:
	case <-ctx.Done():
		out.Cause = context.Cause(ctx)
	case out.SinkErr = <-sinkErr:
	}
	if out.Stopped() {
		out.Unreaped = !l.stop(c, spec.Grace)
	}
	l.finish(c, drained, outRead, errRead)
	close(c.release)
	if out.SinkErr == nil {
		select { // a sink may refuse the last bytes of a child that has ended
		case out.SinkErr = <-sinkErr:
		default:
		}
	}
	if out.Unreaped {
		return out, nil
	}
	state := <-c.reaped
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		out.Signal = status.Signal()
	} else {
		out.ExitCode = state.ExitCode()
	}
	return out, nil
}

// start runs the child from a goroutine that owns its thread until the child
// is reaped: Linux sends the parent-death signal when the *thread* that forked
// ends, and the Go scheduler retires idle threads.
func start(spec Spec, stdout, stderr *os.File) (*child, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	attr := &os.ProcAttr{
		Dir:   spec.Dir,
		Env:   spec.Env,
		Files: append([]*os.File{null, stdout, stderr}, spec.ExtraFiles...),
		Sys:   sysProcAttr(),
	}
	if attr.Env == nil {
		attr.Env = []string{} // os.StartProcess reads nil as "inherit"
	}
	argv := append([]string{spec.Path}, spec.Args...)
	c := &child{
		exited:  make(chan struct{}),
		release: make(chan struct{}),
		reaped:  make(chan os.ProcessState, 1),
	}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		c.process, err = os.StartProcess(spec.Path, argv, attr)
		started <- err
		if err != nil {
			return
		}
		awaitExit(c.process.Pid)
		close(c.exited)
		<-c.release
		if state, err := c.process.Wait(); err == nil {
			c.reaped <- *state
		} else {
			c.reaped <- os.ProcessState{}
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// stop climbs the ladder and reports whether the child ended.
func (l *Local) stop(c *child, grace time.Duration) bool {
	if grace > 0 {
		l.signal(c, syscall.SIGTERM)
		if within(c.exited, grace) {
			return true
		}
	}
	l.signal(c, syscall.SIGKILL)
	return within(c.exited, reapWait)
}

// finish waits for the sinks to see the end of the output, cutting off whatever
// still holds the pipes.
func (l *Local) finish(c *child, drained <-chan struct{}, pipes ...*os.File) {
	if within(drained, drainWait) {
		return
	}
	// The child is not reaped yet, so its group id cannot belong to others.
	l.signal(c, syscall.SIGKILL)
	past := time.Unix(0, 1)
	for _, pipe := range pipes {
		_ = pipe.SetReadDeadline(past)
	}
	<-drained
}

func (l *Local) signal(c *child, sig syscall.Signal) {
	kill := l.kill
	if kill == nil {
		kill = syscall.Kill
	}
	_ = kill(-c.process.Pid, sig) // ESRCH: it is gone, which is the aim
}

func within(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// copyTo hands what the pipe holds to the sink until the end of the output, the
// read deadline, or the sink's refusal, which is returned.
func copyTo(sink io.Writer, pipe *os.File) error {
	if sink == nil {
		sink = io.Discard
	}
	buf := make([]byte, copyBuffer)
	for {
		n, err := pipe.Read(buf)
		if n > 0 {
			if _, refused := sink.Write(buf[:n]); refused != nil {
				return refused
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
				return nil
			}
			return err
		}
	}
}
