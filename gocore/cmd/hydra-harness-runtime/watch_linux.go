package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// watchProcess calls ended once the process is gone, also when it was gone
// before. The end of the input does not tell that: a forked worker of the
// client may hold it open.
func watchProcess(pid int, ended func()) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		ended()
		return nil
	}
	if err != nil {
		return err
	}
	go func() {
		defer unix.Close(fd)
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
				ended()
				return
			}
		}
	}()
	return nil
}
