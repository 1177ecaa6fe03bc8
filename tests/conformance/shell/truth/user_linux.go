package truth

import (
	"fmt"
	"os"
	"syscall"
)

// nobody is the user the truth was recorded as, in number.
const nobody = 65534

// Unprivileged gives up root for good: the truth was recorded by a user whom
// permissions bind. It changes nothing for any other user.
func Unprivileged() error {
	if os.Geteuid() != 0 {
		return nil
	}
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("giving up root: %w", err)
	}
	if err := syscall.Setgid(nobody); err != nil {
		return fmt.Errorf("giving up root: %w", err)
	}
	if err := syscall.Setuid(nobody); err != nil {
		return fmt.Errorf("giving up root: %w", err)
	}
	return nil
}

func makeFifo(p string) error { return syscall.Mkfifo(p, 0o644) }
