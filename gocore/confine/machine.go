package confine

import "fmt"

// machine is what the filter has to know of an architecture.
type machine struct {
	audit uint32 // what the kernel calls it
	calls map[string]uint32
}

// amd64 and arm64 hold the numbers of the calls that the filter names. A test
// compares them with those of golang.org/x/sys.
var (
	amd64 = machine{audit: 0xc000003e, calls: map[string]uint32{
		"add_key": 248, "bpf": 321, "chmod": 90, "clone": 56, "clone3": 435, "creat": 85, "delete_module": 176,
		"fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "finit_module": 313, "init_module": 175,
		"io_uring_enter": 426, "io_uring_register": 427, "io_uring_setup": 425, "ioctl": 16, "kexec_file_load": 320,
		"kexec_load": 246, "keyctl": 250, "mknod": 133, "mknodat": 259, "open": 2, "open_by_handle_at": 304,
		"openat": 257, "openat2": 437, "perf_event_open": 298, "prlimit64": 302, "request_key": 249, "setns": 308,
		"socket": 41, "socketpair": 53, "unshare": 272, "userfaultfd": 323,
	}}
	arm64 = machine{audit: 0xc00000b7, calls: map[string]uint32{
		"add_key": 217, "bpf": 280, "clone": 220, "clone3": 435, "delete_module": 106, "fchmod": 52, "fchmodat": 53,
		"fchmodat2": 452, "finit_module": 273, "init_module": 105, "io_uring_enter": 426, "io_uring_register": 427,
		"io_uring_setup": 425, "ioctl": 29, "kexec_file_load": 294, "kexec_load": 104, "keyctl": 219, "mknodat": 33,
		"open_by_handle_at": 265, "openat": 56, "openat2": 437, "perf_event_open": 241, "prlimit64": 261,
		"request_key": 218, "setns": 268, "socket": 198, "socketpair": 199, "unshare": 97, "userfaultfd": 282,
	}}
)

// Probe is what a machine can do, found by trying.
type Probe struct {
	// ABI is the version of Landlock, 0 for none.
	ABI int `json:"abi"`
	// Level is the strongest level that started; empty when none did.
	Level Level `json:"level"`
	// Why says why a stronger one did not.
	Why string `json:"why,omitempty"`
}

// String says for people which level there is, and what is missing and why.
func (p Probe) String() string {
	switch {
	case p.Level == "":
		return fmt.Sprintf("no sandbox here (%s): confine starts nothing", p.Why)
	case p.Why != "":
		return fmt.Sprintf("level %s, Landlock ABI %d; no better one (%s)", p.Level, p.ABI, p.Why)
	}
	return fmt.Sprintf("level %s, Landlock ABI %d", p.Level, p.ABI)
}
