package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights of Landlock, from the kernel's header: later ABIs know more.
const (
	llExecute    = 1 << 0
	llWriteFile  = 1 << 1
	llReadFile   = 1 << 2
	llReadDir    = 1 << 3
	llRemoveDir  = 1 << 4
	llRemoveFile = 1 << 5
	llMakeDir    = 1 << 7
	llMakeReg    = 1 << 8
	llMakeSock   = 1 << 9
	llMakeFifo   = 1 << 10
	llMakeSym    = 1 << 12
	llRefer      = 1 << 13
	llTruncate   = 1 << 14
	llIoctlDev   = 1 << 15 // the last that MinABI knows
	llUnix       = 1 << 16 // from ABI 9

	llAll     = 1<<16 - 1
	llUnixABI = 9

	llRead  = llExecute | llReadFile | llReadDir
	llWrite = llRead | llWriteFile | llRemoveDir | llRemoveFile | llMakeDir | llMakeReg | llMakeSock | llMakeFifo | llMakeSym | llRefer | llTruncate | llUnix
	// A device that is made in a write root is none of the caller's: no llIoctlDev
	// there, and no right anywhere to make one.
	llDevice = llReadFile | llWriteFile | llTruncate | llIoctlDev | llReadDir
	// llFile are the rights that a rule for a file may have.
	llFile = llExecute | llWriteFile | llReadFile | llTruncate | llIoctlDev | llUnix

	llScoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

var rights = map[Right]uint64{List: llReadDir, Read: llRead, Write: llWrite, Device: llDevice}

// ABI is the version of Landlock here, 0 without one.
func ABI() int {
	const askVersion = 1 // LANDLOCK_CREATE_RULESET_VERSION
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, askVersion)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// checkABI: below 3 truncate(2) empties files outside, below 6 signals and
// abstract sockets lead out.
func checkABI(abi int) error {
	switch {
	case abi == 0:
		return errors.New("this kernel has no Landlock; Linux 6.12 or later with landlock in lsm= is needed")
	case abi < 3:
		return fmt.Errorf("the ABI %d of Landlock here cannot keep truncate(2) in; Linux 6.12 or later is needed", abi)
	case abi < MinABI:
		return fmt.Errorf("the ABI %d of Landlock here does not keep signals and abstract sockets in; Linux 6.12 or later is needed", abi)
	}
	return nil
}

// restrict puts the rules on this thread and on all that comes from it.
func restrict(p *Plan) error {
	abi := p.Trial.abi(ABI())
	if err := checkABI(abi); err != nil {
		return err
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: llAll, Scoped: llScoped}
	if abi >= llUnixABI {
		attr.Handled_access_fs |= llUnix
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	defer unix.Close(int(set))
	for _, r := range p.Rules {
		if err := addRule(int(set), r, attr.Handled_access_fs); err != nil {
			return err
		}
	}
	if err := addStreams(int(set), attr.Handled_access_fs); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

// openExactly opens a place whose path must have no link in it: a link means that
// somebody has changed the tree since the plan was made.
func openExactly(path string) (int, error) {
	return unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
}

func addRule(set int, r Rule, handled uint64) error {
	fd, err := openExactly(r.Path)
	if err != nil {
		if r.Must {
			return fmt.Errorf("%s has changed since the start: %w", r.Path, err)
		}
		return nil // one thing less that may be read
	}
	defer unix.Close(fd)
	return addPath(set, fd, rights[r.Right]&handled, r.Path)
}

func addPath(set, fd int, allowed uint64, name string) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		allowed &= llFile
	}
	if allowed == 0 {
		return nil // a List of what has become a file
	}
	const pathBeneath = 1 // LANDLOCK_RULE_PATH_BENEATH
	var attr [12]byte     // struct landlock_path_beneath_attr is packed
	*(*uint64)(unsafe.Pointer(&attr[0])) = allowed
	*(*int32)(unsafe.Pointer(&attr[8])) = int32(fd)
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), pathBeneath, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock_add_rule %s: %w", name, errno)
	}
	return nil
}

// addStreams allows the very files that the standard streams are to be opened
// again, as they are open: tee /dev/stderr, when the host logs to a file.
func addStreams(set int, handled uint64) error {
	for fd := range 3 {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) != nil {
			continue
		}
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
		case unix.S_IFDIR:
			return fmt.Errorf("descriptor %d is a directory, which would lead around the sandbox", fd)
		default:
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil || flags&unix.O_PATH != 0 {
			continue
		}
		var allowed uint64
		if mode := flags & unix.O_ACCMODE; mode != unix.O_WRONLY {
			allowed |= llReadFile
		}
		if mode := flags & unix.O_ACCMODE; mode != unix.O_RDONLY {
			allowed |= llWriteFile | llTruncate
		}
		if err := addPath(set, fd, allowed&handled, "a standard stream"); err != nil {
			return err
		}
	}
	return nil
}
