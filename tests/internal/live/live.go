// Package live builds the runtime and talks to one that runs, for tests and
// measurements that need the real process: signals, descriptors, memory, time.
package live

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	// RipgrepVariable names a sidecar to use instead of the fetched one.
	RipgrepVariable = "HYDRA_TEST_RG"
	// Name is the file name of the runtime.
	Name = "hydra-harness-runtime"
	// command is the package that it is built from.
	command = "./gocore/cmd/hydra-harness-runtime"
)

// Ripgrep returns the pinned sidecar, fetched on first use.
func Ripgrep() (string, error) {
	if path := os.Getenv(RipgrepVariable); path != "" {
		return filepath.Abs(path)
	}
	root, err := Module()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache", "rg")
	path := filepath.Join(dir, Name+"-rg")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, run(root, "fetch the pinned ripgrep", "go", "run", "./tools/fetch-rg", "--out", dir)
}

// Module returns the folder of the repository.
func Module() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Build puts the runtime into dir, as a release is built, with a copy of the
// sidecar beside it, and returns its path. Every user may run both.
func Build(dir string) (string, error) {
	root, err := Module()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, Name)
	if err := run(root, "build the runtime", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, command); err != nil {
		return "", err
	}
	rg, err := Ripgrep()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(rg)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path+"-rg", text, 0o755); err != nil {
		return "", err
	}
	for _, p := range []string{path, path + "-rg"} {
		if err := os.Chmod(p, 0o755); err != nil { // whatever the umask
			return "", err
		}
	}
	return path, nil
}

func run(dir, what, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", what, err, out)
	}
	return nil
}
