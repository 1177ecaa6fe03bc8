package coretest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// RipgrepVariable names a sidecar to test with instead of the fetched one.
const RipgrepVariable = "HYDRA_TEST_RG"

// SidecarName is the file name of the sidecar beside its runtime.
const SidecarName = "hydra-harness-runtime-rg"

// Ripgrep returns the path of the pinned ripgrep, fetched on first use.
func Ripgrep(t testing.TB) string {
	t.Helper()
	path, err := FindRipgrep()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Runtime returns the path of a runtime that need not exist, beside which the
// pinned ripgrep lies as its sidecar.
func Runtime(t testing.TB) string {
	t.Helper()
	runtimePath := filepath.Join(t.TempDir(), "hydra-harness-runtime")
	if err := os.Symlink(Ripgrep(t), runtimePath+"-rg"); err != nil {
		t.Fatal(err)
	}
	return runtimePath
}

// FindRipgrep is Ripgrep for programs that are not tests.
func FindRipgrep() (string, error) {
	if path := os.Getenv(RipgrepVariable); path != "" {
		return path, nil
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache", "rg")
	path := filepath.Join(dir, SidecarName)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	fetch := exec.Command("go", "run", "./tools/fetch-rg", "--out", dir)
	fetch.Dir = root
	if out, err := fetch.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch the pinned ripgrep: %w\n%s", err, out)
	}
	return path, nil
}

// startDir is where the test began: a test may work elsewhere since.
var startDir, startErr = os.Getwd()

func moduleRoot() (string, error) {
	dir, err := startDir, startErr
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the working directory: run inside the repository")
		}
		dir = parent
	}
}
