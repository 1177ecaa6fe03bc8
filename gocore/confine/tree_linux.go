package confine

import (
	"os"

	"golang.org/x/sys/unix"
)

func (HostTree) Owner(path string) (uint32, bool) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return 0, false
	}
	return st.Uid, true
}

// Unheld: the inodes of 9P are made anew for each open, so that no rule of
// Landlock is found again. WSL mounts the drives of Windows so.
func (HostTree) Unheld(path string) string {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) == nil && int64(st.Type) == unix.V9FS_MAGIC {
		return "9P"
	}
	return ""
}

// openPlain opens a file that may be anybody's work: a FIFO does not hold us.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}
