package ripgrep

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func mountOf(path string) mount {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return mount{}
	}
	return mount{noExec: st.Flags&unix.ST_NOEXEC != 0, readOnly: st.Flags&unix.ST_RDONLY != 0}
}

// changed is when anything of a file changed last.
func changed(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
