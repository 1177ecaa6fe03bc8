package confine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asked is a variable with a start in JSON: then this executable is the command.
const asked = "CONFINE_TEST_START"

type start struct {
	Policy Policy
	Argv   []string
	Trial  *Trial
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == StageWord {
		code, err := RunStage2(os.Args[2:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}
	if len(os.Args) > 1 && os.Args[1] == probeWord {
		os.Exit(probe(os.Args[2:]))
	}
	if text := os.Getenv(asked); text != "" {
		os.Exit(runAsked(text))
	}
	os.Exit(m.Run())
}

func runAsked(text string) int {
	var s start
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	c := Command{
		Policy: s.Policy, Argv: s.Argv, Trial: s.Trial, Self: os.Args[0],
		World: World{Tree: HostTree{}, Env: []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}, Cwd: cwd, UID: uint32(os.Geteuid())},
		Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr},
	}
	out, err := c.Run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return StatusFor(err)
	}
	return out.Status
}

// otherUser is somebody without rights.
const otherUser = 4242

// bench is a folder that a user may work in, with this executable.
type bench struct {
	exe, dir string
	user     uint32
}

// benches are root, where this is root, and somebody who is not. Kernels without
// what a level needs are said to be skipped.
func benches(t *testing.T, level Level) map[string]bench {
	t.Helper()
	found := map[string]bench{}
	users := map[string]uint32{"self": uint32(os.Geteuid())}
	if os.Geteuid() == 0 {
		users = map[string]uint32{"root": 0, "user": otherUser}
	}
	for name, user := range users {
		base, err := os.MkdirTemp("", "confine") // t.TempDir is for this user alone
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(base) })
		require.NoError(t, os.Chmod(base, 0o755))
		text, err := os.ReadFile("/proc/self/exe")
		require.NoError(t, err)
		b := bench{filepath.Join(base, "exe"), filepath.Join(base, "work"), user}
		require.NoError(t, os.WriteFile(b.exe, text, 0o755))
		require.NoError(t, os.Mkdir(b.dir, 0o755))
		require.NoError(t, os.Chown(b.dir, int(user), int(user)))
		if status, said := b.run(t, start{Policy: Policy{Level: level}, Argv: []string{"true"}}); status != 0 {
			t.Skipf("this machine has no level %s for %s: %s", level, name, said)
		}
		found[name] = b
	}
	return found
}

// run starts something in the bench.
func (b bench) run(t *testing.T, s start) (int, string) {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var said bytes.Buffer
	cmd := &exec.Cmd{
		Path: b.exe, Args: []string{"confine"}, Dir: b.dir, Stdout: &said, Stderr: &said,
		Env: append(os.Environ(), asked+"="+string(text)),
	}
	if uint32(os.Geteuid()) != b.user {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: b.user, Gid: b.user}}
	}
	err = cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		require.NoError(t, err)
	}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return signalled + int(status.Signal()), said.String()
	}
	return cmd.ProcessState.ExitCode(), said.String()
}

// mark leaves a file and says at which level, when it runs at all.
var mark = []string{"sh", "-c", "echo $HYDRA_CONFINED > ran"}

// ran is the level that a mark was left at.
func (b bench) ran(t *testing.T) string {
	t.Helper()
	file := filepath.Join(b.dir, "ran")
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	require.NoError(t, err)
	require.NoError(t, os.Remove(file))
	return string(text)
}

// Whatever step fails, and before whatever step stage 2 is killed: nothing of the
// program runs, at a weaker level neither, and the step is named.
func TestNothingRunsAfterAStepHasFailed(t *testing.T) {
	for name, b := range benches(t, LevelNS) {
		for _, step := range Steps {
			for _, level := range []Level{LevelNS, LevelBest} {
				for way, trial := range map[string]Trial{"fails": {Fail: step}, "killed": {Kill: step}} {
					t.Run(fmt.Sprint(name, level, step, way), func(t *testing.T) {
						status, said := b.run(t, start{Policy{WriteRoots: []string{"."}, Level: level}, mark, &trial})
						assert.Empty(t, b.ran(t))
						assert.Equal(t, StatusNotStarted, status, said)
						assert.Contains(t, said, "step "+step)
					})
				}
			}
		}
	}
}

// At LevelLL it is this process that confines a thread of its own.
func TestNothingRunsAfterAStepOfLandlockHasFailed(t *testing.T) {
	for name, b := range benches(t, LevelLL) {
		for _, step := range []string{"capabilities", "landlock", "descriptors", "seccomp"} {
			t.Run(name+step, func(t *testing.T) {
				policy := Policy{WriteRoots: []string{"."}, Level: LevelLL}
				status, said := b.run(t, start{policy, mark, &Trial{Fail: step}})
				assert.Equal(t, StatusNotStarted, status, said)
				assert.Contains(t, said, "step "+step)
				status, said = b.run(t, start{policy, mark, &Trial{Kill: step}})
				assert.Equal(t, signalled+int(syscall.SIGKILL), status, said)
				assert.Empty(t, b.ran(t))
			})
		}
	}
}

