package confine

// The filter of system calls: what Landlock and mounts do not hold. It allows
// what it does not name, up to the newest call known here; a newer one answers
// "no such call", as an older kernel would, since nobody here knows what it does.

// instruction is one of classic BPF, in the kernel's own layout.
type instruction struct {
	Code   uint16
	Jt, Jf uint8
	K      uint32
}

const (
	bpfLoad    = 0x20 // BPF_LD | BPF_W | BPF_ABS
	bpfEqual   = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	bpfAtLeast = 0x35 // BPF_JMP | BPF_JGE | BPF_K
	bpfAnd     = 0x54 // BPF_ALU | BPF_AND | BPF_K
	bpfReturn  = 0x06 // BPF_RET | BPF_K

	offNumber = 0 // in struct seccomp_data
	offAudit  = 4
	offArgs   = 16

	retAllow = 0x7fff0000 // SECCOMP_RET_ALLOW
	retErrno = 0x00050000 // SECCOMP_RET_ERRNO

	// newestCall is file_setattr of Linux 6.17, the newest that was looked at.
	newestCall = 469
)

// Errors of the filter; the numbers are the same on both architectures.
const (
	ePerm    = 1
	eNoSys   = 38
	eNoFam   = 97 // EAFNOSUPPORT
	wholeArg = 0xffffffff
)

// Values of arguments, from the kernel's headers.
const (
	afUnix, afInet, afInet6, afNetlink = 1, 2, 10, 16
	sockStream, sockSeqpacket          = 1, 5
	sockTypeMask                       = 0xf
	netlinkRoute                       = 0
	setuidBit                          = 0o4000
	openCreate, openTmpfile            = 0o100, 0o20000000
	cloneNewUser                       = 0x10000000
	tiocsti, tioclinux                 = 0x5412, 0x541c
)

// test looks at one half of an argument: (half & mask) == want, or not.
type test struct {
	arg  int
	high bool
	mask uint32
	want uint32
	not  bool
}

func is(arg int, want uint32) test    { return test{arg: arg, mask: wholeArg, want: want} }
func isNot(arg int, want uint32) test { return test{arg: arg, mask: wholeArg, want: want, not: true} }
func has(arg int, bit uint32) test    { return test{arg: arg, mask: bit, want: bit} }

// refusal is how one call fails: when all tests hold.
type refusal struct {
	call  string
	errno uint32
	when  []test
}

// refusals is what the filter refuses for a plan.
func refusals(p *Plan) []refusal {
	var out []refusal
	refuse := func(errno uint32, call string, when ...test) { out = append(out, refusal{call, errno, when}) }
	for _, call := range []string{
		"io_uring_setup", "io_uring_enter", "io_uring_register", // opens and makes sockets behind the filter
		"keyctl", "add_key", "request_key", // keyrings are the user's, not the sandbox's
		"bpf", "userfaultfd", "perf_event_open", // for attacks on the kernel
		"setns", "open_by_handle_at", // other namespaces; files without a path
		"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
	} {
		refuse(ePerm, call)
	}
	// What is typed into the terminal is the host's next command.
	refuse(ePerm, "ioctl", is(1, tiocsti))
	refuse(ePerm, "ioctl", is(1, tioclinux))
	// A user namespace inside would have all capabilities over itself.
	refuse(ePerm, "unshare", has(0, cloneNewUser))
	refuse(ePerm, "clone", has(0, cloneNewUser))
	refuse(eNoSys, "clone3") // its flags lie in memory; libraries go back to clone
	refuseSetuid(refuse)
	// Limits of another process: Landlock has no hook there. The pointer to new
	// limits has two halves, and either may be zero.
	refuse(ePerm, "prlimit64", isNot(0, 0), isNot(2, 0))
	refuse(ePerm, "prlimit64", isNot(0, 0), test{arg: 2, high: true, mask: wholeArg, not: true})
	refuseSockets(p, refuse)
	return out
}

