package life

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/tests/internal/live"
)

// Rule: the sidecar dies with the runtime, also when that is SIGKILLed.
func TestASIGKILLedServerLeavesNoSidecar(t *testing.T) {
	for name, tc := range map[string]struct {
		runtime func(t *testing.T) string
		call    map[string]any
	}{
		"ripgrep at work":        {func(*testing.T) string { return built }, search()},
		"a sidecar deaf to TERM": {func(t *testing.T) string { return install(t, deaf) }, needle()},
		"with a grandchild":      {func(t *testing.T) string { return install(t, hold) }, needle()},
	} {
		t.Run(name, func(t *testing.T) {
			path := tc.runtime(t)
			s := serve(t, path, endless(t), nil)
			_, _ = begin(t, s, "grep", tc.call)
			sidecars := 1
			if name == "with a grandchild" {
				sidecars = 2
			}
			pids := running(t, path+"-rg", sidecars)
			require.NoError(t, syscall.Kill(s.PID(), syscall.SIGKILL))
			if name == "with a grandchild" {
				// The kernel kills the child of the runtime, not that child's own.
				assert.Eventually(t, func() bool {
					left, err := live.Running(path + "-rg")
					return err == nil && len(left) == 1
				}, soon, tick)
				for _, pid := range pids {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
				return
			}
			gone(t, path+"-rg", soon)
		})
	}
}

// Rule: so it is when a person's command is killed.
func TestASIGKILLedCommandLeavesNoSidecar(t *testing.T) {
	cmd := exec.Command(built, "grep", "needle", hole)
	cmd.Dir = endless(t)
	require.NoError(t, cmd.Start())
	running(t, built+"-rg", 1)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	gone(t, built+"-rg", soon)
}

// Rule: TERM and the end of the input are heard while ripgrep works.
func TestARuntimeThatIsAskedToEndEndsWithItsSidecar(t *testing.T) {
	for name, ask := range map[string]func(s *live.Server) error{
		"TERM":             func(s *live.Server) error { return syscall.Kill(s.PID(), syscall.SIGTERM) },
		"INT":              func(s *live.Server) error { return syscall.Kill(s.PID(), syscall.SIGINT) },
		"end of the input": func(s *live.Server) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			path := install(t, deaf)
			s := serve(t, path, tree(t, "a"), nil)
			_, _ = begin(t, s, "grep", needle())
			running(t, path+"-rg", 1)
			require.NoError(t, ask(s))
			assert.NoError(t, s.Close())
			gone(t, path+"-rg", soon)
		})
	}
}

// Rule: two runtimes at once are nothing to each other: what happens to one does
// not reach the sidecar of the other.
func TestTwoRuntimesAtOnce(t *testing.T) {
	one, other := install(t, wait), install(t, wait)
	dir := tree(t, "a", "b")
	first, second := serve(t, one, dir, nil), serve(t, other, dir, nil)
	_, _ = begin(t, first, "grep", needle())
	_, answer := begin(t, second, "grep", needle())
	running(t, one+"-rg", 1)
	pids := running(t, other+"-rg", 1)
	require.NoError(t, syscall.Kill(first.PID(), syscall.SIGKILL))
	gone(t, one+"-rg", soon)
	still, err := live.Running(other + "-rg")
	require.NoError(t, err)
	assert.Equal(t, pids, still)
	require.NoError(t, os.WriteFile(other+"-rg.go", nil, 0o600))
	r := answered(t, answer)
	assert.Equal(t, "Found 2 matches\n\na\nLine 1: needle\n\nb\nLine 1: needle", r.Text())
}

// Rule: two runtimes of one installation give the same answers at once.
func TestTwoRuntimesOfOneInstallation(t *testing.T) {
	dir := tree(t, "a", "b", "c")
	servers := []*live.Server{serve(t, built, dir, nil), serve(t, built, dir, nil)}
	for range 20 {
		first, err := servers[0].Tool("grep", needle())
		require.NoError(t, err)
		_, greps := begin(t, servers[0], "grep", needle())
		_, globs := begin(t, servers[1], "glob", map[string]any{"pattern": "*"})
		assert.Equal(t, first.Text(), answered(t, greps).Text())
		assert.Equal(t, "a\nb\nc", answered(t, globs).Text())
	}
	gone(t, built+"-rg", patient)
}