// Only a machine without namespaces lets best be ll, and only a policy that ll can
// hold.
func TestTheLevelIsLoweredWhereThereAreNoNamespaces(t *testing.T) {
	for name, b := range benches(t, LevelLL) {
		for what, trial := range map[string]Trial{"namespaces": {NoNamespaces: true}, "capabilities": {NoCapabilities: true}} {
			t.Run(name+" without "+what, func(t *testing.T) {
				policy := Policy{WriteRoots: []string{"."}}
				status, said := b.run(t, start{policy, mark, &trial})
				assert.Equal(t, 0, status, said)
				assert.Equal(t, "ll\n", b.ran(t))

				policy.Level = LevelNS
				status, said = b.run(t, start{policy, mark, &trial})
				assert.Equal(t, StatusNotStarted, status, said)
				assert.Empty(t, b.ran(t))

				require.NoError(t, os.WriteFile(filepath.Join(b.dir, ".env"), nil, 0o644))
				policy = Policy{WriteRoots: []string{"."}, DenyPaths: []string{".env"}}
				status, said = b.run(t, start{policy, mark, &trial})
				assert.Equal(t, StatusNotStarted, status, said)
				assert.Contains(t, said, ".env is denied and lies in the write root")
				assert.Contains(t, said, "there are no namespaces")
				assert.Empty(t, b.ran(t))
			})
		}
	}
}

// An older Landlock starts nothing at any level.
func TestAnOlderLandlockStartsNothing(t *testing.T) {
	for name, b := range benches(t, LevelLL) {
		for abi := 1; abi < MinABI; abi++ {
			for _, level := range []Level{LevelBest, LevelNS, LevelLL} {
				t.Run(fmt.Sprint(name, abi, level), func(t *testing.T) {
					status, said := b.run(t, start{Policy{WriteRoots: []string{"."}, Level: level}, mark, &Trial{ABI: abi}})
					assert.Equal(t, StatusNotStarted, status)
					assert.Contains(t, said, fmt.Sprintf("ABI %d", abi))
					assert.Empty(t, b.ran(t))
				})
			}
		}
	}
}

// The status is the program's own, or says what env would say.
func TestStatuses(t *testing.T) {
	for _, level := range []Level{LevelNS, LevelLL} {
		for name, b := range benches(t, level) {
			require.NoError(t, os.WriteFile(filepath.Join(b.dir, "plain"), nil, 0o644))
			for _, c := range []struct {
				argv   []string
				status int
			}{
				{[]string{"sh", "-c", "exit 7"}, 7},
				{[]string{"sh", "-c", "kill -KILL $$"}, 137},
				{[]string{"sh", "-c", "kill -TERM $$"}, 143},
				{[]string{"no-such-program"}, StatusNotFound},
				{[]string{"./nothing/here"}, StatusNotFound},
				{[]string{"./plain"}, StatusNotRunable},
			} {
				t.Run(fmt.Sprint(level, name, c.argv), func(t *testing.T) {
					status, said := b.run(t, start{Policy: Policy{Roots: []string{"."}, Level: level}, Argv: c.argv})
					assert.Equal(t, c.status, status, said)
				})
			}
		}
	}
}

// A write root inside of a denied path is none, and a denied path that could be
// made is not left open.
func TestWhatCannotBeHeldIsNotStarted(t *testing.T) {
	for name, b := range benches(t, LevelLL) {
		t.Run(name, func(t *testing.T) {
			status, said := b.run(t, start{Policy{WriteRoots: []string{"."}, DenyPaths: []string{".."}}, mark, nil})
			assert.Equal(t, StatusNotStarted, status)
			assert.Contains(t, said, "lies in the denied path")
			status, said = b.run(t, start{Policy{WriteRoots: []string{"."}, DenyPaths: []string{"missing"}}, mark, nil})
			assert.Equal(t, StatusNotStarted, status)
			assert.Contains(t, said, "does not exist, so that it could be made")
			assert.Empty(t, b.ran(t))
		})
	}
}

// What a machine can do is found by trying, and said with what is missing.
func TestMachine(t *testing.T) {
	w := World{Tree: HostTree{}, Env: []string{"PATH=/usr/bin:/bin"}, Cwd: "/"}
	old := Machine(w, os.Args[0], &Trial{ABI: 5})
	assert.Empty(t, old.Level)
	assert.Contains(t, old.String(), "no sandbox here (level ns: not started: ")
	benches(t, LevelLL) // or this is skipped
	some := Machine(w, os.Args[0], &Trial{NoNamespaces: true})
	assert.Equal(t, LevelLL, some.Level)
	assert.Contains(t, some.String(), "no better one (level ns: not started: there are no namespaces")
}
