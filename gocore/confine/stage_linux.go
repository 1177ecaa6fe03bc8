package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptors of stage 2, behind the standard streams.
const (
	fdPlan = 3
	fdTell = 4
)

// stage is what is started for LevelNS: this executable again.
type stage struct {
	args []string
	attr *os.ProcAttr
	// told ends when the program begins, and says before how far stage 2 is.
	told   *os.File
	theirs []*os.File
}

// newStage prepares the start of a program at LevelNS.
func newStage(p *Plan, c Command) (*stage, error) {
	if p.Trial != nil && p.Trial.NoNamespaces {
		return nil, noNamespacesError{errors.New("there are no namespaces in this trial")}
	}
	s := &stage{args: append([]string{c.Self, StageWord}, c.Argv...)}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("plan", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	plan := os.NewFile(uintptr(fd), "plan")
	s.theirs = append(s.theirs, plan)
	if _, err = plan.Write(text); err == nil {
		_, err = plan.Seek(0, 0)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	told, tell, err := os.Pipe()
	if err != nil {
		s.close()
		return nil, err
	}
	s.told, s.theirs = told, append(s.theirs, tell)
	s.attr = &os.ProcAttr{
		Env:   p.Env,
		Files: []*os.File{c.Files[0], c.Files[1], c.Files[2], plan, tell},
		Sys:   namespaces(p),
	}
	return s, nil
}

// started gives up what stage 2 has of its own now.
func (s *stage) started() {
	for _, f := range s.theirs {
		_ = f.Close()
	}
	s.theirs = nil
}

// close gives up everything.
func (s *stage) close() {
	s.started()
	if s.told != nil {
		_ = s.told.Close()
	}
}

// namespaces are those of LevelNS. None for processes: background servers outlive
// a command. Stage 2 dies with the thread that starts it.
func namespaces(p *Plan) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWIPC, Pdeathsig: syscall.SIGKILL}
	if p.Net != NetAll {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if mayMount() {
		return attr
	}
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	// exec takes the capabilities of a user that is not 0, but for these
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	return attr
}

// mayMount: root as a whole, and not the root of a container.
func mayMount() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	const all = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_SETPCAP
	return unix.Capget(&header, &have[0]) == nil && have[0].Effective&all == all
}

// RunStage2 is all that this executable does in the new process: it makes the mounts, enters, and becomes the program.
// It returns when that fails, with the status to end with and what to say
// where the starter was not told.
func RunStage2(argv []string) (int, error) {
	runtime.LockOSThread() // the rules are this thread's, and only it may become the program
	unix.CloseOnExec(fdTell)
	tell := os.NewFile(fdTell, "tell")
	plan := os.NewFile(fdPlan, "plan")
	// The name by which the starter knows that this is not the program yet.
	_ = os.WriteFile("/proc/self/comm", []byte(StageWord), 0)
	var p Plan
	err := json.NewDecoder(plan).Decode(&p)
	if err != nil || len(argv) == 0 {
		return StatusNotStarted, errors.New("this is started by confine alone")
	}
	_ = plan.Close()
	say := func(word, text string) error {
		_, err := tell.WriteString(word + strings.ReplaceAll(text, "\n", " ") + "\n")
		return err
	}
	err = stage2(&p, func(name string) error {
		if err := say(lineStep, name); err != nil {
			return err // nobody waits for it
		}
		return trial{&p}.step(name)
	})
	if err == nil {
		err = say(lineReady, "")
	}
	if err != nil {
		word := lineFault
		if errors.As(err, new(noNamespacesError)) {
			word = lineNone
		}
		_ = say(word, err.Error())
		return StatusNotStarted, nil
	}
	if err := (trial{&p}).step("exec"); err != nil {
		return StatusNotStarted, err
	}
	env := os.Environ()
	err = Start(env, argv[0], func(path string) error { return syscall.Exec(path, argv, env) })
	return StatusOf(err), &NotRunError{argv[0], err}
}

func stage2(p *Plan, step func(string) error) error {
	if p.Trial != nil && p.Trial.NoCapabilities {
		if err := dropCapabilities(false); err != nil {
			return err
		}
	}
	var before, after unix.Stat_t
	if err := unix.Stat(".", &before); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if err := mounts(p, step); err != nil {
		return err
	}
	if err := step("loopback"); err != nil {
		return err
	}
	if p.Net != NetAll {
		if err := loopback(); err != nil {
			return err
		}
	}
	if err := step("cwd"); err != nil {
		return err
	}
	// The directory that was inherited lies below the new mounts, where nothing is
	// covered or read-only.
	if err := unix.Chdir(p.Cwd); err != nil {
		return fmt.Errorf("working directory %s: %w", p.Cwd, err)
	}
	if err := unix.Stat(".", &after); err != nil || after.Ino != before.Ino || after.Dev != before.Dev {
		return fmt.Errorf("the working directory is no longer at %s, or is denied", p.Cwd)
	}
	return enter(p, step)
}
