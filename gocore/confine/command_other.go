//go:build !linux

package confine

import (
	"fmt"
	"runtime"
)

// ABI is the version of Landlock here: there is none.
func ABI() int { return 0 }

// Run starts nothing here.
func (c Command) Run() (Outcome, error) {
	return Outcome{}, &NotStartedError{fmt.Errorf("%s has no sandbox that this version uses; Linux 6.12 or later has", runtime.GOOS)}
}

// RunStage2 is never asked for here.
func RunStage2([]string) (int, error) {
	_, err := Command{}.Run()
	return StatusNotStarted, err
}
