package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/confine"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
)

const confineUse = "confine [flags] -- PROGRAM [ARG...]"

const confineLong = `Run a program that the kernel keeps inside the roots: what lies outside cannot
be opened, whatever the program is. Standard streams, process group, terminal
and working directory are the caller's.

Exit status: the program's own; 128 and a signal's number when one ended it;
125 not started, with one line why; 126 and 127 as env has them.`

const confineExample = `  hydra-harness-runtime confine --write-root . -- pytest -q
  hydra-harness-runtime confine --root /repo --net all -- bash -c 'npm ci && npm test'`

// confineFlags are the flags of confine.
type confineFlags struct {
	policy     confine.Policy
	file       string
	descriptor int
	probe      bool
	verbose    bool
	set        *pflag.FlagSet
}

func newConfineFlags() *confineFlags {
	f := &confineFlags{set: pflag.NewFlagSet("confine", pflag.ContinueOnError)}
	s := f.set
	s.SetInterspersed(false)
	s.SetOutput(io.Discard)
	s.StringArrayVar(&f.policy.Roots, "root", nil, "directory that may be read (default: what the system's programs need); repeatable")
	s.StringArrayVar(&f.policy.WriteRoots, "write-root", nil, "directory that may be read and written (default: none); repeatable")
	s.StringArrayVar(&f.policy.DenyPaths, "deny-path", nil, "path that may not be opened, inside the roots either; repeatable")
	s.StringVar(&f.policy.Home, "home", "", "home directory, whose credentials are denied (default: HOME)")
	s.StringVar((*string)(&f.policy.Net), "net", "", "network: none (loopback alone) or all (default: none)")
	s.StringVar(&f.policy.Tmp, "tmp", "", "folder for TMPDIR (default: one that is kept for these write roots)")
	s.StringVar(&f.policy.Cache, "cache", "", "folder for caches (default: one that is kept for these write roots)")
	s.StringArrayVar(&f.policy.KeepEnv, "keep-env", nil, "variable that stays though it looks like a secret; repeatable")
	s.BoolVar(&f.policy.UnixSockets, "unix-sockets", false, "let Unix sockets be made, to anywhere")
	s.StringVar((*string)(&f.policy.Level), "level", "", "ns (with namespaces), ll (Landlock alone) or best (default: best)")
	s.StringVar(&f.file, "policy", "", "JSON file with the same, for long lists")
	s.IntVar(&f.descriptor, "policy-fd", -1, "descriptor to read the same from")
	s.BoolVar(&f.probe, "probe", false, "start nothing; print as JSON which level this machine has")
	s.BoolVar(&f.verbose, "verbose", false, "tell on standard error, afterwards, the level and what was left out")
	return f
}

// newConfine shows confine among the commands. It is started before any of them,
// because every start of a program pays for it.
func newConfine(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:                confineUse,
		Short:              "Run a program that the kernel keeps inside the roots",
		Long:               confineLong,
		Example:            confineExample,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return status(runConfine(args, c.std))
		},
	}
	cmd.Flags().AddFlagSet(newConfineFlags().set)
	return cmd
}

// confining takes over when this process is confine or its second stage.
func confining(args []string, std streams) (code int, mine bool) {
	switch {
	case len(args) == 0:
		return 0, false
	case args[0] == confine.StageWord:
		code, err := confine.RunStage2(args[1:])
		if err != nil {
			sayConfine(std, err)
		}
		return code, true
	case args[0] == "confine":
		return runConfine(args[1:], std), true
	}
	return 0, false
}

