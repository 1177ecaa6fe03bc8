package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// watchProcess calls ended once the process is gone, also when it was gone
// before. The end of the input does not tell that: a forked worker of the
// client may hold it open.
func watchProcess(pid int, ended func()) error {
	change := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&change, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	err := await(change, func(unix.Kevent_t) bool { return true }, ended)
	if errors.Is(err, unix.ESRCH) {
		ended()
		return nil
	}
	return err
}

// watchHangup calls ended once nobody can write to the stream any more, also
// when there is still something to be read from it.
func watchHangup(fd int, ended func()) {
	var change unix.Kevent_t
	unix.SetKevent(&change, fd, unix.EVFILT_READ, unix.EV_ADD|unix.EV_CLEAR)
	// What cannot be watched, such as a file, does not hang up.
	_ = await(change, func(event unix.Kevent_t) bool { return event.Flags&unix.EV_EOF != 0 }, ended)
}

// await calls ended when an event has come for which last reports true.
func await(change unix.Kevent_t, last func(unix.Kevent_t) bool, ended func()) error {
	kq, err := unix.Kqueue()
	if err != nil {
		return err
	}
	if _, err := unix.Kevent(kq, []unix.Kevent_t{change}, nil, nil); err != nil {
		unix.Close(kq)
		return err
	}
	go func() {
		defer unix.Close(kq)
		events := make([]unix.Kevent_t, 1)
		for {
			n, err := unix.Kevent(kq, nil, events, nil)
			if n > 0 && last(events[0]) || err != nil && !errors.Is(err, unix.EINTR) {
				ended()
				return
			}
		}
	}()
	return nil
}
