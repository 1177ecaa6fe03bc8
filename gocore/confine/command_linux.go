package confine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// selfExe is this executable, also when its file has been replaced.
const selfExe = "/proc/self/exe"

// Run runs the program at the level that the policy asks for, or the best there
// is, and waits for its end. It holds this thread, which the program does not
// outlive.
func (c Command) Run() (Outcome, error) {
	out, err := c.run()
	if err == nil || errors.As(err, new(*NotRunError)) {
		return out, err
	}
	return out, &NotStartedError{err}
}

func (c Command) run() (Outcome, error) {
	if len(c.Argv) == 0 {
		return Outcome{}, errors.New("there is no program; give one")
	}
	if err := checkABI(c.Trial.abi(ABI())); err != nil {
		return Outcome{}, err
	}
	if err := c.Policy.check(); err != nil {
		return Outcome{}, err
	}
	policy, notes, err := Folders(c.Policy, c.World)
	if err != nil {
		return Outcome{}, err
	}
	if policy.Level != LevelLL {
		out, err := c.at(policy, LevelNS)
		if policy.Level == LevelNS || !errors.As(err, new(noNamespacesError)) {
			out.Notes = append(notes, out.Notes...)
			return out, err
		}
		notes = append(notes, fmt.Sprintf("there are no namespaces (%v)", err))
	}
	out, err := c.at(policy, LevelLL)
	if err != nil && len(notes) > 0 && policy.Level != LevelLL && !errors.As(err, new(*NotRunError)) {
		err = fmt.Errorf("%w; %s", err, notes[len(notes)-1])
	}
	out.Notes = append(notes, out.Notes...)
	return out, err
}

// at runs the program at one level.
func (c Command) at(policy Policy, level Level) (Outcome, error) {
	plan, err := Compile(policy, c.World, level)
	if err != nil {
		return Outcome{}, err
	}
	plan.Trial = c.Trial
	out := Outcome{Level: level, Notes: plan.Notes}
	before := plan.Look()
	if level == LevelNS {
		out.Status, err = c.namespaces(plan)
	} else {
		out.Status, err = c.landlock(plan)
	}
	if err == nil {
		out.Changed, out.More = before.Changed(plan.Look())
	}
	return out, err
}

// namespaces starts this executable again, which becomes the program.
func (c Command) namespaces(plan *Plan) (int, error) {
	stage, err := newStage(plan, c)
	if err != nil {
		return 0, err
	}
	defer stage.close()
	runtime.LockOSThread() // stage 2 dies with the thread that starts it
	defer runtime.UnlockOSThread()
	process, err := os.StartProcess(selfExe, stage.args, stage.attr)
	if err != nil {
		return 0, startFailure(err)
	}
	forward := forwardTo(process, c.Signals)
	defer forward.stop()
	stage.started()
	told, err := readTold(stage.told)
	if err != nil {
		// What it is at nobody knows, so it must not go on.
		_ = process.Kill()
	}
	if err != nil || !told.ready {
		_, _ = process.Wait()
		return 0, errors.Join(err, told.failure())
	}
	return waitReady(process)
}

// startFailure tells a machine without namespaces from anything else.
func startFailure(err error) error {
	wrapped := fmt.Errorf("namespaces: %w", err)
	for _, none := range []error{
		unix.EPERM, unix.EACCES, unix.ENOSYS, unix.EINVAL, // forbidden, or not in this kernel
		unix.ENOSPC, unix.EUSERS, // max_user_namespaces and its like
	} {
		if errors.Is(err, none) {
			return noNamespacesError{wrapped}
		}
	}
	return wrapped
}

// waitReady waits for stage 2, which was about to become the program. When it was
// killed before it did, it still has its own name.
func waitReady(process *os.Process) (int, error) {
	var info unix.Siginfo
	for unix.Waitid(unix.P_PID, process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", process.Pid))
	code, err := waitFor(process)
	if err == nil && strings.TrimSpace(string(name)) == StageWord && code > signalled {
		return 0, fmt.Errorf("stage 2 ended at the step exec (status %d)", code)
	}
	return code, err
}

// landlock confines one thread, which starts the program and ends with it.
func (c Command) landlock(plan *Plan) (int, error) {
	type result struct {
		code int
		err  error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // and never unlocked: nothing else may run on it
		code, err := c.onThread(plan)
		done <- result{code, err}
	}()
	r := <-done
	return r.code, r.err
}

func (c Command) onThread(plan *Plan) (int, error) {
	if err := Enter(plan); err != nil {
		return 0, err
	}
	var process *os.Process
	err := Start(plan.Env, c.Argv[0], func(path string) (err error) {
		process, err = os.StartProcess(path, c.Argv, &os.ProcAttr{
			Env:   plan.Env,
			Files: c.Files[:],
			Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
		})
		return err
	})
	if err != nil {
		return 0, &NotRunError{c.Argv[0], err}
	}
	forward := forwardTo(process, c.Signals)
	defer forward.stop()
	return waitFor(process)
}

// signalled is what a shell adds to the number of a signal.
const signalled = 128

// waitFor turns the end of a process into an exit status, as a shell does.
func waitFor(process *os.Process) (int, error) {
	state, err := process.Wait()
	if err != nil {
		return 0, err
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal()), nil
	}
	return state.ExitCode(), nil
}

// forwarding hands signals on to a process.
type forwarding struct{ done, gone chan struct{} }

// forwardTo hands on what ends a program politely. What a terminal sends by a key
// has reached the whole group already.
func forwardTo(process *os.Process, signals <-chan os.Signal) forwarding {
	f := forwarding{make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(f.gone)
		for {
			select {
			case <-f.done:
				return
			case sig, open := <-signals:
				if !open {
					return
				}
				key := sig == syscall.SIGINT || sig == syscall.SIGQUIT
				if !key || !inForeground() {
					_ = process.Signal(sig)
				}
			}
		}
	}()
	return f
}

func (f forwarding) stop() {
	close(f.done)
	<-f.gone
}

// inForeground reports whether the terminal's keys reach this process.
func inForeground() bool {
	tty, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(tty)
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// maxTold bounds what stage 2 says: a dozen steps and one error.
const maxTold = 64 << 10

// told is what stage 2 has said before its pipe ended.
type told struct {
	step  string // the last one that was begun
	ready bool   // all stands, and the next thing is the program
	fault string
	none  bool // the fault is that of a machine without namespaces
}

// Lines of stage 2 begin with one of these.
const (
	lineStep  = "step "
	lineReady = "ready"
	lineFault = "fault "
	lineNone  = "none "
)

func readTold(from io.Reader) (told, error) {
	var t told
	text, err := io.ReadAll(io.LimitReader(from, maxTold))
	for line := range strings.SplitSeq(string(text), "\n") {
		if step, ok := strings.CutPrefix(line, lineStep); ok {
			t.step = step
		}
		if fault, ok := strings.CutPrefix(line, lineFault); ok {
			t.fault = fault
		}
		if fault, ok := strings.CutPrefix(line, lineNone); ok {
			t.fault, t.none = fault, true
		}
		t.ready = line == lineReady || t.ready
	}
	t.ready = t.ready && t.fault == ""
	return t, err
}

// failure is why the program was not started.
func (t told) failure() error {
	switch {
	case t.none:
		return noNamespacesError{errors.New("namespaces: " + t.fault)}
	case t.fault != "":
		return errors.New(t.fault)
	case t.ready:
		return nil
	case t.step == "":
		return errors.New("stage 2 ended before its first step")
	}
	return fmt.Errorf("stage 2 ended at the step %s", t.step)
}
