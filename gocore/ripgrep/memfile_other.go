//go:build !linux

package ripgrep

import (
	"errors"
	"os"
)

// FirstExtra is where a child finds its first extra file.
const FirstExtra = "/dev/fd/3"

// MemoryFile is not to be had on this system, where nothing needs it.
func MemoryFile([]byte) (*os.File, error) { return nil, errors.ErrUnsupported }
