package life

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/tests/internal/live"
)

// soon is how long the kernel may take to do what it does at once. It is what
// the tests of a killed runtime promise; others have more.
const (
	soon    = time.Second
	patient = 20 * time.Second // for a machine under load
	tick    = time.Millisecond
)

// built is the runtime with the pinned ripgrep, for every test.
var built string

func TestMain(m *testing.M) {
	if strings.HasSuffix(os.Args[0], "-rg") {
		standIn(os.Args[0])
	}
	if order := os.Getenv(limitVariable); order != "" {
		limit(order)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hydra-life-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Chmod(dir, 0o755) // other users run it too
	}
	if err == nil {
		built, err = live.Build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// install puts the runtime into a folder of its own, with a stand-in for the
// sidecar that behaves as named, and returns its path.
func install(t *testing.T, behaviour string) string {
	t.Helper()
	dir := open(t)
	path := filepath.Join(dir, live.Name)
	require.NoError(t, os.Link(built, path))
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path+"-rg", text, 0o755))
	require.NoError(t, os.WriteFile(path+"-rg.does", []byte(behaviour), 0o644))
	require.NoError(t, os.Link(built+"-rg", path+"-rg.real"))
	return path
}

// open makes a folder that every user can enter. It lies beside the runtime, so
// that files can be linked.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(built), "test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// tree makes files, each with the line "needle", and returns their folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := open(t)
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("needle\n"), 0o644))
	}
	return dir
}

// hole is a file that takes ripgrep hours to search when it is named as the path:
// it is huge, and nothing is in it. (In a walk it is binary at its first byte.)
const hole = "hole"

// endless makes a tree with that file.
func endless(t *testing.T) string {
	t.Helper()
	dir := open(t)
	file, err := os.Create(filepath.Join(dir, hole))
	require.NoError(t, err)
	defer file.Close()
	for size := int64(1) << 44; ; size >>= 1 { // file systems have their limits
		if err = file.Truncate(size); err == nil {
			return dir
		}
		require.Greater(t, size, int64(1)<<38, "%v", err)
	}
}

// serve starts a runtime for a tree. Settings override the defaults.
func serve(t *testing.T, path, workdir string, settings map[string]any) *live.Server {
	t.Helper()
	return start(t, command(t, path, workdir, settings))
}

func command(t *testing.T, path, workdir string, settings map[string]any) *exec.Cmd {
	t.Helper()
	all := map[string]any{"sampleOverCapGlobResults": true, "spillRoot": filepath.Join(open(t), "spill")}
	for key, value := range settings {
		all[key] = value
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	config := filepath.Join(open(t), "config.json")
	require.NoError(t, os.WriteFile(config, text, 0o644))
	cmd := exec.Command(path, "serve", "--workdir", workdir, "--config", config, "--log-level", "error")
	cmd.Dir, cmd.Env = workdir, []string{"PATH=/usr/bin:/bin", "HOME=" + workdir}
	return cmd
}

func start(t *testing.T, cmd *exec.Cmd) *live.Server {
	t.Helper()
	s, err := live.Start(cmd)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// needle are the arguments of a grep for it.
func needle() map[string]any { return map[string]any{"pattern": "needle"} }

// search are the arguments of a grep that does not end.
func search() map[string]any { return map[string]any{"pattern": "needle", "path": hole} }

// running waits until so many processes run an executable, and returns them.
func running(t *testing.T, path string, n int) []int {
	t.Helper()
	var pids []int
	require.Eventually(t, func() bool {
		var err error
		pids, err = live.Running(path)
		return err == nil && len(pids) == n
	}, patient, tick, "%d processes should run %s", n, path)
	return pids
}

// gone asserts that within a time nothing runs an executable any more.
func gone(t *testing.T, path string, limit time.Duration) {
	t.Helper()
	assert.Eventually(t, func() bool {
		pids, err := live.Running(path)
		return err == nil && len(pids) == 0
	}, limit, tick, "nothing should run %s", path)
}

// answered waits for the answer of a tool call.
func answered(t *testing.T, wait func() (json.RawMessage, error)) *live.ToolResult {
	t.Helper()
	text, err := wait()
	require.NoError(t, err)
	var r live.ToolResult
	require.NoError(t, json.Unmarshal(text, &r))
	return &r
}

// begin starts a tool call.
func begin(t *testing.T, s *live.Server, name string, arguments map[string]any) (id int64, wait func() (json.RawMessage, error)) {
	t.Helper()
	id, wait, err := s.Begin("tools/call", map[string]any{"name": name, "arguments": arguments})
	require.NoError(t, err)
	return id, wait
}
