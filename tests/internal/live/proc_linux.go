package live

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Running returns the processes that run the executable at path, by the link
// that the kernel keeps to it; also when the file has been removed. Those of
// other users are not seen without privilege. Zombies run nothing.
func Running(path string) ([]int, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	var found []int
	err = eachProcess(func(pid int) {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err == nil && strings.TrimSuffix(exe, " (deleted)") == real {
			found = append(found, pid)
		}
	})
	return found, err
}

// Children returns the children of a process, zombies included.
func Children(parent int) ([]int, error) {
	var found []int
	err := eachProcess(func(pid int) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return // it has ended
		}
		// "pid (name) state ppid ...": the name may hold anything.
		_, rest, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')'):], []byte(" "))
		if fields := strings.Fields(string(rest)); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			found = append(found, pid)
		}
	})
	return found, err
}

func eachProcess(do func(pid int)) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			do(pid)
		}
	}
	return nil
}

// Descriptors returns how many descriptors a process has open.
func Descriptors(pid int) (int, error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries), err
}

// Status returns one number of /proc/PID/status: "VmHWM" and its like in KiB,
// "Threads" as a count.
func Status(pid int, key string) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strconv.Atoi(strings.Fields(value)[0])
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, key)
}

// ResetPeak makes VmHWM start anew from what the process holds now.
func ResetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}
