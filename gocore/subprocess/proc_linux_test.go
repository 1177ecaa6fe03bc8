package subprocess

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// alive reports whether a process runs. A zombie does not: it only waits for
// somebody to take its status.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return len(state) > 0 && state[0] != 'Z' && state[0] != 'X'
}

// children returns the children of this process, zombies included.
func children(t *testing.T) []string {
	t.Helper()
	var all []string
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ESRCH) { // a thread that has ended meanwhile
			require.NoError(t, err)
		}
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}

// descriptors returns what this process has open, one "fd -> target" each.
func descriptors(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	var open []string
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err == nil && !strings.HasPrefix(target, "/proc/") { // but the one that lists them
			open = append(open, entry.Name()+" -> "+target)
		}
	}
	return open
}

// parent starts a process that runs the stand-in at path, and returns both.
func parent(t *testing.T, path string, watched bool) (parent *exec.Cmd, child int) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), parentVariable+"="+path)
	if watched {
		cmd.Env = append(cmd.Env, watchedVariable+"=1")
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.Eventually(t, func() bool {
		seen, err := coretest.ReadSeen(path)
		child = seen.PID
		return err == nil
	}, time.Minute, time.Millisecond)
	return cmd, child
}

// Rule: a child dies with this process, also when that is killed and the child
// is deaf to TERM, blocks, and never writes to the pipe that has broken.
func TestAKilledParentLeavesNoChild(t *testing.T) {
	for name, watched := range map[string]bool{"by the system": false, "by the watchdog": true} {
		t.Run(name, func(t *testing.T) {
			path := install(t, coretest.Fake{IgnoreTerm: true, Sleep: 600})
			cmd, child := parent(t, path, watched)
			require.True(t, alive(child))
			if watched { // it is told just after the start
				require.Eventually(t, func() bool { return len(watchdogs(t, cmd.Process.Pid)) == 1 }, time.Minute, time.Millisecond)
			}
			require.NoError(t, cmd.Process.Kill())
			assert.Eventually(t, func() bool { return !alive(child) }, 10*time.Second, time.Millisecond)
		})
	}
}

// watchdogs returns the children of a process that run the shell.
func watchdogs(t *testing.T, pid int) []int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil
	}
	// Any thread may have started it.
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		more, _ := os.ReadFile(task)
		text = append(append(text, ' '), more...)
	}
	seen := map[int]bool{}
	var dogs []int
	for _, field := range strings.Fields(string(text)) {
		child, err := strconv.Atoi(field)
		require.NoError(t, err)
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		if !seen[child] && strings.HasPrefix(string(line), shellPath+"\x00-c\x00") {
			dogs = append(dogs, child)
		}
		seen[child] = true
	}
	return dogs
}
