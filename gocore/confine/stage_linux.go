package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// StageWord is the first argument of this executable when it starts itself in
// new namespaces. Behind it stands the program.
const StageWord = "confine-stage2"

// Descriptors of stage 2, behind the standard streams.
const (
	fdPlan = 3
	fdTell = 4
)

// Stage is what the command starts for LevelNS: this executable again.
type Stage struct {
	Args []string
	Attr *os.ProcAttr
	// Told ends when the program begins, and says before why it will not.
	Told  *os.File
	ours  []*os.File
	stage []*os.File
}

// NewStage prepares the start of a program at LevelNS.
func NewStage(p *Plan, name string, argv []string) (*Stage, error) {
	if p.Trial != nil && p.Trial.NoNamespaces {
		return nil, errors.New("there are no namespaces in this trial")
	}
	s := &Stage{Args: append([]string{name, StageWord}, argv...)}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("plan", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	plan := os.NewFile(uintptr(fd), "plan")
	s.stage = append(s.stage, plan)
	if _, err = plan.Write(text); err == nil {
		_, err = plan.Seek(0, 0)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	told, tell, err := os.Pipe()
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Told, s.stage = told, append(s.stage, tell)
	s.Attr = &os.ProcAttr{
		Env:   p.Env,
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, plan, tell},
		Sys:   namespaces(p),
	}
	return s, nil
}

// Started gives up what stage 2 has of its own now.
func (s *Stage) Started() {
	for _, f := range s.stage {
		_ = f.Close()
	}
	s.stage = nil
}

// Close gives up everything.
func (s *Stage) Close() {
	s.Started()
	if s.Told != nil {
		_ = s.Told.Close()
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
	if p.Trial == nil || !p.Trial.NoCapabilities {
		// exec takes the capabilities of a user that is not 0, but for these
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	}
	return attr
}

// mayMount: root as a whole, and not the root of a container.
func mayMount() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	const all = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_SETPCAP
	return unix.Capget(&header, &have[0]) == nil && have[0].Effective&all == all
}

// Ready is what Stage2 hands over when the next thing is the program.
type Ready struct {
	Plan *Plan
	Argv []string
}

// Stage2 runs in the new process, on its locked main thread: it makes the mounts
// and enters. Its error has been told to the starter.
func Stage2(argv []string) (*Ready, error) {
	unix.CloseOnExec(fdTell)
	tell := os.NewFile(fdTell, "tell")
	plan := os.NewFile(fdPlan, "plan")
	if tell == nil || plan == nil {
		return nil, errors.New("this is started by confine alone")
	}
	var p Plan
	err := json.NewDecoder(plan).Decode(&p)
	_ = plan.Close()
	if err == nil {
		err = stage2(&p)
	}
	if err != nil {
		_, _ = tell.WriteString(err.Error())
		return nil, err
	}
	return &Ready{Plan: &p, Argv: argv}, nil
}

func stage2(p *Plan) error {
	step := trial{p}.step
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
