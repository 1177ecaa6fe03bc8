package confine

import (
	"errors"
	"fmt"
	"os"
)

// Command is one program to run confined.
type Command struct {
	Policy Policy
	World  World
	// Argv is the program and its arguments; a program without a slash is looked
	// for on the PATH of the World, as a shell does.
	Argv []string
	// Files are its standard streams; nothing else is handed on.
	Files [3]*os.File
	// Signals are handed on to the program, but for what its terminal has already
	// sent to the whole group. The channel stays the caller's.
	Signals <-chan os.Signal
	// Self is what this executable was called; stage 2 is shown under it.
	Self string
	// Trial is for tests alone.
	Trial *Trial
}

// Outcome is how a program ended that was run.
type Outcome struct {
	// Status is the program's own, or 128 and the number of the signal that ended
	// it.
	Status int
	// Level is the one that held it.
	Level Level
	// Notes say what was left out for it, as those of a Plan.
	Notes []string
	// Changed are guarded places that are not as they were, and More is how many
	// there are besides.
	Changed []string
	More    int
}

// NotStartedError: nothing of the program has run.
type NotStartedError struct{ Err error }

func (e *NotStartedError) Error() string { return "not started: " + e.Err.Error() }
func (e *NotStartedError) Unwrap() error { return e.Err }

// NotRunError: the sandbox stood, and the program could not be run in it.
type NotRunError struct {
	Program string
	Err     error
}

func (e *NotRunError) Error() string { return fmt.Sprintf("%s: %v", e.Program, e.Err) }
func (e *NotRunError) Unwrap() error { return e.Err }

// StatusFor is the exit status that an error of Run means.
func StatusFor(err error) int {
	var notRun *NotRunError
	if errors.As(err, &notRun) {
		return StatusOf(notRun.Err)
	}
	return StatusNotStarted
}

// noNamespacesError: this machine makes no namespaces, or lets nothing be done in
// them. It alone lets LevelBest be LevelLL; any other failure may be somebody's
// work, and nothing is started after it.
type noNamespacesError struct{ error }

func (e noNamespacesError) Unwrap() error { return e.error }

// Machine tries both levels, by starting something that does nothing: what a
// machine says of itself in its settings is not asked, for they are many.
func Machine(w World, self string, trial *Trial) Probe {
	p := Probe{ABI: trial.abi(ABI())}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		p.Why = err.Error()
		return p
	}
	defer null.Close()
	for _, level := range []Level{LevelNS, LevelLL} {
		c := Command{Policy: Policy{Level: level}, World: w, Argv: []string{"true"}, Files: [3]*os.File{null, null, null}, Self: self, Trial: trial}
		out, err := c.Run()
		switch {
		case err == nil && out.Status == 0:
			p.Level = level
			return p
		case p.Why != "":
		case err != nil:
			p.Why = fmt.Sprintf("level %s: %v", level, err)
		default:
			p.Why = fmt.Sprintf("level %s: true ends with status %d", level, out.Status)
		}
	}
	return p
}

func (t *Trial) abi(real int) int {
	if t != nil && t.ABI > 0 {
		return min(real, t.ABI)
	}
	return real
}
