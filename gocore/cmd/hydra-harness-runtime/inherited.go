package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// keepInherited keeps descriptors that a careless parent has left open in this
// process: a sidecar that inherited them in turn would hold its locks and pipes.
func keepInherited() {
	const firstOther = 3 // behind the standard streams
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return // there is no other way to see them; they are the parent's fault
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd >= firstOther {
			unix.CloseOnExec(fd)
		}
	}
}
