package search

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// readable reports whether this process may read a file, or read and enter a
// directory.
func readable(path string) error {
	mode := uint32(unix.R_OK)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		mode |= unix.X_OK
	}
	return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS)
}

// absent reports whether an error of the system means that nothing is there, as
// opposed to that nobody could look.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ENAMETOOLONG)
}

// inaccessible explains why the kernel did not answer for a path.
func inaccessible(what, path string, err error) *Error {
	reason := "cannot be read: " + err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = "does not exist"
		if strings.HasPrefix(path, "~") {
			reason += `; "~" is not expanded here, write the home directory out`
		}
	case errors.Is(err, fs.ErrPermission):
		reason = "cannot be read: permission denied"
	case errors.Is(err, unix.ENOTDIR):
		reason = "does not exist: a part of it is a file, not a directory"
	case errors.Is(err, unix.ELOOP):
		reason = "cannot be resolved: too many symbolic links"
	case errors.Is(err, unix.ENAMETOOLONG):
		reason = "is too long for this system"
	}
	return fail(Failed, Details{Path: path}, err, "%s %s %s", what, quote(path), reason)
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "FIFO"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// dirAt reports whether a directory lies at path, following links. The error is
// the system's.
func dirAt(path string) (dir bool, err error) {
	info, err := os.Stat(path)
	return err == nil && info.IsDir(), err
}

// isDir reports whether a directory is known to lie at path.
func isDir(path string) bool {
	dir, err := dirAt(path)
	return err == nil && dir
}

// isRegular and isLink report what is known to lie at path itself.
func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
