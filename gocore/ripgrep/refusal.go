package ripgrep

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// notExecutable says why the system would not run a file, and what mends that: the
// bits of its mode, the mount that it lies on, or its owner.
func (s *Sidecar) notExecutable(info fs.FileInfo, err error) *Problem {
	mode := info.Mode().Perm()
	mount := mountOf(s.path)
	switch {
	case mode&0o111 == 0 && mount.readOnly:
		return s.problem("mode", err, "the ripgrep sidecar %s is not executable (mode %04o), and %s is mounted read-only: run chmod +x on it where it can be written, or %s",
			s.path, mode, mountPoint(s.path), s.Advice())
	case mode&0o111 == 0:
		return s.problem("mode", err, "the ripgrep sidecar %s is not executable (mode %04o): run chmod +x on it, or %s", s.path, mode, s.Advice())
	case mount.noExec:
		return s.problem("noexec", err, "the ripgrep sidecar %s lies on a file system that is mounted noexec (at %s): put it, and the runtime beside it, on one that is not",
			s.path, mountPoint(s.path))
	}
	whose := ""
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		whose = fmt.Sprintf(" and it belongs to user %d", st.Uid)
	}
	return s.problem("denied", err, "the system refuses to run the ripgrep sidecar %s (%v; its mode is %04o%s): give this user the executable bit, or look for an execution policy (fapolicyd, SELinux, AppArmor)",
		s.path, err, mode, whose)
}

// mount is how a file system is mounted.
type mount struct{ noExec, readOnly bool }

func mountOf(path string) mount {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return mount{}
	}
	return mount{noExec: st.Flags&noExecFlag != 0, readOnly: st.Flags&readOnlyFlag != 0}
}

// mountPoint is the folder under which the file system of a path hangs.
func mountPoint(path string) string {
	if landed, err := filepath.EvalSymlinks(path); err == nil {
		path = landed
	}
	for dir := filepath.Dir(path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if device(dir) != device(filepath.Dir(dir)) {
			return dir
		}
	}
	return "/"
}

func device(dir string) uint64 {
	if info, err := os.Stat(dir); err == nil {
		return identify(info).dev
	}
	return 0
}

// pageSizeComplaint is what ripgrep's allocator says before it aborts on a kernel
// whose memory pages are larger than those it was built for.
const pageSizeComplaint = "unsupported system page size"

// WrongPages reports whether a sidecar died of the size of the system's memory pages.
// No reinstallation mends that.
func WrongPages(stderr string) bool {
	return strings.Contains(strings.ToLower(stderr), pageSizeComplaint)
}

// PagesAdvice is what to do about it.
func PagesAdvice() string {
	return fmt.Sprintf("it was built for smaller memory pages than this kernel's (%d bytes), so that installing it again does not help: run a kernel with pages of 4096 bytes, or name a ripgrep that was built for this one (--ripgrep)", os.Getpagesize())
}
