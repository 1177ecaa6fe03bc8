package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// watchProcess calls ended once the process is gone, also when it was gone
// before. The end of the input does not tell that: a forked worker of the
// client may hold it open.
func watchProcess(pid int, ended func()) error {
	kq, err := unix.Kqueue()
	if err != nil {
		return err
	}
	change := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&change, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	if _, err := unix.Kevent(kq, []unix.Kevent_t{change}, nil, nil); err != nil {
		unix.Close(kq)
		if errors.Is(err, unix.ESRCH) {
			ended()
			return nil
		}
		return err
	}
	go func() {
		defer unix.Close(kq)
		events := make([]unix.Kevent_t, 1)
		for {
			n, err := unix.Kevent(kq, nil, events, nil)
			if n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
				ended()
				return
			}
		}
	}()
	return nil
}
