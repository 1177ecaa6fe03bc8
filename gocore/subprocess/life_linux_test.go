package subprocess

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// shell runs a script as the child.
func shell(script string) Spec {
	return Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}
}

// lazy is a sink that takes its time for the first piece.
type lazy struct {
	bytes.Buffer
	delay time.Duration
}

func (l *lazy) Write(p []byte) (int, error) {
	time.Sleep(l.delay)
	l.delay = 0
	return l.Buffer.Write(p)
}

// Rule: what a child has written is never lost, however late it is read: also
// when somebody still holds the pipe and the wait for him is long over.
func TestLateOutputIsWhole(t *testing.T) {
	const pieces = 12
	piece := strings.Repeat("0123456789abcdef", 4<<10) // of 64 KiB: all of it fits into the pipe
	for name, fake := range map[string]coretest.Fake{
		"nobody holds the pipe": {},
		"a grandchild does":     {HoldPipe: true},
		"one that left does":    {HoldPipe: true, Escape: true},
	} {
		t.Run(name, func(t *testing.T) {
			fake.Stdout, fake.Repeat = piece, pieces
			path := install(t, fake)
			t.Cleanup(func() { killHeld(path) })
			sink := &lazy{delay: 2 * drainWait}
			var local Local
			out, err := local.Run(context.Background(), Spec{Path: path, Stdout: sink})
			require.NoError(t, err)
			assert.Equal(t, Outcome{}, out)
			assert.Equal(t, strings.Repeat(piece, pieces), sink.String())
		})
	}
}

// Rule: a descendant that goes on writing does not hold the caller.
func TestAFloodAfterTheEndIsCut(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid command to leave the group with:", err)
	}
	left := filepath.Join(t.TempDir(), "left")
	spec := shell(`setsid sh -c 'echo $$ >"$0"; exec yes' "$0" & until [ -s "$0" ]; do :; done`)
	spec.Args = append(spec.Args, left)
	var flood counter
	spec.Stdout = &flood
	var local Local
	out, err := local.Run(context.Background(), spec)
	require.NoError(t, err)
	assert.Equal(t, Outcome{}, out)
	pid, err := os.ReadFile(left)
	require.NoError(t, err)
	number, err := strconv.Atoi(strings.TrimSpace(string(pid)))
	require.NoError(t, err)
	assert.Eventually(t, func() bool { return !alive(number) }, 10*time.Second, time.Millisecond, "it writes to a broken pipe")
}

// counter is a sink of any size.
type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// Rule: nothing of the group outlives the call, whether it holds the pipes or
// not, and whether the child ended or was stopped.
func TestTheGroupIsSwept(t *testing.T) {
	for name, script := range map[string]string{
		"ended":   `sleep 600 >/dev/null 2>&1 & echo $!`,
		"stopped": `sleep 600 >/dev/null 2>&1 & echo $!; exec sleep 600`,
		"deaf":    `trap "" TERM; sleep 600 >/dev/null 2>&1 & echo $!; exec sleep 600`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var said bytes.Buffer
			ready := &signalled{once: make(chan struct{})}
			if name != "ended" {
				go func() { <-ready.once; cancel() }()
			}
			spec := shell(script)
			spec.Stdout, spec.Grace = writers{&said, ready}, 100*time.Millisecond
			var local Local
			_, err := local.Run(ctx, spec)
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(said.String()))
			require.NoError(t, err)
			assert.Eventually(t, func() bool { return !alive(pid) }, 10*time.Second, time.Millisecond)
		})
	}
}

// writers hands each piece to all.
type writers []interface{ Write(p []byte) (int, error) }

func (w writers) Write(p []byte) (int, error) {
	for _, one := range w {
		if n, err := one.Write(p); err != nil {
			return n, err
		}
	}
	return len(p), nil
}

// Rule: an executable that is being written for a moment longer is started when
// it is not, and otherwise the error says why. A caller who leaves is let go.
func TestAnExecutableThatIsBusy(t *testing.T) {
	text, err := os.ReadFile("/bin/true")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "busy")
	require.NoError(t, os.WriteFile(path, text, 0o755))
	writer, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer writer.Close()

	tries := 0
	local := Local{paused: func() { tries++ }}
	_, err = local.Run(context.Background(), Spec{Path: path})
	assert.ErrorIs(t, err, syscall.ETXTBSY)
	assert.Equal(t, startTries-1, tries)

	ctx, cancel := context.WithCancelCause(context.Background())
	left := errors.New("left")
	local.paused = func() { cancel(left) }
	out, err := local.Run(ctx, Spec{Path: path})
	require.NoError(t, err)
	assert.Equal(t, Outcome{ExitCode: -1, Cause: left}, out)

	local.paused = func() { writer.Close() }
	out, err = local.Run(context.Background(), Spec{Path: path})
	require.NoError(t, err)
	assert.Equal(t, Outcome{}, out)
}

