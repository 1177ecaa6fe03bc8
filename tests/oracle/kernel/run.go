//go:build linux

// Package kernel runs command lines under strace and says what they touched
// beyond their bounds.
package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/oracle"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

// calls are the system calls that open, list, make, change, remove or run
// something by name, and those that change what a descriptor leads to. Not every
// machine and every strace has all of them.
const calls = "trace=?open,openat,?openat2,?creat,getdents64,chdir,fchdir,execve,?execveat,?rename,renameat,renameat2," +
	"?unlink,unlinkat,?rmdir,?mkdir,mkdirat,?mknod,mknodat,?symlink,symlinkat,?link,linkat,truncate,ftruncate," +
	"?chmod,fchmod,fchmodat,?fchmodat2,?chown,?lchown,fchown,fchownat,utimensat,?utime,?utimes,?futimesat"

// Patience is how long a command line may run. Those that are made here take
// milliseconds, or wait for something that never comes.
const Patience = 2 * time.Second

// Runner starts command lines. Each one has process numbers of its own, so that
// what it leaves behind ends with it and what it kills is its own.
type Runner struct {
	// Traces is a directory for what strace writes.
	Traces string
}

// Ran is what became of a command line.
type Ran struct {
	Seen *truth.Seen
	// Late says that it was ended after its time.
	Late bool
	// Clean says that it changed nothing at all.
	Clean bool
}

// Run runs argv in a world.
func (r *Runner) Run(w *world.World, argv []string, cwd string, env map[string]string, patience time.Duration) (*Ran, error) {
	if err := world.Clean(r.Traces); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	args := append([]string{"-f", "-ff", "--seccomp-bpf", "-qq", "-y", "-s", "8192", "-e", "signal=none", "-e", calls, "-o", r.Traces + "/t"}, argv...)
	cmd := exec.CommandContext(ctx, "strace", args...)
	cmd.Dir = cwd
	cmd.Env = make([]string, 0, len(env))
	for name, v := range env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Setsid: true}
	said, err := os.Create(r.Traces + "/said") // a file, since some commands say very much
	if err != nil {
		return nil, err
	}
	cmd.Stderr = said
	err = cmd.Run()
	said.Close()
	late := ctx.Err() != nil
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("strace: %w", err)
	}
	files, err := filepath.Glob(r.Traces + "/t.*")
	if err != nil || len(files) == 0 {
		text, _ := os.ReadFile(said.Name())
		return nil, fmt.Errorf("strace left no trace of %.200q: %.300s", argv, text)
	}
	seen, err := oracle.Reader{Base: w.Base, Start: cwd, Links: w.Links, Left: Left, Listed: true}.Read(files)
	if err != nil {
		return nil, err
	}
	// /dev/stderr by name is that file.
	seen.Writes = slices.DeleteFunc(seen.Writes, func(p truth.Text) bool { return string(p) == said.Name() })
	return &Ran{Seen: seen, Late: late, Clean: !late && len(seen.Writes) == 0}, nil
}

// Shell is how a shell is started for a text.
func Shell(shell, text string) []string {
	switch shell {
	case "dash":
		return []string{"/bin/dash", "-c", text}
	case "sh-bash":
		return []string{"/bin/bash", "--posix", "--norc", "--noprofile", "-c", text}
	}
	return []string{"/bin/bash", "--norc", "--noprofile", "-c", text}
}

// Several is a command line that runs texts one after the other, each in a shell
// of its own.
func Several(shell string, texts []string) []string {
	one := Shell(shell, "")
	loop := `for t do `
	for _, a := range one[:len(one)-1] {
		loop += a + " "
	}
	return append([]string{"/bin/dash", "-c", loop + `"$t"; done`, "several"}, texts...)
}
