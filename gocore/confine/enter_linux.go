package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Enter puts the plan's rules on this thread and on all that it starts from now
// on: the caller has locked the goroutine to it and never unlocks. After an
// error the thread may be half confined, and must start nothing.
func Enter(p *Plan) error { return enter(p, trial{p}.step) }

func enter(p *Plan, step func(string) error) error {
	if err := step("capabilities"); err != nil {
		return err
	}
	if err := dropCapabilities(p.FileRights); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := step("landlock"); err != nil {
		return err
	}
	if err := restrict(p); err != nil {
		return err
	}
	if err := step("descriptors"); err != nil {
		return err
	}
	const firstOther = 3 // behind the standard streams
	if err := unix.CloseRange(firstOther, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close_range: %w", err)
	}
	if err := step("seccomp"); err != nil {
		return err
	}
	if err := install(filter(p, thisMachine)); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

func install(program []instruction) error {
	fp := unix.SockFprog{Len: uint16(len(program)), Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0]))}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fp))); errno != 0 {
		return errno
	}
	return nil
}

// fileCapabilities are root's rights over the files of others.
const fileCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID

// dropCapabilities leaves nothing, or root's rights over files. The bounding set
// goes, too, as far as this process may: no_new_privs keeps the rest from
// coming back.
func dropCapabilities(fileRights bool) error {
	var keep uint32
	if fileRights {
		keep = fileCapabilities
	}
	for c := range 64 {
		if c < 32 && keep&(1<<c) != 0 {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // the last one that this kernel has
		}
		if err != nil && !errors.Is(err, unix.EPERM) {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have, left [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err != nil {
		return err
	}
	left[0].Permitted = keep & have[0].Permitted
	left[0].Effective = left[0].Permitted
	return unix.Capset(&header, &left[0])
}

// trial makes steps fail, in tests.
type trial struct{ plan *Plan }

func (t trial) step(name string) error {
	if t.plan.Trial == nil {
		return nil
	}
	if t.plan.Trial.Kill == name {
		_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
	}
	if t.plan.Trial.Fail == name {
		return fmt.Errorf("step %s fails in this trial", name)
	}
	return nil
}

// Steps are the names that a Trial knows, in the order they are taken at LevelNS.
// LevelLL takes those from "capabilities" on.
var Steps = []string{
	"private", "readonly", "terminals", "guards", "masks", "loopback", "cwd",
	"capabilities", "landlock", "descriptors", "seccomp", "exec",
}
