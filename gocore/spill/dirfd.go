package spill

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// dirHandle is an open directory. Everything in it is reached by a plain name
// relative to the handle, and no operation follows a symbolic link: a planted
// one is an error, wherever it stands and whenever it was planted. (os.Root
// would follow links that stay inside the root, and so cross owners.)
type dirHandle struct{ f *os.File }

const (
	openDirFlags  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	openFileFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC // NONBLOCK: a planted FIFO must not hang
	createFlags   = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC

	dirMode  = 0o700
	fileMode = 0o600
)

// again repeats a system call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func openDir(path string) (*dirHandle, error) {
	return openDirAt(unix.AT_FDCWD, path)
}

func (d *dirHandle) openDir(name string) (*dirHandle, error) {
	return openDirAt(d.fd(), name)
}

func openDirAt(at int, name string) (*dirHandle, error) {
	f, err := openAt(at, name, openDirFlags)
	if err != nil {
		return nil, err
	}
	return &dirHandle{f}, nil
}

func openAt(at int, name string, flags int) (*os.File, error) {
	var fd int
	err := again(func() (err error) {
		fd, err = unix.Openat(at, name, flags, fileMode)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (d *dirHandle) fd() int { return int(d.f.Fd()) }

func (d *dirHandle) close() { _ = d.f.Close() }

// create makes a new file, private whatever the umask is.
func (d *dirHandle) create(name string) (*os.File, error) {
	f, err := openAt(d.fd(), name, createFlags)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(fileMode); err != nil {
		_ = f.Close()
		_ = d.remove(name)
		return nil, err
	}
	return f, nil
}

func (d *dirHandle) open(name string) (*os.File, error) {
	return openAt(d.fd(), name, openFileFlags)
}

func (d *dirHandle) mkdir(name string) error {
	return again(func() error { return unix.Mkdirat(d.fd(), name, dirMode) })
}

func (d *dirHandle) rename(from, to string) error {
	return again(func() error { return unix.Renameat(d.fd(), from, d.fd(), to) })
}

func (d *dirHandle) remove(name string) error {
	return again(func() error { return unix.Unlinkat(d.fd(), name, 0) })
}

func (d *dirHandle) removeDir(name string) error {
	return again(func() error { return unix.Unlinkat(d.fd(), name, unix.AT_REMOVEDIR) })
}

// lstat describes the entry itself, not what a link points to.
func (d *dirHandle) lstat(name string) (st unix.Stat_t, err error) {
	err = again(func() error { return unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return st, err
}

func (d *dirHandle) stat() (unix.Stat_t, error) { return fstat(d.f) }

func fstat(f *os.File) (st unix.Stat_t, err error) {
	err = again(func() error { return unix.Fstat(int(f.Fd()), &st) })
	return st, err
}

// setTime gives an entry its modification time.
func (d *dirHandle) setTime(name string, unixMicro int64) error {
	t := unix.NsecToTimespec(unixMicro * 1000)
	return again(func() error {
		return unix.UtimesNanoAt(d.fd(), name, []unix.Timespec{t, t}, unix.AT_SYMLINK_NOFOLLOW)
	})
}

// names lists the directory, from its start each time.
func (d *dirHandle) names() ([]string, error) {
	if _, err := d.f.Seek(0, 0); err != nil {
		return nil, err
	}
	return d.f.Readdirnames(-1)
}

// sync makes a rename in the directory durable. File systems that cannot
// flush a directory say EINVAL or ENOTSUP: there is nothing more to do then.
func (d *dirHandle) sync() error {
	err := d.f.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

func isRegular(st *unix.Stat_t) bool { return uint32(st.Mode)&unix.S_IFMT == unix.S_IFREG }
func perm(st *unix.Stat_t) uint32    { return uint32(st.Mode) & 0o777 }
func modMicro(st *unix.Stat_t) int64 { return st.Mtim.Nano() / 1000 }
func sameFile(a, b *unix.Stat_t) bool {
	return a.Dev == b.Dev && a.Ino == b.Ino
}
func isLinkError(err error) bool { // what O_NOFOLLOW and O_DIRECTORY answer
	return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR)
}
