package coretest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user that tests about permissions run as.
const nobody = 65534

// nobodyVariable marks a test binary that AsNobody has started.
const nobodyVariable = "HYDRA_TEST_AS_NOBODY"

// AsNobody makes sure that a test runs as a user whom permissions bind. As root
// it runs the test once more in a process of such a user, passes or fails with
// it, and returns false: the caller then returns. Otherwise it returns true.
//
//	if !coretest.AsNobody(t) {
//		return
//	}
func AsNobody(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return true
	}
	if os.Getenv(nobodyVariable) != "" {
		t.Fatal("the process that was started for an unprivileged user is root")
	}
	// The go command builds test binaries where only its own user can go.
	dir, err := os.MkdirTemp("", "hydra-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, rg := filepath.Join(dir, "test"), filepath.Join(dir, "rg")
	scratch := filepath.Join(dir, "tmp")
	for _, step := range []func() error{
		func() error { return os.Chmod(dir, 0o755) },
		func() error { return copyExecutable(self, binary) },
		func() error { return copyExecutable(Ripgrep(t), rg) },
		func() error { return os.Mkdir(scratch, 0o700) },
		func() error { return os.Chown(scratch, nobody, nobody) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	var name []string // "/" separates levels in -test.run
	for level := range strings.SplitSeq(t.Name(), "/") {
		name = append(name, "^"+regexp.QuoteMeta(level)+"$")
	}
	cmd := exec.Command(binary, "-test.run="+strings.Join(name, "/"), "-test.v")
	cmd.Dir = scratch
	cmd.Env = append(os.Environ(), nobodyVariable+"=1", RipgrepVariable+"="+rg, "TMPDIR="+scratch, "HOME="+scratch)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("as an unprivileged user: %v\n%s", err, out.String())
	}
	if !strings.Contains(out.String(), "--- PASS: "+t.Name()) {
		t.Fatalf("as an unprivileged user the test did not run:\n%s", out.String())
	}
	return false
}

func copyExecutable(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return out.Close()
}

// Lock takes all permissions off a path until the test ends, so that its
// scratch directory can be removed.
func Lock(t testing.TB, path string, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, info.Mode().Perm()) })
}
