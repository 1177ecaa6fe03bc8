package confine

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// Statuses of a start, as env has them, and the one of our own.
const (
	StatusNotStarted = 125
	StatusNotRunable = 126
	StatusNotFound   = 127
)

// Start finds a program on the PATH of an environment as a shell does, and tries
// each place that it may have until one can be started. The error of the place
// that came nearest is returned.
func Start(env []string, program string, start func(path string) error) error {
	if strings.Contains(program, "/") {
		return start(program)
	}
	search := environ(env).get("PATH")
	if search == "" {
		search = "/usr/local/bin:/usr/bin:/bin" // as bash and glibc assume
	}
	found := error(syscall.ENOENT)
	if program == "" {
		return found
	}
	for _, dir := range filepath.SplitList(search) {
		if dir == "" {
			dir = "."
		}
		err := start(dir + "/" + program)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		case errors.Is(err, fs.ErrPermission):
			found = err
		default:
			return err
		}
	}
	return found
}

// StatusOf is the exit status for a program that could not be started.
func StatusOf(err error) int {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return StatusNotFound
	}
	return StatusNotRunable
}
