package fresh

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// direntBytes is how much of a directory is read at once.
const direntBytes = 32 << 10

// Offsets in a struct linux_dirent64.
const (
	direntLength = 16
	direntKind   = 18
	direntName   = 19
)

// readDir calls f for every entry of an open directory but "." and "..", until f
// returns false. The standard library would stat what it lists, sort it, and hold
// all of it.
func readDir(fd int, f func(name string, kind uint8) bool) error {
	buf := make([]byte, direntBytes)
	if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
		return err
	}
	for {
		n, err := unix.Getdents(fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n <= 0:
			return nil
		}
		for b := buf[:n]; len(b) > direntName; {
			size := int(binary.NativeEndian.Uint16(b[direntLength:]))
			kind, raw := b[direntKind], b[direntName:size]
			b = b[size:]
			end := 0
			for end < len(raw) && raw[end] != 0 {
				end++
			}
			name := string(raw[:end])
			if name == "." || name == ".." {
				continue
			}
			if kind == unix.DT_UNKNOWN {
				kind = kindAt(fd, name)
			}
			if !f(name, kind) {
				return nil
			}
		}
	}
}

// kindAt asks for the kind of an entry of which the file system did not say it.
func kindAt(fd int, name string) uint8 {
	var st unix.Stat_t
	if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return unix.DT_UNKNOWN
	}
	return uint8(st.Mode & unix.S_IFMT >> 12)
}
