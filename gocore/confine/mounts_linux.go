package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mounts makes the view of LevelNS: all read-only but the write roots, own
// terminals, guarded places read-only, denied ones covered. Every place is opened
// by a path without links and then mounted on by its descriptor, so that nobody
// can lead a mount elsewhere in between.
func mounts(p *Plan, step func(string) error) error {
	if err := step("private"); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return forbidden(fmt.Errorf("mounts cannot be made private: %w", err))
	}
	if err := step("readonly"); err != nil {
		return err
	}
	if err := readOnly(p); err != nil {
		return err
	}
	if err := step("terminals"); err != nil {
		return err
	}
	if err := terminals(); err != nil {
		return err
	}
	if err := step("guards"); err != nil {
		return err
	}
	for _, g := range p.Guards {
		if err := bind(g, true); err != nil {
			return fmt.Errorf("guard %s: %w", g, err)
		}
	}
	if err := step("masks"); err != nil {
		return err
	}
	return masks(p)
}

// forbidden marks a failure as that of a machine that lets nothing be done in
// namespaces (AppArmor takes the capabilities, a container's filter the calls).
// Only calls for the whole of the view are marked: what fails at one place may be
// somebody's work.
func forbidden(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS) {
		return noNamespacesError{err}
	}
	return err
}

// readOnly makes everything read-only but the write roots, each of which becomes
// a mount for that. Links and renames between two of them fail with EXDEV.
func readOnly(p *Plan) error {
	open := append([]string(nil), p.Write...)
	for _, dir := range open {
		if dir == "/" {
			return nil
		}
	}
	if _, err := openType(sharedMemory, unix.S_IFDIR); err == nil {
		open = append(open, sharedMemory)
	}
	open = append(open, p.Pins...) // below the write roots, in which they must be seen
	var again []string
	for _, dir := range open {
		var st unix.Statfs_t
		if err := unix.Statfs(dir, &st); err == nil && st.Flags&unix.ST_RDONLY != 0 {
			continue // it stays what it was
		}
		again = append(again, dir)
		if err := bind(dir, false); err != nil {
			return fmt.Errorf("bind %s: %w", dir, err)
		}
	}
	rdonly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &rdonly); err != nil {
		return forbidden(fmt.Errorf("read-only: %w", err))
	}
	for _, dir := range again {
		if err := writable(dir); err != nil {
			return fmt.Errorf("writable %s: %w", dir, err)
		}
	}
	return nil
}

// writable undoes the read-only of a write root and of what is mounted in it, or
// of itself alone when the machine holds one of these read-only.
func writable(dir string) error {
	fd, err := openExactly(dir)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	if unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr) == nil {
		return nil
	}
	return unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &attr)
}

// bind mounts a place onto itself, with what is mounted below.
func bind(path string, readonly bool) error {
	fd, err := openExactly(path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	tree, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	if readonly {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return err
		}
	}
	return mountOn(tree, fd)
}

func mountOn(tree, fd int) error {
	return unix.MoveMount(tree, "", fd, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// openType opens a place and looks what it is.
func openType(path string, want uint32) (uint64, error) {
	fd, err := openExactly(path)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	if st.Mode&unix.S_IFMT != want {
		return 0, unix.ENOTDIR
	}
	return st.Ino, nil
}

// terminals gives the sandbox a devpts of its own: the terminals of this user
// cannot be opened by their path there. An inherited one still works.
func terminals() error {
	if _, err := openType("/dev/pts", unix.S_IFDIR); err != nil {
		return nil // no terminals here
	}
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=600"); err != nil {
		return fmt.Errorf("devpts: %w", err)
	}
	if _, err := openType("/dev/ptmx", unix.S_IFCHR); err != nil {
		return nil // a link to pts/ptmx, or missing
	}
	if err := unix.Mount("/dev/pts/ptmx", "/dev/ptmx", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("ptmx: %w", err)
	}
	return nil
}

// stages are folders on which a file system can be mounted for a moment.
var stages = []string{sharedMemory, "/sys", "/proc", "/etc"}

// masks covers the denied paths with a file and a folder that nobody may open, of
// a read-only file system. Root with rights over files may: such a file is a
// socket, which cannot be opened at all, and such a folder is empty.
func masks(p *Plan) error {
	if len(p.Masks) == 0 {
		return nil
	}
	stage := ""
	for _, dir := range stages {
		if _, err := openType(dir, unix.S_IFDIR); err == nil {
			stage = dir
			break
		}
	}
	if stage == "" {
		return fmt.Errorf("no folder to prepare masks in: one of %v is needed", stages)
	}
	if err := unix.Mount("tmpfs", stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=4k,mode=700"); err != nil {
		return fmt.Errorf("masks: %w", err)
	}
	if err := unix.Mkdir(stage+"/dir", 0); err != nil {
		return fmt.Errorf("masks: %w", err)
	}
	kind := uint32(unix.S_IFREG)
	if p.FileRights {
		kind = unix.S_IFSOCK
	}
	if err := unix.Mknod(stage+"/file", kind, 0); err != nil {
		return fmt.Errorf("masks: %w", err)
	}
	for _, m := range p.Masks {
		if err := mask(stage, m); err != nil {
			return fmt.Errorf("mask %s: %w", m.Path, err)
		}
	}
	return unix.Unmount(stage, unix.MNT_DETACH)
}

func mask(stage string, m Mask) error {
	from := stage + "/file"
	if m.Dir {
		from = stage + "/dir"
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return err
	}
	fd, err := openExactly(m.Path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return mountOn(tree, fd)
}

// loopback brings the own network's one interface up.
func loopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	defer unix.Close(s)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(request))); errno != 0 {
		return fmt.Errorf("loopback: %w", errno)
	}
	return nil
}
