package subprocess

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeBytes is how large macOS lets a pipe grow by itself.
const pipeBytes = 64 << 10

// hasDeathSignal tells that the system ends children with their parent.
const hasDeathSignal = false

func dieWithParent(*syscall.SysProcAttr) {}

func limitData(int, int64) {} // no limit of another process can be set

// newPipe makes a pipe that no child inherits by itself: the lock keeps others
// from forking before it is marked.
func newPipe() (read, write int, err error) {
	var ends [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(ends[:]); err != nil {
		return -1, -1, err
	}
	unix.CloseOnExec(ends[0])
	unix.CloseOnExec(ends[1])
	return ends[0], ends[1], nil
}

func widenPipe(int) bool { return false }

// awaitExit blocks until the process has ended and leaves it unreaped: a kqueue
// reports the exit without waiting for the process.
func awaitExit(pid int) error {
	kq, err := unix.Kqueue()
	if err != nil {
		return err
	}
	defer unix.Close(kq)
	change := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&change, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	events := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(kq, []unix.Kevent_t{change}, events, nil)
		if err == nil && n > 0 && events[0].Flags&unix.EV_ERROR != 0 {
			err = unix.Errno(events[0].Data)
		}
		switch err {
		case unix.EINTR:
		case unix.ESRCH:
			return nil // it has ended already: a zombie takes no event
		default:
			return err
		}
	}
}
