//go:build unix

package execenv

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Host is the file system of the machine and the process this runs in. The
// zero value is ready to use.
type Host struct{}

var (
	_ Env           = Host{}
	_ LinkReader    = Host{}
	_ FileReader    = Host{}
	_ Executability = Host{}
)

// Capabilities declares the host's own kernel as the authority.
func (Host) Capabilities() Capabilities { return hostCapabilities }

// CanonicalPath asks the kernel where it can be asked and walks the components
// elsewhere.
func (Host) CanonicalPath(ctx context.Context, path string) (string, error) {
	if err := ready(ctx, "canonical", path); err != nil {
		return "", err
	}
	return hostCanonical(path)
}

// Lstat asks the kernel.
func (Host) Lstat(ctx context.Context, path string) (Kind, error) {
	if err := ready(ctx, "lstat", path); err != nil {
		return Unknown, err
	}
	return hostLstat(path)
}

func hostLstat(path string) (Kind, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Lstat(path, &st) }); err != nil {
		return Unknown, failed("lstat", path, err)
	}
	return kindOf(uint32(st.Mode)), nil
}

func kindOf(mode uint32) Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return File
	case unix.S_IFDIR:
		return Dir
	case unix.S_IFLNK:
		return Link
	default:
		return Other
	}
}

// ReadLink asks the kernel.
func (Host) ReadLink(ctx context.Context, path string) (string, error) {
	if err := ready(ctx, "readlink", path); err != nil {
		return "", err
	}
	return hostReadLink(path)
}

func hostReadLink(path string) (string, error) {
	text, err := os.Readlink(path)
	if err != nil {
		return "", failed("readlink", path, err)
	}
	return text, nil
}

// ListDir reads the directory in pieces and stops after max+1 names.
func (Host) ListDir(ctx context.Context, dir string, max int) ([]DirEntry, error) {
	if err := ready(ctx, "list", dir); err != nil {
		return nil, err
	}
	fd, err := openDirNoLinks(dir)
	if err != nil {
		return nil, failed("list", dir, err)
	}
	f := os.NewFile(uintptr(fd), dir)
	defer f.Close()
	var out []DirEntry
	for len(out) <= max {
		if err := ctx.Err(); err != nil {
			return nil, &Error{NoAnswer, "list", dir, err}
		}
		// 1024 names at a time: a bounded answer between two looks at
		// the context.
		most := min(max+1-len(out), 1024)
		batch, err := f.ReadDir(most)
		out = slices.Grow(out, len(batch))
		for _, e := range batch {
			out = append(out, DirEntry{Name: e.Name(), Kind: entryKind(e)})
		}
		switch {
		case err == nil && len(batch) < most, errors.Is(err, io.EOF):
			return out, nil // fewer than asked for: ReadDir met the end
		case err != nil:
			return nil, failed("list", dir, err)
		}
	}
	return out, nil
}

func entryKind(e fs.DirEntry) Kind {
	switch t := e.Type(); {
	case t.IsRegular():
		return File
	case t.IsDir():
		return Dir
	case t&fs.ModeSymlink != 0:
		return Link
	case t&fs.ModeIrregular != 0:
		return Unknown
	default:
		return Other
	}
}

// ReadFile reads a regular file; anything else is NotExist for a reader of
// settings, and opening a pipe would wait for its writer.
func (Host) ReadFile(ctx context.Context, path string, max int) ([]byte, error) {
	if err := ready(ctx, "read", path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, failed("read", path, err)
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, failed("read", path, errors.Join(err, errors.New("not a regular file")))
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(max)+1))
	if err != nil {
		return nil, failed("read", path, err)
	}
	if len(data) > max {
		return nil, &Error{Problem: TooLong, Op: "read", Path: path}
	}
	return data, nil
}

// Executable looks at the mode bits, not at this process's own permission: the
// command may run as somebody else.
func (Host) Executable(ctx context.Context, path string) (bool, error) {
	if err := ready(ctx, "stat", path); err != nil {
		return false, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return false, failed("stat", path, err)
	}
	return st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0, nil
}

// ready refuses what must not reach the kernel: a dead context, a path that is
// not absolute, a NUL byte that would end it early.
func ready(ctx context.Context, op, path string) error {
	if err := ctx.Err(); err != nil {
		return &Error{NoAnswer, op, path, err}
	}
	if path == "" || path[0] != '/' {
		return &Error{NoAnswer, op, path, errors.New("the path is not absolute")}
	}
	for i := range len(path) {
		if path[i] == 0 {
			return &Error{NoAnswer, op, path, errors.New("the path holds a NUL byte")}
		}
	}
	return nil
}

func retry(f func() error) error {
	for {
		if err := f(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// failed puts an errno into the taxonomy. A problem already told stays.
func failed(op, path string, err error) error {
	if _, bare := err.(syscall.Errno); !bare { // what most calls give
		var told *Error
		if errors.As(err, &told) {
			return told
		}
	}
	p := NoAnswer
	switch {
	case errors.Is(err, syscall.ENOENT) && path != "/":
		p = NotExist // the root is always there: ENOENT for it is no answer
	case errors.Is(err, syscall.ENOTDIR):
		p = NotDir
	case errors.Is(err, syscall.ELOOP):
		p = Loop
	case errors.Is(err, syscall.ENAMETOOLONG):
		p = TooLong
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		p = Denied
	}
	return &Error{p, op, path, err}
}
