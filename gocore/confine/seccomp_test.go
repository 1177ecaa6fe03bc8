package confine

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// judged is what the kernel would do: it runs the filter over one call.
func judged(prog []instruction, audit, number uint32, args ...uint64) uint32 {
	data := make([]byte, offArgs+6*8) // struct seccomp_data
	binary.LittleEndian.PutUint32(data[offNumber:], number)
	binary.LittleEndian.PutUint32(data[offAudit:], audit)
	for i, arg := range args {
		binary.LittleEndian.PutUint64(data[offArgs+8*i:], arg)
	}
	var a uint32
	for at := 0; ; at++ {
		i := prog[at]
		jump := func(yes bool) {
			if yes {
				at += int(i.Jt)
			} else {
				at += int(i.Jf)
			}
		}
		switch i.Code {
		case bpfLoad:
			a = binary.LittleEndian.Uint32(data[i.K:])
		case bpfAnd:
			a &= i.K
		case bpfEqual:
			jump(a == i.K)
		case bpfAtLeast:
			jump(a >= i.K)
		case bpfReturn:
			return i.K
		default:
			panic(fmt.Sprint("an instruction that the filter does not use: ", i))
		}
	}
}

const (
	no       = retErrno | ePerm
	noCall   = retErrno | eNoSys
	noFamily = retErrno | eNoFam
)

func TestFilter(t *testing.T) {
	ns, ll := &Plan{Level: LevelNS, Net: NetNone}, &Plan{Level: LevelLL, Net: NetNone}
	all, sockets := &Plan{Level: LevelLL, Net: NetAll}, &Plan{Level: LevelNS, Net: NetNone, Unix: true}
	for name, m := range map[string]machine{"amd64": amd64, "arm64": arm64} {
		for _, c := range []struct {
			plan *Plan
			call string
			args []uint64
			want uint32
		}{
			{ns, "io_uring_setup", nil, no},
			{ns, "keyctl", nil, no},
			{ns, "setns", nil, no},
			{ns, "clone3", nil, noCall},
			{ns, "openat2", nil, noCall},
			{ns, "unshare", []uint64{cloneNewUser | 0x20000}, no},
			{ns, "unshare", []uint64{0x20000}, retAllow},
			{ns, "clone", []uint64{0x1200011}, retAllow},
			{ns, "clone", []uint64{cloneNewUser | 17}, no},
			{ns, "ioctl", []uint64{0, tiocsti}, no},
			{ns, "ioctl", []uint64{0, 1<<32 | tiocsti}, no}, // the kernel looks at the low half
			{ns, "ioctl", []uint64{0, tioclinux}, no},
			{ns, "ioctl", []uint64{0, 0x5401}, retAllow},
			{ns, "prlimit64", []uint64{0, 7, 0xdead}, retAllow},      // its own
			{ns, "prlimit64", []uint64{42, 7, 0}, retAllow},          // only asked
			{ns, "prlimit64", []uint64{42, 7, 0x1000}, no},           // set
			{ns, "prlimit64", []uint64{42, 7, 0x7fff_0000_0000}, no}, // the low half of the pointer is zero
			{ns, "fchmod", []uint64{3, 0o4755}, no},
			{ns, "fchmod", []uint64{3, 0o2755}, retAllow}, // a group only, which is one's own
			{ns, "fchmodat", []uint64{3, 0, 0o4755}, no},
			{ns, "fchmodat2", []uint64{3, 0, 0o4755}, no},
			{ns, "openat", []uint64{3, 0, openCreate | 1, 0o4755}, no},
			{ns, "openat", []uint64{3, 0, openTmpfile | 1, 0o4755}, no},
			{ns, "openat", []uint64{3, 0, openCreate | 1, 0o644}, retAllow},
			{ns, "openat", []uint64{3, 0, 0, 0o4755}, retAllow}, // no file is made: nobody reads the mode
			{ns, "mknodat", []uint64{3, 0, 0o104755}, no},
			{ns, "socket", []uint64{afUnix, 1, 0}, no},
			{sockets, "socket", []uint64{afUnix, 1, 0}, retAllow},
			{ns, "socketpair", []uint64{afUnix, sockStream, 0}, retAllow},
			{ns, "socketpair", []uint64{afUnix, sockSeqpacket | 0o2000000, 0}, retAllow},
			{ns, "socketpair", []uint64{afUnix, 2, 0}, no},
			{ns, "socketpair", []uint64{afUnix, 3, 0}, no},
			{ns, "socketpair", []uint64{30, 1, 0}, noFamily},
			{ns, "socket", []uint64{afInet, 1, 0}, retAllow}, // of its own network
			{ll, "socket", []uint64{afInet, 1, 0}, no},
			{ll, "socket", []uint64{afInet6, 2, 0}, no},
			{all, "socket", []uint64{afInet, 1, 0}, retAllow},
			{all, "socket", []uint64{afUnix, 1, 0}, no},
			{ns, "socket", []uint64{afNetlink, 3, netlinkRoute}, retAllow},
			{ns, "socket", []uint64{afNetlink, 3, 9}, no},
			{all, "socket", []uint64{40, 1, 0}, noFamily}, // vsock
			{all, "socket", []uint64{17, 3, 0}, noFamily}, // packets
		} {
			got := judged(filter(c.plan, m), m.audit, m.calls[c.call], c.args...)
			assert.Equal(t, c.want, got, "%s %v at %s on %s", c.call, c.args, c.plan.Level, name)
		}
		assert.EqualValues(t, noCall, judged(filter(ns, m), 0x40000003, 11), "calls of i386")
		assert.EqualValues(t, noCall, judged(filter(ns, m), m.audit, 0x40000000+41), "calls of x32")
		assert.EqualValues(t, noCall, judged(filter(ns, m), m.audit, newestCall+1), "a call that nobody here knows")
		assert.EqualValues(t, retAllow, judged(filter(ns, m), m.audit, newestCall), "the newest that is known")
	}
	assert.EqualValues(t, no, judged(filter(ns, amd64), amd64.audit, amd64.calls["chmod"], 0, 0o4755))
	assert.EqualValues(t, no, judged(filter(ns, amd64), amd64.audit, amd64.calls["open"], 0, openCreate, 0o4755))
	assert.EqualValues(t, no, judged(filter(ns, amd64), amd64.audit, amd64.calls["creat"], 0, 0o4755))
}

// The kernel takes at most this many instructions, and jumps within a byte.
func TestFilterFits(t *testing.T) {
	const most = 4096
	for _, m := range []machine{amd64, arm64} {
		for _, level := range []Level{LevelNS, LevelLL} {
			prog := filter(&Plan{Level: level, Net: NetNone}, m)
			assert.Less(t, len(prog), most)
			for at, i := range prog {
				assert.Less(t, at+int(max(i.Jt, i.Jf)), len(prog), "%d: %v leads out", at, i)
			}
			assert.EqualValues(t, retAllow, prog[len(prog)-1].K)
		}
	}
}
