package search

import "golang.org/x/sys/unix"

// openFolder opens a directory to name files in it. One that may be entered but
// not read refuses; its files are then named from further up.
const openFolder = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
