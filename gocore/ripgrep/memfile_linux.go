package ripgrep

import (
	"os"

	"golang.org/x/sys/unix"
)

// FirstExtra is where a child finds its first extra file.
const FirstExtra = "/dev/fd/3"

// MemoryFile returns a file without a name that holds a text. A pipe would hold only
// 64 KiB of it.
func MemoryFile(text []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("ignore", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "ignore")
	if _, err := f.Write(text); err != nil {
		f.Close()
		return nil, err
	}
	if _, err := f.Seek(0, 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
