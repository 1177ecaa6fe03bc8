package life

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/tests/internal/live"
)

// files is how many files a search has to find for its answer to be whole.
const files = 200

// value asks for the complete value of a grep.
func value(t *testing.T, s *live.Server) (found, threads int) {
	t.Helper()
	text, err := s.Call("hydra/search/grep", needle())
	require.NoError(t, err)
	var v struct {
		Matches  []json.RawMessage
		Warnings []json.RawMessage
		Stats    struct{ Threads int }
	}
	require.NoError(t, json.Unmarshal(text, &v))
	assert.Empty(t, v.Warnings)
	return len(v.Matches), v.Stats.Threads
}

// as makes a process that is going to be started that of an ordinary user: no
// limit on processes binds root.
func as(uid int) *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
}

// nobody is a user that exists everywhere; loner one that nobody else is.
const nobody = 65534

func loner() int { return 1_000_000 + os.Getpid() }

// limitVariable makes the test binary set the limit on processes of another
// process, "PID LIMIT", and end.
const limitVariable = "LIFE_TEST_LIMIT"

func limit(order string) {
	var pid int
	var most uint64
	_, err := fmt.Sscan(order, &pid, &most)
	if err == nil {
		const hard = 1 << 14 // it is raised again
		err = unix.Prlimit(pid, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: hard}, nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func crowd(t *testing.T) string {
	t.Helper()
	if runtime.NumCPU() == 1 {
		t.Skip("with one processor ripgrep starts no threads")
	}
	var names []string
	for i := range files {
		names = append(names, fmt.Sprintf("f%03d", i))
	}
	return tree(t, names...)
}

// Rule: ripgrep that gets no threads (it reports a panic and hangs) is stopped
// and run once more with one; the answer is whole.
func TestRipgrepThatGetsNoThreads(t *testing.T) {
	path := install(t, crowded)
	cmd := command(t, path, crowd(t), nil)
	cmd.SysProcAttr = as(nobody)
	s := start(t, cmd)
	for range 3 {
		found, threads := value(t, s)
		assert.Equal(t, files, found)
		assert.Equal(t, 1, threads)
	}
	gone(t, path+"-rg.real", patient)
}

// Rule: so it is when the whole runtime is at its limit.
func TestARuntimeAtItsLimitOfProcesses(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to be a user of whom no other process runs")
	}
	cmd := command(t, built, crowd(t), nil)
	cmd.SysProcAttr = as(loner())
	s := start(t, cmd)
	found, threads := value(t, s)
	require.Equal(t, files, found)
	require.Greater(t, threads, 1)
	// More at once than later, so that the runtime has all of its own threads.
	var calls []func() (json.RawMessage, error)
	for range 32 {
		_, call := begin(t, s, "grep", needle())
		calls = append(calls, call)
	}
	for _, call := range calls {
		require.False(t, answered(t, call).IsError)
	}
	gone(t, built+"-rg", patient)
	own, err := live.Status(s.PID(), "Threads")
	require.NoError(t, err)
	self := filepath.Join(open(t), "limiter")
	executable, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(executable)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(self, text, 0o755))
	for _, spare := range []int{1, 2} { // no thread at all, or too few
		limiter := exec.Command(self)
		limiter.SysProcAttr = as(loner()) // who may limit its own processes
		limiter.Env = []string{fmt.Sprintf("%s=%d %d", limitVariable, s.PID(), own+spare)}
		out, err := limiter.CombinedOutput()
		require.NoError(t, err, "%s", out)
		found, threads := value(t, s)
		assert.Equal(t, files, found)
		assert.Equal(t, 1, threads, "with room for %d", spare)
	}
}
