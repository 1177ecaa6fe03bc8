package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// build returns a directory that holds the command as it is installed: the
// executable and its sidecar.
func build(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-ldflags=-X main.version=1.2.3", "-o", filepath.Join(dir, "hydra-harness-runtime"), ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	rg, err := os.ReadFile(coretest.Ripgrep(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hydra-harness-runtime-rg"), rg, 0o755))
	return dir
}

// TestScripts runs the command as a person would. The environment has no other
// rg, and a configuration of ripgrep that would spoil every search.
func TestScripts(t *testing.T) {
	dir := build(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", dir+":/usr/bin:/bin")
			env.Setenv("INSTALLED", dir)
			env.Setenv("RIPGREP_CONFIG_PATH", filepath.Join(env.WorkDir, "hostile.rc"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			return os.WriteFile(filepath.Join(env.WorkDir, "hostile.rc"), []byte("--files-without-match\n--max-depth=1\n"), 0o600)
		},
		Condition: func(cond string) (bool, error) {
			if cond != "sandbox" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			said, err := exec.Command(filepath.Join(dir, "hydra-harness-runtime"), "confine", "--probe").Output()
			return strings.Contains(string(said), `"level":"ns"`), err
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
