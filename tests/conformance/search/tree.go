package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// treeEntry is one thing, or a numbered series of files, below the scratch root.
type treeEntry struct {
	Path      string  `json:"path"`
	PathB64   string  `json:"path_b64"`
	Type      string  `json:"type"` // file, dir, symlink, fifo
	Content   string  `json:"content"`
	Base64    string  `json:"base64"`
	Size      int     `json:"size"`
	Pattern   string  `json:"pattern"`
	Target    string  `json:"target"`
	Mode      string  `json:"mode"`
	Mtime     *string `json:"mtime"` // "seconds.fraction"
	Repeat    int     `json:"repeat"`
	Start     int     `json:"start"`
	MtimeStep string  `json:"mtime_step"`
}

// firstMtime is when the first entry without a time of its own was modified.
const firstMtime = 1_600_000_000

// grow makes the tree below root. Modes are set last, so that a directory that
// cannot be entered still gets its files.
func grow(root string, tree []treeEntry) error {
	modes := map[string]uint32{}
	var order []string
	for i, e := range tree {
		name, err := e.name()
		if err != nil {
			return err
		}
		mtime := unix.Timespec{Sec: firstMtime + int64(i)}
		if e.Mtime != nil {
			if mtime, err = timespec(*e.Mtime); err != nil {
				return err
			}
		}
		step, err := timespec("0" + e.MtimeStep)
		if err != nil {
			return err
		}
		for k := range max(1, e.Repeat) {
			path := root + "/" + name
			if e.Repeat > 0 {
				path = root + "/" + fmt.Sprintf(name, e.Start+k)
			}
			at := mtime
			if k > 0 {
				at = unix.NsecToTimespec(mtime.Nano() + int64(k)*step.Nano())
			}
			if err := e.plant(root, path, at); err != nil {
				return fmt.Errorf("plant %q: %w", path, err)
			}
			if e.Mode != "" {
				mode, err := strconv.ParseUint(e.Mode, 8, 32)
				if err != nil {
					return err
				}
				modes[path] = uint32(mode)
				order = append(order, path)
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		if err := unix.Chmod(order[i], modes[order[i]]); err != nil {
			return err
		}
	}
	return nil
}

func (e treeEntry) name() (string, error) {
	if e.PathB64 == "" {
		return e.Path, nil
	}
	name, err := base64.StdEncoding.DecodeString(e.PathB64)
	return string(name), err
}

func (e treeEntry) plant(root, path string, mtime unix.Timespec) error {
	if err := mkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	switch e.Type {
	case "dir":
		return mkdirAll(path)
	case "symlink":
		return os.Symlink(strings.ReplaceAll(e.Target, "${R}", root), path)
	case "fifo":
		return unix.Mkfifo(path, 0o644)
	}
	content := []byte(strings.ReplaceAll(e.Content, "${R}", root))
	switch {
	case e.Base64 != "":
		var err error
		if content, err = base64.StdEncoding.DecodeString(e.Base64); err != nil {
			return err
		}
	case e.Size > 0:
		content = bytes.Repeat([]byte(e.Pattern), e.Size/len(e.Pattern)+1)[:e.Size]
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return err
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{mtime, mtime}, 0)
}

// mkdirAll makes directories that others may enter, whatever the umask.
func mkdirAll(path string) error { return os.MkdirAll(path, 0o755) }

// timespec reads "seconds.fraction", which may be negative.
func timespec(text string) (unix.Timespec, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return unix.Timespec{}, err
	}
	nanos, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	if err != nil {
		return unix.Timespec{}, err
	}
	if strings.HasPrefix(whole, "-") && nanos > 0 {
		return unix.Timespec{Sec: seconds - 1, Nsec: 1e9 - nanos}, nil
	}
	return unix.Timespec{Sec: seconds, Nsec: nanos}, nil // may lie beyond what nanoseconds hold
}
