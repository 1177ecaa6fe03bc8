package subprocess

import (
	"fmt"
	"os"
	"sync"
	"syscall"
)

// watchdogScript keeps a list of process groups, told line by line ("+ 123",
// "- 123"), and kills those that are on it when the input ends. The input is a
// pipe that only the watched process holds: it ends with it, however it ends.
const watchdogScript = `
groups=" "
while read -r op group; do
	case $op in
	+) groups="$groups$group " ;;
	-) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
	esac
done
for group in $groups; do kill -s KILL -- "-$group"; done`

// shellPath is in the same place on every system that we run on.
const shellPath = "/bin/sh"

// watchdog is one small process that ends the children of this process when
// that is killed, where the system has no signal for it. It is started with the
// first child, ends with this process, and is started anew when it was ended by
// somebody. The zero value is ready to use.
//
// A child that is killed for by nobody is possible in one case: this process
// dies between the start of the child and the line that tells of it.
type watchdog struct {
	mu     sync.Mutex
	pid    int
	input  *os.File // nil: not running
	groups map[int]bool
}

// add makes the watchdog end a process group with this process.
func (w *watchdog) add(group int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.input != nil && w.tell("+", group) == nil {
		w.groups[group] = true
		return nil
	}
	if err := w.start(); err != nil {
		return fmt.Errorf("start the watchdog of child processes: %w", err)
	}
	w.groups[group] = true
	for group := range w.groups {
		if err := w.tell("+", group); err != nil {
			return fmt.Errorf("tell the watchdog of child processes: %w", err)
		}
	}
	return nil
}

// remove takes a group off the list. It must not be reaped yet: the number would
// be free for others.
func (w *watchdog) remove(group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.groups, group)
	if w.input != nil {
		_ = w.tell("-", group) // without a watchdog there is no list
	}
}

func (w *watchdog) tell(op string, group int) error {
	_, err := fmt.Fprintf(w.input, "%s %d\n", op, group)
	return err
}

func (w *watchdog) start() error {
	if w.input != nil {
		w.input.Close()
		w.input = nil
		_, _ = syscall.Wait4(w.pid, nil, 0, nil) // it no longer reads: it has ended
	}
	r, input, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		input.Close()
		return err
	}
	defer null.Close()
	w.pid, _, err = syscall.StartProcess(shellPath, []string{shellPath, "-c", watchdogScript}, &syscall.ProcAttr{
		Dir:   "/", // it keeps no folder busy
		Env:   []string{},
		Files: []uintptr{r.Fd(), null.Fd(), null.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true}, // no signal of a terminal reaches it
	})
	if err != nil {
		input.Close()
		return err
	}
	w.input = input
	if w.groups == nil {
		w.groups = map[int]bool{}
	}
	return nil
}
