package main

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// told returns a callback and whether it has been called within a second.
func told() (ended func(), was func(time.Duration) bool) {
	done := make(chan struct{})
	return func() { close(done) }, func(limit time.Duration) bool {
		select {
		case <-done:
			return true
		case <-time.After(limit):
			return false
		}
	}
}

// Both ways of watching a process agree.
func TestAProcessIsWatched(t *testing.T) {
	for name, watch := range map[string]func(int, func()) error{"pidfd": watchProcess, "poll": pollProcess} {
		t.Run(name, func(t *testing.T) {
			child := exec.Command("sleep", "60")
			require.NoError(t, child.Start())
			ended, was := told()
			require.NoError(t, watch(child.Process.Pid, ended))
			require.NoError(t, child.Process.Kill())
			assert.True(t, was(5*time.Second), "a zombie has ended, too")
			_ = child.Wait()

			ended, was = told()
			require.NoError(t, watch(child.Process.Pid, ended), "one that was gone before")
			assert.True(t, was(5*time.Second))

			ended, was = told()
			require.NoError(t, watch(os.Getpid(), ended))
			assert.False(t, was(2*processEvery), "we are still there")
			assert.Error(t, watch(-1, func() {}))
		})
	}
}

func TestAHangUpIsSeenBeforeTheEndIsRead(t *testing.T) {
	socket, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	pipe := make([]int, 2)
	require.NoError(t, unix.Pipe(pipe))
	for name, ends := range map[string]struct {
		read int
		shut func() error
	}{
		"a pipe":   {pipe[0], func() error { return unix.Close(pipe[1]) }},
		"a socket": {socket[0], func() error { return unix.Shutdown(socket[1], unix.SHUT_WR) }},
	} {
		t.Run(name, func(t *testing.T) {
			defer unix.Close(ends.read)
			ended, was := told()
			watchHangup(ends.read, ended)
			_, err := unix.Write(map[string]int{"a pipe": pipe[1], "a socket": socket[1]}[name], []byte("unread"))
			require.NoError(t, err)
			assert.False(t, was(50*time.Millisecond), "there is something to read, and nobody has hung up")
			require.NoError(t, ends.shut())
			assert.True(t, was(5*time.Second))
		})
	}
}
