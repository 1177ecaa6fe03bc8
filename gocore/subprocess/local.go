package subprocess

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

const (
	// reapWait is how long a call waits, after KILL, for the kernel to report
	// the death, or a quarter of the grace when that is shorter. A killed process
	// is reported within microseconds; one in an uninterruptible sleep is not,
	// and must not hold the caller.
	reapWait = 200 * time.Millisecond
	// leastReapWait holds for graces that leave less: a machine under load needs
	// some time for a death, too.
	leastReapWait = 50 * time.Millisecond
	// drainWait is how long the streams of a child that ended by itself are still
	// read when a descendant holds them open. What the child wrote is read
	// however long that takes.
	drainWait = 250 * time.Millisecond
)

// Local runs children on this machine. The zero value is ready to use.
type Local struct {
	// kill replaces syscall.Kill in tests of a child that cannot be killed.
	kill func(pid int, sig syscall.Signal) error
	// paused, in tests, is called before a start is tried again.
	paused func()
	// watched, in tests, uses the watchdog also where the system itself ends the
	// children of a process that has died.
	watched bool
	dog     watchdog
}

// Run starts the child and returns when it has ended, or when it could not be
// made to end within the grace after the context was done or a sink refused.
// A panic of a sink comes out of Run, after the child has been stopped.
func (l *Local) Run(ctx context.Context, spec Spec) (Outcome, error) {
	out := Outcome{ExitCode: -1}
	if ctx.Err() != nil {
		out.Cause = context.Cause(ctx)
		return out, nil
	}
	c, p, err := l.launch(ctx, spec)
	switch {
	case err == nil:
	case err == ctx.Err():
		out.Cause = context.Cause(ctx)
		return out, nil
	default:
		return Outcome{}, &StartError{Path: spec.Path, Err: err}
	}
	defer p.close()

	go p.run()
	select {
	case <-c.exited:
	case <-ctx.Done():
		if !c.ended(0) { // what has ended by itself was not stopped
			out.Cause = context.Cause(ctx)
		}
	case out.SinkErr = <-p.refused:
	}
	wait := drainWait
	if out.Stopped() {
		out.Unreaped = !l.stop(c, spec.Grace)
		wait = 0
	}
	if !within(p.ended, wait) {
		p.cut.Store(true)
	}
	// Nothing of the group outlives the call. The child itself has ended or cannot
	// be ended; it is not reaped yet, so the number is still that of its group.
	c.signal(l.killer(), syscall.SIGKILL)
	<-p.ended
	l.unwatch(c)
	close(c.release)
	if out.SinkErr == nil {
		select { // a sink may refuse the last bytes of a child that has ended
		case out.SinkErr = <-p.refused:
		default:
		}
	}
	if !out.Unreaped {
		out.settle(<-c.reaped)
	}
	if fault, ok := out.SinkErr.(*sinkPanic); ok {
		panic(fmt.Sprintf("subprocess: a sink panicked: %v", fault))
	}
	return out, nil
}

// settle writes how the child ended.
func (o *Outcome) settle(s status) {
	switch {
	case s.err != nil:
		o.Lost = s.err
	case s.wait.Signaled():
		o.Signal = s.wait.Signal()
	default:
		o.ExitCode = s.wait.ExitStatus()
	}
}

// launch starts the child and makes the pump for its output.
func (l *Local) launch(ctx context.Context, spec Spec) (*child, *pump, error) {
	p, err := newPump(spec.Stdout, spec.Stderr)
	if err != nil {
		return nil, nil, err
	}
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if !l.watching() {
		dieWithParent(attributes)
	}
	c, err := l.start(ctx, spec, p.streams[0].write, p.streams[1].write, attributes)
	p.started()
	if err == nil {
		if err = l.watch(c); err == nil {
			return c, p, nil
		}
		// Nobody would end it if this process were killed: it does not run at all.
		c.signal(syscall.Kill, syscall.SIGKILL)
		close(c.release)
	}
	p.close()
	return nil, nil, err
}

// stop climbs the ladder and reports whether the child ended.
func (l *Local) stop(c *child, grace time.Duration) bool {
	last := reapWait
	if grace > 0 {
		last = min(reapWait, grace/4)
		c.signal(l.killer(), syscall.SIGTERM)
		if c.ended(grace - last) {
			return true
		}
	}
	c.signal(l.killer(), syscall.SIGKILL)
	return c.ended(max(last, leastReapWait))
}

func (l *Local) killer() func(pid int, sig syscall.Signal) error {
	if l.kill != nil {
		return l.kill
	}
	return syscall.Kill
}

// watching reports whether the watchdog is needed.
func (l *Local) watching() bool { return l.watched || !hasDeathSignal }

func (l *Local) watch(c *child) error {
	if !l.watching() {
		return nil
	}
	return l.dog.add(c.pid)
}

func (l *Local) unwatch(c *child) {
	if l.watching() {
		l.dog.remove(c.pid)
	}
}
