package confine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"
)

// The numbers are those of this architecture's header, and the constants the
// kernel's.
func TestNumbersOfCalls(t *testing.T) {
	for name, number := range map[string]uint32{
		"add_key": unix.SYS_ADD_KEY, "bpf": unix.SYS_BPF, "clone": unix.SYS_CLONE, "clone3": unix.SYS_CLONE3,
		"delete_module": unix.SYS_DELETE_MODULE, "fchmod": unix.SYS_FCHMOD, "fchmodat": unix.SYS_FCHMODAT,
		"fchmodat2": unix.SYS_FCHMODAT2, "finit_module": unix.SYS_FINIT_MODULE, "init_module": unix.SYS_INIT_MODULE,
		"io_uring_enter": unix.SYS_IO_URING_ENTER, "io_uring_register": unix.SYS_IO_URING_REGISTER,
		"io_uring_setup": unix.SYS_IO_URING_SETUP, "ioctl": unix.SYS_IOCTL, "kexec_file_load": unix.SYS_KEXEC_FILE_LOAD,
		"kexec_load": unix.SYS_KEXEC_LOAD, "keyctl": unix.SYS_KEYCTL, "mknodat": unix.SYS_MKNODAT,
		"open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT, "openat": unix.SYS_OPENAT, "openat2": unix.SYS_OPENAT2,
		"perf_event_open": unix.SYS_PERF_EVENT_OPEN, "prlimit64": unix.SYS_PRLIMIT64, "request_key": unix.SYS_REQUEST_KEY,
		"setns": unix.SYS_SETNS, "socket": unix.SYS_SOCKET, "socketpair": unix.SYS_SOCKETPAIR, "unshare": unix.SYS_UNSHARE,
		"userfaultfd": unix.SYS_USERFAULTFD,
	} {
		assert.Equal(t, number, thisMachine.calls[name], name)
	}
	for name := range arm64.calls {
		assert.Contains(t, amd64.calls, name)
	}
	assert.Equal(t, []int{afUnix, afInet, afInet6, afNetlink}, []int{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK})
	assert.Equal(t, []int{sockStream, sockSeqpacket}, []int{unix.SOCK_STREAM, unix.SOCK_SEQPACKET})
	assert.Equal(t, []int{ePerm, eNoSys, eNoFam}, []int{int(unix.EPERM), int(unix.ENOSYS), int(unix.EAFNOSUPPORT)})
	assert.EqualValues(t, unix.CLONE_NEWUSER, cloneNewUser)
	assert.EqualValues(t, unix.TIOCSTI, tiocsti)
	assert.EqualValues(t, unix.O_CREAT, openCreate)
}

// What is allowed never holds more than is handled, or the kernel refuses the rule.
func TestRightsAreHandled(t *testing.T) {
	for right, allowed := range rights {
		assert.Zero(t, allowed&^uint64(llAll|llUnix), right)
		assert.NotZero(t, allowed, right)
	}
	assert.Zero(t, llWrite&llIoctlDev, "a device that was made in a write root")
}