// refuseSetuid: nothing that is made here runs with these rights elsewhere.
func refuseSetuid(refuse func(uint32, string, ...test)) {
	refuse(ePerm, "chmod", has(1, setuidBit))
	refuse(ePerm, "fchmod", has(1, setuidBit))
	refuse(ePerm, "fchmodat", has(2, setuidBit))
	refuse(ePerm, "fchmodat2", has(2, setuidBit))
	refuse(ePerm, "creat", has(1, setuidBit))
	refuse(ePerm, "mknod", has(1, setuidBit))
	refuse(ePerm, "mknodat", has(2, setuidBit))
	for _, made := range []uint32{openCreate, openTmpfile} {
		refuse(ePerm, "open", has(1, made), has(2, setuidBit))
		refuse(ePerm, "openat", has(2, made), has(3, setuidBit))
	}
	refuse(eNoSys, "openat2") // its mode lies in memory; programs go back to openat
}

func refuseSockets(p *Plan, refuse func(uint32, string, ...test)) {
	if !p.Unix {
		refuse(ePerm, "socket", is(0, afUnix))
		// A pair that is not connected for good can be led to a path: SOCK_DGRAM,
		// and SOCK_RAW, which means the same here.
		pairType := func(t uint32) test { return test{arg: 1, mask: sockTypeMask, want: t, not: true} }
		refuse(ePerm, "socketpair", is(0, afUnix), pairType(sockStream), pairType(sockSeqpacket))
	}
	if p.Net != NetAll && p.Level != LevelNS {
		refuse(ePerm, "socket", is(0, afInet))
		refuse(ePerm, "socket", is(0, afInet6))
	}
	refuse(ePerm, "socket", is(0, afNetlink), isNot(2, netlinkRoute))
	// No other family: a network namespace does not hold vsock, say.
	refuse(eNoFam, "socket", isNot(0, afUnix), isNot(0, afInet), isNot(0, afInet6), isNot(0, afNetlink))
	refuse(eNoFam, "socketpair", isNot(0, afUnix))
}

// filter is the program for a machine.
func filter(p *Plan, m machine) []instruction {
	prog := []instruction{
		{bpfLoad, 0, 0, offAudit},
		{bpfEqual, 1, 0, m.audit},
		{bpfReturn, 0, 0, retErrno | eNoSys}, // calls of another architecture have other numbers
		{bpfLoad, 0, 0, offNumber},
		{bpfAtLeast, 0, 1, newestCall + 1}, // the second ABI of x86-64, x32, begins at 0x40000000
		{bpfReturn, 0, 0, retErrno | eNoSys},
	}
	byCall, order := map[string][]refusal{}, []string(nil)
	for _, r := range refusals(p) {
		if _, known := m.calls[r.call]; !known {
			continue // this architecture never had it
		}
		if byCall[r.call] == nil {
			order = append(order, r.call)
		}
		byCall[r.call] = append(byCall[r.call], r)
	}
	for _, call := range order {
		var block []instruction
		for _, r := range byCall[call] {
			block = append(block, r.instructions()...)
		}
		if len(byCall[call][len(byCall[call])-1].when) > 0 {
			block = append(block, instruction{bpfReturn, 0, 0, retAllow})
		}
		prog = append(prog, instruction{bpfEqual, 0, uint8(len(block)), m.calls[call]})
		prog = append(prog, block...)
	}
	return append(prog, instruction{bpfReturn, 0, 0, retAllow})
}

// instructions end the call when all tests hold and go on behind themselves else.
func (r refusal) instructions() []instruction {
	left := 3*len(r.when) + 1
	var out []instruction
	for _, t := range r.when {
		off := uint32(offArgs + 8*t.arg)
		if t.high {
			off += 4 // both architectures are little-endian
		}
		left -= 3
		jump := instruction{bpfEqual, 0, uint8(left), t.want}
		if t.not {
			jump.Jt, jump.Jf = jump.Jf, jump.Jt
		}
		out = append(out, instruction{bpfLoad, 0, 0, off}, instruction{bpfAnd, 0, 0, t.mask}, jump)
	}
	return append(out, instruction{bpfReturn, 0, 0, retErrno | r.errno})
}
