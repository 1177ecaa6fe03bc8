package life

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Behaviours of a stand-in. Files beside it, named after it, tell and ask.
const (
	deaf     = "deaf"     // ignores TERM and blocks
	hold     = "hold"     // as deaf, and a grandchild holds its pipes
	escape   = "escape"   // as hold, and the grandchild has left the group
	describe = "describe" // writes what it was given, then is ripgrep
	wait     = "wait"     // blocks until the file .go is there, then is ripgrep
	crowded  = "crowded"  // is ripgrep under a limit of one process
	bare     = "bare"     // the grandchild of hold and escape: blocks
)

// standIn behaves as the file beside it says, and ends the process.
func standIn(self string) {
	behaviour, err := os.ReadFile(self + ".does")
	if len(os.Args) == 2 && os.Args[1] == bare {
		behaviour, err = []byte(bare), nil
	}
	if err == nil {
		err = behave(self, string(behaviour))
	}
	fmt.Fprintln(os.Stderr, "the stand-in fails:", err)
	os.Exit(99)
}

func behave(self, behaviour string) error {
	switch behaviour {
	case bare:
		block()
	case deaf, hold, escape:
		signal.Ignore(syscall.SIGTERM)
		if behaviour != deaf {
			child := exec.Command(self, bare)
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
			child.SysProcAttr = &syscall.SysProcAttr{Setsid: behaviour == escape}
			if err := child.Start(); err != nil {
				return err
			}
		}
		block()
	case describe:
		if err := describeMyself(self); err != nil {
			return err
		}
	case wait:
		for {
			if _, err := os.Stat(self + ".go"); err == nil {
				break
			}
			time.Sleep(tick) // it polls: nothing else reaches it
		}
	case crowded:
		if err := syscall.Setrlimit(unix.RLIMIT_NPROC, &syscall.Rlimit{Cur: 1, Max: 1}); err != nil {
			return err
		}
	default:
		return errors.New("it does not know " + behaviour)
	}
	return syscall.Exec(self+".real", os.Args, os.Environ())
}

// block waits for a signal that ends the process.
func block() {
	for {
		_ = syscall.Pause()
	}
}

// describeMyself writes the environment and what is open, one in a line.
func describeMyself(self string) error {
	if err := os.WriteFile(self+".environ", []byte(strings.Join(os.Environ(), "\n")), 0o600); err != nil {
		return err
	}
	var open strings.Builder
	for fd := range 64 {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue // it is not open, or it is this process that opened it
		}
		target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err != nil {
			return err
		}
		kind, _, _ := strings.Cut(target, ":[") // pipe:[12345]
		fmt.Fprintf(&open, "%d %s\n", fd, kind)
	}
	fmt.Fprintf(&open, "group leader: %t\n", syscall.Getpgrp() == os.Getpid())
	return os.WriteFile(self+".open", []byte(open.String()), 0o600)
}
