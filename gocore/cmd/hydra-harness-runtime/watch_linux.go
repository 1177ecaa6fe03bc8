package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// watchProcess calls ended once the process is gone, also when it was gone
// before. The end of the input does not tell that: a forked worker of the
// client may hold it open.
func watchProcess(pid int, ended func()) error {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		ended()
		return nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		return pollProcess(pid, ended)
	case err != nil:
		return err
	}
	go func() {
		defer unix.Close(fd)
		await(fd, unix.POLLIN)
		ended()
	}()
	return nil
}

// processEvery is how often a process is looked for where the system (before
// Linux 5.3, or a strict container) gives no descriptor of it.
const processEvery = 200 * time.Millisecond

func pollProcess(pid int, ended func()) error {
	if pid <= 0 {
		return unix.EINVAL
	}
	began := startTime(pid)
	if began == "" {
		ended()
		return nil
	}
	go func() {
		for startTime(pid) == began {
			time.Sleep(processEvery)
		}
		ended()
	}()
	return nil
}

// startTime identifies the process of a pid: "" when it has ended, and another
// when the pid has been given away.
func startTime(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name, in parentheses, may hold anything; state is the first field
	// behind it and the start time the twentieth.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const state, start = 0, 19
	if len(fields) <= start || fields[state][0] == 'Z' {
		return ""
	}
	return string(fields[start])
}

// watchHangup calls ended once nobody can write to the stream any more, also
// when there is still something to be read from it.
func watchHangup(fd int, ended func()) {
	go func() {
		await(fd, unix.POLLRDHUP)
		ended()
	}()
}

// await returns when poll reports one of the events, a hang-up or an error.
func await(fd int, events int16) {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, -1)
		if n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
