package ripgrep

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// What statfs says of a mount.
const noExecFlag, readOnlyFlag = unix.ST_NOEXEC, unix.ST_RDONLY

// changed is when anything of a file changed last.
func changed(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
