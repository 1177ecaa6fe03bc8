package search

import "golang.org/x/sys/unix"

// openFolder opens a directory just to name files in it: no more right is needed
// than for a path through it.
const openFolder = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
