package main

import (
	"os"
	"path/filepath"
)

// writeWhole puts data at path by a temporary file beside it and a rename, so
// that nobody ever sees a part of it: either the old file stands, or the new.
func writeWhole(path string, data []byte, mode os.FileMode) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fail(CodeWrite, err, "the folder %s cannot be made", dir)
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return fail(CodeWrite, err, "%s cannot be written to", dir)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(data); err != nil {
		return fail(CodeWrite, err, "%s cannot be written", path)
	}
	// Chmod, not the mode of creation: the umask must not take a bit away.
	if err = tmp.Chmod(mode); err != nil {
		return fail(CodeWrite, err, "%s cannot be given mode %o", path, mode)
	}
	if err = tmp.Close(); err != nil {
		return fail(CodeWrite, err, "%s cannot be written", path)
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return fail(CodeWrite, err, "%s cannot be put in place", path)
	}
	return nil
}
