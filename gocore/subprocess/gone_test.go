package subprocess

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rule: as soon as a child is reaped its number may belong to a process of
// anybody, which no signal of ours may reach. Until then it is the child's own.
func TestAReapedChildIsNotSignalled(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	var local Local
	spec := Spec{Path: "/bin/sh", Args: []string{"-c", "exit 3"}}
	c, err := local.start(context.Background(), spec, int(null.Fd()), int(null.Fd()), &syscall.SysProcAttr{Setpgid: true})
	require.NoError(t, err)
	var reached []int
	kill := func(pid int, _ syscall.Signal) error { reached = append(reached, pid); return nil }
	<-c.exited
	c.signal(kill, syscall.SIGKILL)
	assert.Equal(t, []int{-c.pid}, reached, "it has ended, and is not reaped: the number is its group's")
	close(c.release)
	s := <-c.reaped
	require.NoError(t, s.err)
	assert.Equal(t, 3, s.wait.ExitStatus())
	c.signal(kill, syscall.SIGKILL)
	assert.Equal(t, []int{-c.pid}, reached)
}
