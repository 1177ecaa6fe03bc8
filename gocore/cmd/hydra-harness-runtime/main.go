// Command hydra-harness-runtime is the runtime as people and programs start it:
// searches by hand, the MCP server, and a look at the installation.
//
// It decides flags, signals, exit statuses and what a terminal shows. Everything
// else is package harness.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// version is set by the linker.
var version = "0.0.0-dev"

// Exit statuses, as users of ripgrep expect them.
const (
	exitFound   = 0
	exitNothing = 1
	exitError   = 2
)

// status ends the command with an exit status and says nothing more.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func main() {
	keepInherited()
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// streams are where a command reads and writes.
type streams struct {
	in       *os.File
	out, err *os.File
}

func run(args []string, std streams) int {
	if code, mine := confining(args, std); mine {
		return code
	}
	ctx, stop := untilSignal()
	defer stop()
	root := newRoot(std)
	root.SetArgs(args)
	root.SetIn(std.in)
	out := &heeded{to: std.out}
	root.SetOut(out)
	root.SetErr(std.err)
	err := untilLeft(ctx, root.ExecuteContext)
	if out.err != nil {
		err = errors.Join(err, out.err)
		if cmd, _, lost := root.Find(args); lost == nil && slices.Contains(answering, cmd.Name()) {
			err = brokenError{err}
		}
	}
	if asksHook(root, args) {
		return hookStatus(std.err, err)
	}
	var code status
	switch {
	case err == nil:
		return exitFound
	case errors.As(err, &code):
		return int(code)
	}
	complain(std.err, err)
	if errors.As(err, new(brokenError)) {
		return exitBroken
	}
	return exitError
}

// complain writes an error for people: with its code when it has one.
func complain(w io.Writer, err error) {
	if errors.As(err, new(*harness.ConfigError)) || errors.As(err, new(*spill.Error)) {
		err = fmt.Errorf("%s: %w", failure.Of(err).Code, err)
	}
	fmt.Fprintf(w, "hydra-harness-runtime: %v\n", err)
}
