package fresh

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// trusted are the file systems that send an event for every change which goes
// through a name, by the numbers that statfs gives them. Others may (NFS: another
// machine writes; FUSE, 9p: the server does; overlay: the lower layer does).
var trusted = map[int64]string{
	unix.EXT4_SUPER_MAGIC:  "ext4",
	unix.XFS_SUPER_MAGIC:   "xfs",
	unix.BTRFS_SUPER_MAGIC: "btrfs",
	unix.TMPFS_MAGIC:       "tmpfs",
	unix.F2FS_SUPER_MAGIC:  "f2fs",
	zfsMagic:               "zfs",
}

// zfsMagic is ZFS_SUPER_MAGIC, which is not in the kernel's own headers.
const zfsMagic = 0x2fc12fc1

// mountTableChanged reports whether something was mounted or unmounted since it
// was asked last with this descriptor of the table.
func mountTableChanged(table int) bool {
	p := []unix.PollFd{{Fd: int32(table), Events: unix.POLLPRI}}
	n, err := unix.Poll(p, 0)
	return err != nil || n > 0 && p[0].Revents&(unix.POLLPRI|unix.POLLERR) != 0
}

// mountsBeneath describes the mount that a directory lies in and those beneath it.
// One of a file system that is not trusted is a reason not to watch.
func mountsBeneath(root string) (description string, lost Lost) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", Platform
	}
	var found []string
	above := ""
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		at := unescapeMount(fields[4])
		is := fields[0] + " " + fields[2] + " " + at
		switch {
		case at == root, at == "/", strings.HasPrefix(root, at+"/"):
			above = is // the last one that leads to the root covers those before it
		case root == "/", strings.HasPrefix(at, root+"/"):
			if !trustedAt(at) {
				return "", Filesystem
			}
			found = append(found, is)
		}
	}
	if !trustedAt(root) {
		return "", Filesystem
	}
	slices.Sort(found)
	return strings.Join(append(found, above), "\n"), ""
}

func trustedAt(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	_, ok := trusted[int64(uint32(st.Type))] // some numbers have their highest bit set
	return ok
}

// unescapeMount reads the octal escapes of the mount table.
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+4 <= len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// halfOfWatches is half of what the system allows a user: other programs of his
// watch, too.
func halfOfWatches() int {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return 0
	}
	var n int
	if _, err := fmt.Sscan(string(text), &n); err != nil {
		return 0
	}
	return n / 2
}
