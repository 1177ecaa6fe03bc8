package index

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is how much the making of an index steps back behind everything else.
const niceness = 10

// background gives the calling goroutine a thread of its own that gives way to
// others. The thread ends with the goroutine: it could not be made quick again.
func background() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // as it is, then
}
