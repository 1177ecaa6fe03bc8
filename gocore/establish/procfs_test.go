package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// procWorld answers below /proc and /dev the way a resolver's own process would
// see them: wrongly for anybody else.
func procWorld() *execenvtest.Tree {
	return world().
		Link("/proc/self", "4242").Link("/proc/thread-self", "4242/task/4242").
		Link("/proc/4242/cwd", "/wrong/cwd").Link("/proc/4242/root", "/").Link("/proc/4242/fd/0", "/wrong/stdin").
		File("/proc/4242/environ").Dir("/proc/4242/task/4242").Dir("/wrong/cwd").
		Link("/dev/stdin", "/proc/self/fd/0").Link("/dev/stdout", "/proc/self/fd/1").Link("/dev/fd", "/proc/self/fd").
		Device("/dev/null").File("/proc/cpuinfo").Link("/r/here", "/proc/self/cwd").Link("/r/in", "/dev/stdin").Link("/r/sh", "/proc/self/fd/3")
}

// A path that depends on the process that opens it is what the plan knows of
// it, and otherwise has no answer; never what the resolver's process sees.
func TestMagic(t *testing.T) {
	file := read("link-out", redirect("<", 0))
	three := read("a.txt", redirect("<", 3))
	for _, tt := range []struct {
		word  shellplan.Candidate
		with  []shellplan.Candidate
		want  string
		magic bool
	}{
		{read("/dev/stdin"), []shellplan.Candidate{file}, "/out/secret.txt", false},
		{read("/proc/self/fd/0"), []shellplan.Candidate{file}, "/out/secret.txt", false},
		{read("in"), []shellplan.Candidate{file}, "/out/secret.txt", false},
		{read("/dev/fd/3"), []shellplan.Candidate{three}, "/r/a.txt", false},
		{read("sh"), []shellplan.Candidate{three}, "/r/a.txt", false},
		{write("/dev/fd/3"), []shellplan.Candidate{three}, "/r/a.txt", false},
		{read("/dev/fd/4"), []shellplan.Candidate{three}, "", true},
		{read("/dev/fd/03"), []shellplan.Candidate{three}, "", true},
		{read("/dev/fd/3/x"), []shellplan.Candidate{three}, "", true},
		{read("/dev/stdin"), nil, "/dev/stdin", false},
		{write("/dev/stderr"), nil, "/dev/stderr", false},
		{write("/dev/stdout", redirect(">", 2)), nil, "/dev/stdout", false},
		{write("/dev/stdin"), nil, "", true},
		{read("/dev/stdout"), nil, "", true},
		{write("/dev/stderr"), []shellplan.Candidate{read("a.txt", redirect("<", 2))}, "/r/a.txt", false},
		{write("/dev/stdout"), []shellplan.Candidate{read("a.txt", redirect("<", 3))}, "", true},
		{entry("/dev/stdin"), nil, "/dev/stdin", false},
		{read("/dev/fd"), nil, "", true},
		{read("/proc/self/cwd/a.txt"), nil, "/r/a.txt", false},
		{read("/proc/thread-self/cwd/a.txt"), nil, "/r/a.txt", false},
		{read("here/src/main.go"), nil, "/r/src/main.go", false},
		{read("here/../out/secret.txt"), nil, "/out/secret.txt", false},
		{read("/proc/self/root/out/secret.txt"), nil, "/out/secret.txt", false},
		{read("procroot/out/secret.txt"), nil, "/out/secret.txt", false},
		{read("/proc/self/environ"), nil, "", true},
		{read("/proc/4242/environ"), nil, "", true},
		{read("/proc/4242/cwd/x"), nil, "", true},
		{read("/proc/1/root/etc"), nil, "", true},
		{read("/proc/self"), nil, "", true},
		{read("/proc/self/../cpuinfo"), nil, "/proc/cpuinfo", false},
		{read("/proc/cpuinfo"), nil, "/proc/cpuinfo", false},
		{write("/dev/null"), nil, "/dev/null", false},
		{read("/proc/[s]elf/environ"), nil, "", true},
		{read("/dev/std[i]n"), []shellplan.Candidate{file}, "/out/secret.txt", false},
	} {
		for _, trusted := range []bool{true, false} {
			// An environment that stops at such links says Loop; one that
			// does not is not believed.
			w := procWorld().Declare(execenv.Capabilities{Authoritative: true, CanonicalStopsAtMagic: trusted})
			if trusted {
				for _, p := range []string{"/dev/stdin", "/proc/self/fd/0", "/r/in", "/dev/fd/3", "/r/sh", "/r/here/src/main.go", "/r/here/../out/secret.txt",
					"/proc/self/cwd/a.txt", "/proc/self/root/out/secret.txt", "/r/procroot/out/secret.txt", "/proc/thread-self/cwd/a.txt"} {
					w.Fail("canonical", p, 0, execenv.Loop)
				}
			}
			e := establishIn(t, w, simple(append([]shellplan.Candidate{tt.word}, tt.with...)...))
			r := e.Segments[0].Resolutions[0]
			if tt.magic {
				assert.Equal(t, ProcMagic, r.Reason, "%s trusted=%v", tt.word.Raw, trusted)
				continue
			}
			assert.Equal(t, tt.want, r.Target(), "%s trusted=%v %s %s", tt.word.Raw, trusted, r.Reason, r.Detail)
		}
	}
}

func TestStreamsAreMarked(t *testing.T) {
	r := one(t, procWorld().Fail("canonical", "/dev/stdin", 0, execenv.Loop), read("/dev/stdin"))
	assert.True(t, r.Landings[0].Stream)
	p := plan(segment(read("a.txt", redirect("<", 5))), segment(write("/dev/stderr")))
	e := establishIn(t, procWorld().Fail("canonical", "/dev/stderr", 0, execenv.Loop), p)
	assert.Equal(t, ProcMagic, e.Segments[1].Resolutions[0].Reason, "a descriptor opened for reading may have become stderr")
}

// A descriptor that leads to a descriptor does not turn in circles.
func TestDescriptorLoop(t *testing.T) {
	w := procWorld().Fail("canonical", "/dev/fd/3", 0, execenv.Loop)
	r := establishIn(t, w, simple(read("/dev/fd/3", redirect("<", 3)))).Segments[0].Resolutions[0]
	assert.Equal(t, ProcMagic, r.Reason)
}
