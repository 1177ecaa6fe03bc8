package subprocess

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

func widenPipe(*os.File) {} // macOS sizes its pipes by itself

// awaitExit blocks until the process has ended and leaves it unreaped: a kqueue
// reports the exit without waiting for the process.
func awaitExit(pid int) {
	kq, err := unix.Kqueue()
	if err != nil {
		return // the caller's Wait blocks instead
	}
	defer unix.Close(kq)
	change := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&change, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	events := make([]unix.Kevent_t, 1)
	for {
		_, err := unix.Kevent(kq, []unix.Kevent_t{change}, events, nil)
		if err != unix.EINTR {
			return
		}
	}
}
