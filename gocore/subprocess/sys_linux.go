package subprocess

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeBytes is the pipe capacity that is asked for: the largest that Linux
// grants without privilege (fs.pipe-max-size).
const pipeBytes = 1 << 20

// hasDeathSignal tells that the system ends children with their parent.
const hasDeathSignal = true

// dieWithParent lets the system kill the child when this process ends. The
// child of a parent that ends before this takes effect kills itself.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// limitData bounds the private writable memory of a child that has just begun.
// The limit is a guard against the worst, so that a system which refuses it is
// no reason not to search.
func limitData(pid int, bytes int64) {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

// newPipe makes a pipe that no child inherits by itself.
func newPipe() (read, write int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	return ends[0], ends[1], nil
}

// widenPipe enlarges a pipe and reports whether it could: a user may have so
// much in wide pipes, beyond which a new one stays as it is.
func widenPipe(fd int) bool {
	size, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeBytes)
	return err == nil && size >= pipeBytes
}

// awaitExit blocks until the process has ended and leaves it unreaped.
func awaitExit(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err
		}
	}
}
