package subprocess

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sleeper starts a process in a group of its own.
func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// Rule: the watchdog kills what is on its list when its input ends, nothing that
// was taken off, and it ends itself.
func TestTheWatchdogKeepsAList(t *testing.T) {
	var dog watchdog
	kept, removed, again, never := sleeper(t), sleeper(t), sleeper(t), sleeper(t)
	for _, cmd := range []*exec.Cmd{kept, removed, again} {
		require.NoError(t, dog.add(cmd.Process.Pid))
	}
	dog.remove(removed.Process.Pid)
	dog.remove(again.Process.Pid)
	require.NoError(t, dog.add(again.Process.Pid))
	pid := dog.pid
	require.NoError(t, dog.input.Close())
	var status syscall.WaitStatus
	_, err := syscall.Wait4(pid, &status, 0, nil)
	require.NoError(t, err)
	assert.True(t, status.Exited())
	for cmd, want := range map[*exec.Cmd]bool{kept: false, again: false, removed: true, never: true} {
		assert.Eventually(t, func() bool { return alive(cmd.Process.Pid) == want }, 10*time.Second, time.Millisecond)
	}
}

// Rule: a watchdog that somebody has ended is started anew, and knows the list.
func TestAKilledWatchdogIsReplaced(t *testing.T) {
	var dog watchdog
	first, second := sleeper(t), sleeper(t)
	require.NoError(t, dog.add(first.Process.Pid))
	old := dog.pid
	require.NoError(t, syscall.Kill(old, syscall.SIGKILL))
	// Until it is gone its pipe still takes what nobody will read.
	require.Eventually(t, func() bool { return !alive(old) }, 10*time.Second, time.Millisecond)
	require.NoError(t, dog.add(second.Process.Pid))
	assert.NotEqual(t, old, dog.pid)
	assert.False(t, alive(old))
	require.NoError(t, dog.input.Close())
	_, err := syscall.Wait4(dog.pid, nil, 0, nil)
	require.NoError(t, err)
	for _, cmd := range []*exec.Cmd{first, second} {
		assert.Eventually(t, func() bool { return !alive(cmd.Process.Pid) }, 10*time.Second, time.Millisecond)
	}
}

// Rule: a watched run works as any other, and takes itself off the list.
func TestAWatchedRun(t *testing.T) {
	local := Local{watched: true}
	for range 3 {
		out, err := local.Run(t.Context(), Spec{Path: "/bin/true"})
		require.NoError(t, err)
		assert.Equal(t, Outcome{}, out)
		assert.Empty(t, local.dog.groups)
	}
	require.NoError(t, local.dog.input.Close())
	_, err := syscall.Wait4(local.dog.pid, nil, 0, nil)
	require.NoError(t, err)
}
