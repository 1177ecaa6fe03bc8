package ripgrep

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// What statfs says of a mount.
const noExecFlag, readOnlyFlag = unix.MNT_NOEXEC, unix.MNT_RDONLY

// changed is when anything of a file changed last.
func changed(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
