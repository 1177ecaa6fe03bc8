package execenv

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

var hostCapabilities = Capabilities{
	Authoritative: true, CanonicalStopsAtMagic: true,
	MaxLinks: LinuxMaxLinks, MaxPath: LinuxMaxPath,
}

// hostCanonical lets the kernel resolve the path (openat2, Linux 5.6) and asks
// it for the name of what it reached. Where the kernel has no openat2, or the
// name it gives is no path, the components are walked.
func hostCanonical(path string) (string, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Openat2(unix.AT_FDCWD, path, &how)
		return err
	})
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EXDEV):
		return hostWalk(path, linuxMagic)
	case err != nil:
		return "", failed("canonical", path, err)
	}
	defer unix.Close(fd)
	name, ok := fdName(fd)
	if !ok {
		return hostWalk(path, linuxMagic)
	}
	return name, nil
}

// fdName is the path the kernel gives for a descriptor. It is none for what is
// unlinked ("... (deleted)"), lies outside this process's root
// ("(unreachable)...") or has no path; a name that merely looks so is told by
// asking for it again.
func fdName(fd int) (string, bool) {
	link := "/proc/self/fd/" + strconv.Itoa(fd)
	buf := make([]byte, 256)
	for {
		n, err := unix.Readlink(link, buf)
		if err != nil {
			return "", false
		}
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 4*len(buf))
	}
	name := string(buf)
	if !strings.HasPrefix(name, "/") {
		return "", false
	}
	if !strings.HasSuffix(name, " (deleted)") {
		return name, true
	}
	var want, got unix.Stat_t
	if unix.Fstat(fd, &want) != nil || unix.Lstat(name, &got) != nil {
		return "", false
	}
	return name, want.Dev == got.Dev && want.Ino == got.Ino
}

// linuxMagic reports whether the link at dir/name is one of procfs whose target
// depends on the process that asks. The links of procfs that name a path as
// any link does are few and known.
func linuxMagic(dir, name string) bool {
	switch dir + "/" + name {
	case "/proc/self", "/proc/thread-self", "/proc/mounts", "/proc/net":
		return false
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return true
	}
	return int64(fs.Type) == unix.PROC_SUPER_MAGIC
}

// openDirNoLinks opens a directory whose path is canonical. A component that
// has become a link meanwhile fails with ELOOP.
func openDirNoLinks(dir string) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC, // nothing but a directory is opened, which never blocks
		Resolve: unix.RESOLVE_NO_SYMLINKS,
	}
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Openat2(unix.AT_FDCWD, dir, &how)
		return err
	})
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return openDirPlain(dir)
	}
	return fd, err
}