// runConfine is the command.
func runConfine(args []string, std streams) int {
	f := newConfineFlags()
	argv, err := f.parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(std.out, "%s\n\nUsage:\n  hydra-harness-runtime %s\n\nExamples:\n%s\n\nFlags:\n%s", confineLong, confineUse, confineExample, f.set.FlagUsages())
		return exitFound
	}
	var w confine.World
	if err == nil {
		w, err = thisWorld()
	}
	if err != nil {
		sayConfine(std, &confine.NotStartedError{Err: err})
		return confine.StatusNotStarted
	}
	if f.probe {
		if err := printJSON(std.out, confine.Machine(w, os.Args[0], nil)); err != nil {
			return exitError
		}
		return exitFound
	}
	signals := politeSignals()
	defer signal.Stop(signals)
	out, err := confine.Command{
		Policy: f.policy, World: w, Argv: argv, Self: os.Args[0], Signals: signals,
		Files: [3]*os.File{std.in, os.Stdout, os.Stderr},
	}.Run()
	f.tell(std, out)
	if err != nil {
		sayConfine(std, err)
		return confine.StatusFor(err)
	}
	return out.Status
}

// thisWorld is what the sandbox has to know of this process.
func thisWorld() (confine.World, error) {
	cwd, err := unix.Getwd() // without links, which PWD may have
	if err != nil {
		return confine.World{}, fmt.Errorf("the working directory is gone: %w", err)
	}
	return confine.World{Tree: confine.HostTree{}, Env: os.Environ(), Cwd: cwd, UID: uint32(os.Geteuid())}, nil
}

// politeSignals are those that end a program politely; what is ignored stays so.
func politeSignals() chan os.Signal {
	signals := make(chan os.Signal, 8)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	return signals
}

// sayConfine puts a sentence on one line of standard error.
func sayConfine(std streams, what any) {
	fmt.Fprintf(std.err, "hydra-harness-runtime: confine: %s\n", strings.ReplaceAll(fmt.Sprint(what), "\n", " "))
}

// tell names what decides what runs later and is not as it was, and all else on
// request.
func (f *confineFlags) tell(std streams, out confine.Outcome) {
	for _, name := range out.Changed {
		sayConfine(std, name+" was made, changed or removed; it decides what runs later: look at it before anything else runs")
	}
	if out.More > 0 {
		sayConfine(std, fmt.Sprintf("and %d more such files", out.More))
	}
	if !f.verbose || out.Level == "" {
		return
	}
	sayConfine(std, "level "+out.Level)
	for _, note := range out.Notes {
		sayConfine(std, note)
	}
}

// parse takes the flags, and the policy that they may name.
func (f *confineFlags) parse(args []string) ([]string, error) {
	if err := f.set.Parse(args); err != nil {
		return nil, err
	}
	argv := f.set.Args()
	if dash := f.set.ArgsLenAtDash(); !f.probe && (dash != 0 || len(argv) == 0) {
		return nil, fmt.Errorf("give the program behind --, as in confine --write-root . -- pytest -q")
	}
	policy, err := f.readPolicy()
	if err != nil {
		return nil, err
	}
	f.policy = policy.Merge(f.policy)
	f.policy.HomeDenied = judge.DefaultDenied
	return argv, nil
}

func (f *confineFlags) readPolicy() (confine.Policy, error) {
	var file *os.File
	switch {
	case f.file != "" && f.descriptor >= 0:
		return confine.Policy{}, errors.New("--policy and --policy-fd exclude each other; give one of them")
	case f.file != "":
		var err error
		if file, err = os.Open(f.file); err != nil {
			return confine.Policy{}, fmt.Errorf("--policy: %w", err)
		}
	case f.descriptor >= 0:
		file = os.NewFile(uintptr(f.descriptor), "policy")
	default:
		return confine.Policy{}, nil
	}
	defer file.Close()
	policy, err := confine.ReadPolicy(file)
	if err != nil {
		return policy, fmt.Errorf("the policy in %s: %w", file.Name(), err)
	}
	return policy, nil
}

// checkConfine is doctor's line. A machine without a sandbox is no fault: confine
// is asked for, or not used.
func checkConfine() harness.Check {
	w, err := thisWorld()
	if err != nil {
		return harness.Check{Name: "confine", Detail: err.Error()}
	}
	return harness.Check{Name: "confine", OK: true, Detail: confine.Machine(w, os.Args[0], nil).String()}
}