// Rule: when nobody can tell how the child ended, that is said, and it is not
// taken for a success.
func TestALostStatusIsNoSuccess(t *testing.T) {
	signal.Ignore(syscall.SIGCHLD) // the system then reaps by itself
	defer func() {                 // Reset alone would leave it ignored
		notices := make(chan os.Signal, 1)
		signal.Notify(notices, syscall.SIGCHLD)
		signal.Stop(notices)
	}()
	var stdout bytes.Buffer
	spec := shell("echo said; exit 0")
	spec.Stdout = &stdout
	var local Local
	out, err := local.Run(context.Background(), spec)
	require.NoError(t, err)
	assert.Equal(t, Outcome{ExitCode: -1, Lost: syscall.ECHILD}, out)
	assert.Equal(t, "said\n", stdout.String())

	ctx, cancel := context.WithCancel(context.Background())
	ready := &signalled{once: make(chan struct{})}
	go func() { <-ready.once; cancel() }()
	spec = shell("echo x; exec sleep 600")
	spec.Stdout, spec.Grace = ready, time.Minute
	out, err = local.Run(ctx, spec)
	require.NoError(t, err)
	assert.Equal(t, Outcome{ExitCode: -1, Cause: context.Canceled, Lost: syscall.ECHILD}, out)
}

// Rule: a sink that panics does so where Run was called, and the child is gone.
func TestAPanicOfASinkComesOutOfRun(t *testing.T) {
	path := install(t, coretest.Fake{Stdout: "x", Sleep: 600})
	var local Local
	said := func() (value any) {
		defer func() { value = recover() }()
		_, _ = local.Run(context.Background(), Spec{Path: path, Stdout: panicking{}, Grace: time.Minute})
		return nil
	}()
	assert.Contains(t, said, "a bug in the sink")
	assert.Contains(t, said, "panicking.Write", "and where")
	seen, err := coretest.ReadSeen(path)
	require.NoError(t, err)
	assert.False(t, alive(seen.PID))
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a bug in the sink") }

// Rule: a start that fails because descriptors have run out, wherever that
// happens, says so and leaves none open.
func TestNoDescriptorIsLeftWhereTheyRunOut(t *testing.T) {
	const room = 12 // more than a run takes
	var local Local
	run := func() error {
		_, err := local.Run(context.Background(), Spec{Path: "/bin/true"})
		return err
	}
	require.NoError(t, run()) // whatever the Go runtime opens once is open now
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	low := limit
	low.Cur = uint64(len(descriptors(t)) + 2*room)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)) }()
	var filling []*os.File
	defer func() {
		for _, file := range filling {
			file.Close()
		}
	}()
	for {
		file, err := os.Open(os.DevNull)
		if err != nil {
			require.ErrorIs(t, err, syscall.EMFILE)
			break
		}
		filling = append(filling, file)
	}
	failed, succeeded := 0, 0
	for free := 1; free <= room; free++ { // one to look with
		filling[len(filling)-1].Close()
		filling = filling[:len(filling)-1]
		before := descriptors(t)
		if err := run(); err == nil {
			succeeded++
		} else {
			failed++
			var start *StartError
			require.ErrorAs(t, err, &start)
			require.ErrorIs(t, err, syscall.EMFILE)
		}
		assert.Equal(t, before, descriptors(t), "with %d free", free)
	}
	assert.NotZero(t, failed)
	assert.NotZero(t, succeeded)
}

// Rule: 1,000 cancelled calls leave no process, no zombie, no descriptor, no
// goroutine, at whatever moment they are cancelled.
func TestAThousandCancelledRunsLeaveNothing(t *testing.T) {
	const calls, atOnce = 1000, 8
	var local Local
	_, err := local.Run(context.Background(), Spec{Path: "/bin/true"})
	require.NoError(t, err)
	goroutines, open := runtime.NumGoroutine(), descriptors(t)
	work := make(chan int)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for i := range work {
				cancelledRun(t, &local, i)
			}
		})
	}
	for i := range calls {
		work <- i
	}
	close(work)
	workers.Wait()
	assert.Empty(t, children(t))
	assert.Equal(t, open, descriptors(t))
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
}

// cancelledRun cancels a run before its start, during it, once there is output,
// and while there is a flood of it.
func cancelledRun(t *testing.T, local *Local, i int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ready := &signalled{once: make(chan struct{})}
	spec := shell("echo x; exec sleep 600")
	spec.Stdout, spec.Grace = ready, time.Minute
	switch i % 4 {
	case 0:
		cancel()
	case 1:
		go cancel()
	case 2:
		go func() { <-ready.once; cancel() }()
	case 3:
		spec.Args[1] = "exec yes"
		go func() { <-ready.once; cancel() }()
	}
	out, err := local.Run(ctx, spec)
	assert.NoError(t, err)
	assert.Equal(t, context.Canceled, out.Cause)
	assert.False(t, out.Unreaped)
}
