package subprocess

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// child is one started process and the moments of its end.
type child struct {
	pid     int
	exited  chan struct{} // closed when it has ended, by markExited
	release chan struct{} // closed when nobody signals the group any more: it may be reaped
	reaped  chan status

	exitedOnce sync.Once

	mu   sync.Mutex
	gone bool // reaped, or never ours to reap: its number may belong to another process
}

// status is what the system says of a process that has ended.
type status struct {
	wait syscall.WaitStatus
	err  error // it says nothing
}

// startTries bounds how often a start is tried that the system refused for the
// moment, startPause is the first pause between two tries; each is twice the one
// before it. Together they take 63 ms, longer than any fork of another thread.
const (
	startTries = 7
	startPause = time.Millisecond
)

// start runs the child from a goroutine that owns its thread until the child
// has ended: Linux sends the parent-death signal when the *thread* that forked
// ends, and the Go scheduler retires idle threads.
//
// The error is ctx.Err() when the context was done before a start succeeded.
func (l *Local) start(ctx context.Context, spec Spec, stdout, stderr int, sys *syscall.SysProcAttr) (*child, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	attr := &syscall.ProcAttr{Dir: spec.Dir, Env: spec.Env, Sys: sys}
	if attr.Env == nil {
		attr.Env = []string{} // nil would mean "inherit"
	}
	attr.Files = []uintptr{null.Fd(), uintptr(stdout), uintptr(stderr)}
	for _, file := range spec.ExtraFiles {
		attr.Files = append(attr.Files, file.Fd())
	}
	argv := append([]string{spec.Path}, spec.Args...)
	c := &child{exited: make(chan struct{}), release: make(chan struct{}), reaped: make(chan status, 1)}
	started := make(chan error, 1)
	go func() {
		// A fault of ours is an error here as well: this process may be somebody
		// else's.
		defer func() {
			if cause := recover(); cause != nil {
				c.lose(started, fmt.Errorf("internal error: %v", cause))
			}
		}()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		c.pid, err = l.forkExec(ctx, spec.Path, argv, attr)
		if err == nil && spec.MaxData > 0 {
			limitData(c.pid, spec.MaxData)
		}
		started <- err
		if err == nil {
			c.attend()
		}
	}()
	err = <-started
	runtime.KeepAlive(spec.ExtraFiles) // their descriptors were in use
	if err != nil {
		return nil, err
	}
	return c, nil
}

// lose ends the wait for a child that nobody attends to any more.
func (c *child) lose(started chan<- error, err error) {
	select {
	case started <- err: // whoever starts it is told
	default:
	}
	c.markExited()
	select {
	case c.reaped <- status{err: err}:
	default:
	}
}

func (c *child) markExited() { c.exitedOnce.Do(func() { close(c.exited) }) }

// forkExec starts a process. What passes by itself is tried again: an
// executable that was just written is "busy" as long as a child that another
// thread forked meanwhile has not yet executed, for it holds the descriptor
// open; and a process that ends makes room under a limit on processes.
func (l *Local) forkExec(ctx context.Context, path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	pause := startPause
	for try := 1; ; try++ {
		pid, _, err = syscall.StartProcess(path, argv, attr)
		if err != syscall.ETXTBSY && err != syscall.EAGAIN || try == startTries {
			return pid, err
		}
		if l.pause(ctx, pause) {
			return 0, ctx.Err()
		}
		pause *= 2
	}
}

// pause waits, and reports whether the context is done.
func (l *Local) pause(ctx context.Context, d time.Duration) bool {
	if l.paused != nil {
		l.paused()
	}
	return within(ctx.Done(), d)
}

// attend waits for the end of the child and reaps it. Until it is reaped its
// number, and that of its group, cannot belong to others.
func (c *child) attend() {
	if awaitExit(c.pid) == nil {
		c.markExited()
		<-c.release
		c.reaped <- c.reap()
		return
	}
	// The system does not tell without reaping, or there is nothing to reap: when
	// the process that embeds us ignores SIGCHLD, or waits for every child.
	c.reaped <- c.reap()
	c.markExited()
}

func (c *child) reap() (s status) {
	for {
		_, s.err = syscall.Wait4(c.pid, &s.wait, 0, nil)
		if s.err != syscall.EINTR {
			break
		}
	}
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	return s
}

// signal sends a signal to the group of the child.
func (c *child) signal(kill func(pid int, sig syscall.Signal) error, sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		_ = kill(-c.pid, sig) // ESRCH: it is gone, which is the aim
	}
}

// ended reports whether the child has ended, waiting for at most limit.
func (c *child) ended(limit time.Duration) bool { return within(c.exited, limit) }

// within reports whether done is closed, waiting for at most limit.
func within(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	if limit <= 0 {
		return false
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
