package subprocess

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeBytes is the pipe capacity that is asked for: the largest that Linux
// grants without privilege (fs.pipe-max-size). A listing of 100,000 names then
// wakes the reader a few times instead of hundreds.
const pipeBytes = 1 << 20

func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// widenPipe enlarges a pipe; a refusal costs speed only.
func widenPipe(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes)
		})
	}
}

// awaitExit blocks until the process has ended and leaves it unreaped.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}
