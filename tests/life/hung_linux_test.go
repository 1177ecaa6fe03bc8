package life

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// hung mounts a FUSE file system that never answers: its server holds the
// device open and reads nothing. The end of the test closes the device, which
// lets all go that wait.
func hung(t *testing.T) string {
	t.Helper()
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) || errors.Is(err, unix.EPERM) {
		t.Skipf("no file system that never answers can be made here: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { _ = device.Close() })
	dir := filepath.Join(open(t), "hung")
	require.NoError(t, os.Mkdir(dir, 0o755))
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other", device.Fd(), os.Getuid(), os.Getgid())
	err = unix.Mount("hung", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options)
	if errors.Is(err, unix.EPERM) {
		t.Skipf("no file system that never answers can be mounted here: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// Rule: a place that never answers holds a thread, and nothing else: not the
// call, whose limit and whose cancelling hold, and not the place among the
// searches that others wait for.
func TestAFileSystemThatNeverAnswersHoldsNoCall(t *testing.T) {
	dead := hung(t)
	dir := tree(t, "a.txt")
	s := serve(t, built, dir, map[string]any{"timeoutMs": 50, "graceMs": 1})
	const calls = 9 // more than there are places for searches
	for range calls {
		for _, call := range []struct {
			name      string
			arguments map[string]any
		}{
			{"grep", map[string]any{"pattern": "needle", "path": dead}},
			{"glob", map[string]any{"pattern": filepath.Join(dead, "x") + "/*"}},
		} {
			r, err := s.Tool(call.name, call.arguments)
			require.NoError(t, err)
			assert.Equal(t, "Error: the search did not finish within its time limit, and a file system that it looked at has not answered; search another place, or unmount what is gone", r.Text(), call.name)
		}
	}
	r, err := s.Tool("grep", needle())
	require.NoError(t, err)
	assert.Equal(t, "Found 1 match\n\na.txt\nLine 1: needle", r.Text())
	answer, err := s.Call("hydra/info", map[string]any{})
	require.NoError(t, err)
	var info struct{ LostThreads int }
	require.NoError(t, json.Unmarshal(answer, &info))
	assert.Equal(t, 2*calls, info.LostThreads)
}

// Rule: the gate of a command that names such a place ends with its deadline,
// as an error, which is no allow.
func TestTheGateOfAPlaceThatNeverAnswers(t *testing.T) {
	dead := hung(t)
	dir := tree(t, "a.txt")
	s := serve(t, built, dir, nil)
	gate := func(command string) (string, error) {
		answer, err := s.Call("hydra/shell/gate", map[string]any{
			"command": command, "cwd": dir, "boundary": map[string]any{"readRoots": []string{"/"}}, "env": map[string]string{"HOME": dir},
			"_meta": map[string]any{"dev.hydra-harness/deadlineMs": 200},
		})
		return string(answer), err
	}
	_, err := gate("cat " + dead + "/x")
	assert.ErrorContains(t, err, "was given up")
	answer, err := gate("cat a.txt")
	require.NoError(t, err)
	assert.Contains(t, answer, `{"decision":"allow"`)
}

// Rule: a folder of saved results that never answers costs a save, not the
// result.
func TestASpillFolderThatNeverAnswers(t *testing.T) {
	dead := hung(t)
	dir := tree(t, "a.txt", "b.txt")
	s := serve(t, built, dir, map[string]any{"spillRoot": filepath.Join(dead, "spill"), "globMaxResults": 1})
	answer, err := s.Call("tools/call", map[string]any{
		"name": "glob", "arguments": map[string]any{"pattern": "*"}, "_meta": map[string]any{"dev.hydra-harness/owner": "me"},
	})
	require.NoError(t, err)
	assert.Contains(t, string(answer), "The complete result could not be saved, because the folder of saved results did not answer in time")
}

// Rule: the command is not held either: a signal ends it, a hook has its word within
// its time, and what does not look at the place is not asked to wait for it.
func TestTheCommandAndAPlaceThatNeverAnswers(t *testing.T) {
	dead := hung(t)
	dir := tree(t, "a.txt")
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{"gate", "--cwd", dir, "--root", "/", "cat " + dead + "/x"}, 3},
		{[]string{"gate", "--dialect", "codex", "--cwd", dir, "--root", "/"}, 2},
		{[]string{"spill", "list", "--root", dead + "/spill"}, 2},
		{[]string{"spill", "read", dead + "/spill/session-000000000000/000000000000-x"}, 2},
		{[]string{"grep", "--workdir", dead, "x"}, 2},
		{[]string{"grep", "--config", dead + "/config", "x"}, 2},
	} {
		cmd := exec.Command(built, c.args...)
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"cwd":%q,"tool_name":"Bash","tool_input":{"command":"cat %s/x"}}`, dir, dead))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Start())
		waitsFor(t, cmd.Process.Pid)
		require.NoError(t, cmd.Process.Signal(unix.SIGTERM))
		_ = cmd.Wait()
		assert.Equal(t, c.status, cmd.ProcessState.ExitCode(), "%v: %s", c.args, out.String())
	}
	// Where nothing there is looked at, nothing waits.
	out, err := exec.Command(built, "gate", "--cwd", dir, "--root", dir, "cat a.txt").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "ALLOW")
}

// waitsFor returns when a thread of the process waits for an answer of FUSE.
func waitsFor(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", pid))
		for _, thread := range threads {
			if where, _ := os.ReadFile(thread); bytes.Contains(where, []byte("fuse")) || bytes.Contains(where, []byte("request_wait_answer")) {
				return true
			}
		}
		return false
	}, 20*time.Second, 5*time.Millisecond)
}
