package life

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const timeout, grace = time.Second, time.Second

// slack is what a machine under load may need on top of a bound.
const slack = time.Second

func bounds() map[string]any {
	return map[string]any{"timeoutMs": timeout.Milliseconds(), "graceMs": grace.Milliseconds()}
}

// timedOut asserts that a call ended as one does whose time is over.
func timedOut(t *testing.T, call func() (json.RawMessage, error), began time.Time) {
	t.Helper()
	r := answered(t, call)
	took := time.Since(began)
	assert.True(t, r.IsError)
	assert.Equal(t, "SEARCH_ABORTED", r.Meta.Error.Code)
	assert.JSONEq(t, `"timeout"`, string(detail(t, r.Meta.Error.Details, "reason")))
	assert.GreaterOrEqual(t, took, timeout)
	assert.Less(t, took, timeout+grace+slack)
}

func detail(t *testing.T, details json.RawMessage, key string) json.RawMessage {
	t.Helper()
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(details, &all))
	return all[key]
}

// Rule: a call returns within its timeout and the grace, whatever the sidecar
// does, and takes with it what it can.
func TestStubbornSidecars(t *testing.T) {
	for behaviour, left := range map[string]int{deaf: 0, hold: 0, escape: 1} {
		t.Run(behaviour, func(t *testing.T) {
			path := install(t, behaviour)
			s := serve(t, path, tree(t, "a"), bounds())
			began := time.Now()
			_, call := begin(t, s, "grep", needle())
			if behaviour != deaf {
				running(t, path+"-rg", 2)
			}
			timedOut(t, call, began)
			for _, pid := range running(t, path+"-rg", left) {
				require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			}
			gone(t, path+"-rg", patient)
		})
	}
}

// freezer is where control groups of version 1 freeze processes: a frozen one
// takes no signal, not even KILL.
const freezer = "/sys/fs/cgroup/freezer"

// Rule: so it does when the sidecar cannot be killed, and the runtime goes on.
func TestAnUnkillableSidecar(t *testing.T) {
	group := filepath.Join(freezer, fmt.Sprintf("hydra-life-%d", os.Getpid()))
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skipf("processes can be frozen neither here nor otherwise be made immune to KILL: %v (gocore/subprocess tests it with signals that are not sent)", err)
	}
	t.Cleanup(func() {
		assert.Eventually(t, func() bool { return os.Remove(group) == nil }, patient, tick)
	})
	set := func(file, value string) {
		require.NoError(t, os.WriteFile(filepath.Join(group, file), []byte(value), 0))
	}
	path := install(t, deaf)
	s := serve(t, path, tree(t, "a"), bounds())
	began := time.Now()
	_, call := begin(t, s, "grep", needle())
	sidecar := running(t, path+"-rg", 1)[0]
	set("cgroup.procs", fmt.Sprint(sidecar))
	set("freezer.state", "FROZEN")
	thaw := func() { set("freezer.state", "THAWED") }
	t.Cleanup(thaw)
	timedOut(t, call, began)

	// It is still there, and nobody waits for it.
	assert.Equal(t, []int{sidecar}, running(t, path+"-rg", 1))
	require.NoError(t, os.WriteFile(path+"-rg.does", []byte(describe), 0o644))
	r, err := s.Tool("grep", needle())
	require.NoError(t, err)
	assert.Equal(t, "Found 1 match\n\na\nLine 1: needle", r.Text())

	// Once it can die it does, and is taken leave of.
	thaw()
	gone(t, path+"-rg", patient)
	assert.Eventually(t, func() bool { return len(childrenOf(t, s)) == 0 }, patient, tick)
}
