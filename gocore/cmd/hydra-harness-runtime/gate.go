package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
)

// Exit statuses of gate. What is not a decision must not look like one.
const (
	exitAllow  = 0
	exitAsk    = 1
	exitDeny   = 2
	exitBroken = 3
	// exitConfine needs --confine: who did not ask for it never sees it.
	exitConfine = 4
)

// brokenError is an error of a command whose statuses 0 to 2 mean something
// else: it ends with status 3.
type brokenError struct{ err error }

func (e brokenError) Error() string { return e.err.Error() }
func (e brokenError) Unwrap() error { return e.err }

// broken marks every error of a command, usage included, as status 3.
func broken(cmd *cobra.Command) *cobra.Command {
	mark := func(err error) error {
		var code status
		if err == nil || errors.As(err, &code) {
			return err
		}
		return brokenError{err}
	}
	args, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, list []string) error { return mark(args(cmd, list)) }
	cmd.RunE = func(cmd *cobra.Command, list []string) error { return mark(run(cmd, list)) }
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return mark(flagError(cmd, err)) })
	return cmd
}

// shellFlags say which shell runs a command, and where.
type shellFlags struct {
	*common
	cwd, home, shell  string
	roots, writeRoots []string
	env               []string
	json              bool
}

func (f *shellFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.cwd, "cwd", "", "directory that the command starts in (default: the current one)")
	flags.StringVar(&f.shell, "shell", "bash", "shell that runs it: bash, dash or posix")
	flags.StringArrayVar(&f.env, "env", nil, "NAME=VALUE in the environment of the command, besides this one's; repeatable")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
}

func (f *shellFlags) registerBoundary(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.roots, "root", nil, "directory that the command may read (default: its cwd); repeatable")
	flags.StringArrayVar(&f.writeRoots, "write-root", nil, "directory that the command may write (default: none); repeatable")
	flags.StringVar(&f.home, "home", "", "home directory, whose credentials are refused (default: HOME)")
}

// command is the text to read, with its shell; "-" takes it from standard input.
func (f *shellFlags) command(ctx context.Context, text string) (harness.ShellCommand, error) {
	if text == "-" {
		read, err := io.ReadAll(io.LimitReader(f.input(ctx), harness.MaxCommandBytes+1))
		if ctx.Err() != nil {
			return harness.ShellCommand{}, context.Cause(ctx)
		}
		if err != nil {
			return harness.ShellCommand{}, fmt.Errorf("the command cannot be read: %w", err)
		}
		text = string(read)
	}
	cwd, err := workdirOf(f.cwd)
	if err != nil {
		return harness.ShellCommand{}, err
	}
	env, err := environ(f.env)
	return harness.ShellCommand{Command: text, Shell: f.shell, Cwd: cwd, Env: env}, err
}

// workdirOf makes a directory absolute, by its spelling alone: what the shell
// calls PWD. The current one is taken as the caller's shell spells it.
func workdirOf(dir string) (string, error) {
	if filepath.IsAbs(dir) {
		return dir, nil // even where the current one is gone
	}
	// It trusts PWD when that is right.
	wd, err := looked(os.Getwd)
	switch {
	case err != nil:
		return "", fmt.Errorf("the current directory cannot be found: %w", err)
	case dir == "":
		return wd, nil
	}
	return wd + "/" + dir, nil
}

// homeOf is the home directory that was given, or else the HOME of a command,
// which means nothing to it unless it is absolute.
func homeOf(given string, env map[string]string) (string, error) {
	if given != "" {
		return workdirOf(given)
	}
	if home := env["HOME"]; filepath.IsAbs(home) {
		return home, nil
	}
	return "", nil
}

// environ is the environment of this process with more put in.
func environ(more []string) (map[string]string, error) {
	env := map[string]string{}
	for _, entry := range os.Environ() {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	for _, entry := range more {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--env %q is not NAME=VALUE", entry)
		}
		env[name] = value
	}
	return env, nil
}

// boundary is where the command may read and write.
func (f *shellFlags) boundary(c harness.ShellCommand) (establish.Boundary, error) {
	b := establish.Boundary{Cwd: c.Cwd}
	var err error
	if b.Home, err = homeOf(f.home, c.Env); err != nil {
		return b, err
	}
	if b.ReadRoots, err = absoluteAll("--root", f.roots); err != nil {
		return b, err
	}
	if len(f.roots) == 0 {
		b.ReadRoots = []string{c.Cwd}
	}
	b.WriteRoots, err = absoluteAll("--write-root", f.writeRoots)
	return b, err
}

func oneCommand(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give one command, in quotes, or - to read it from standard input")
	}
	return nil
}

// flagWords tell what to add in terms of the command line.
var flagWords = judge.Words{
	ReadRoot:  "add --root %s to allow it",
	WriteRoot: "add --write-root %s to allow it",
	Trust:     "or trust it: %s in the list of --trust FILE",
}

// gateFlags are the flags of gate.
type gateFlags struct {
	shellFlags
	batch   bool
	dialect string
	owner   string
	trust   string
	confine judge.Confinement
	sandbox harness.Sandbox
	rewrite bool // the host obeys a command that a hook has rewritten
}

func newGate(c *common) *cobra.Command {
	f := &gateFlags{shellFlags: shellFlags{common: c}}
	cmd := &cobra.Command{
		Use:   "gate [flags] COMMAND",
		Short: "Say whether a shell command may run: allow, ask or deny, and why",
		Long: `Say whether a shell command may run: where each of its words lands, and whether
that is inside. Allow means that what it reads and writes lies inside; it does
not mean that the command is harmless. COMMAND may be - for standard input.

Exit status: 0 allow, 1 ask, 2 deny, 3 anything else; with --confine also 4: it
may run unasked with the words of "prefix" before it, which keep it inside.

With --batch, each line of standard input is a JSON object {"command", "cwd",
"roots", "writeRoots", "home", "env", "shell"} and gets one line of answer. With
--dialect claude-code or codex, standard input is that host's PreToolUse event
and the answer is in its form; see docs/hooks.md.`,
		Example: `  hydra-harness-runtime gate 'cat ../secrets | head'
  hydra-harness-runtime gate --root /repo --write-root /repo/out --json 'make > out/log'`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch hook := cmd.Flags().Changed("dialect"); {
			case f.batch && hook:
				return fmt.Errorf("--batch and --dialect exclude each other; give one of them")
			case f.batch:
				return noArguments("gate --batch", args)
			case hook:
				return noArguments("gate --dialect", args)
			}
			return oneCommand(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("dialect"): // even to nothing
				return f.hook(cmd.Context())
			case f.batch:
				return f.runBatch(cmd.Context())
			}
			return f.run(cmd, args[0])
		},
	}
	f.register(cmd)
	f.registerBoundary(cmd)
	cmd.Flags().BoolVar(&f.batch, "batch", false, "answer each JSON line of standard input")
	cmd.Flags().StringVar(&f.owner, "owner", "", "session that asks (that of serve --owner): it may read its own saved results")
	cmd.Flags().StringVar(&f.config, "config", "", "configuration file: rules of trust, and where saved results lie")
	cmd.Flags().TextVar(&f.confine, "confine", judge.ConfineNever, "what runs below a sandbox of the kernel instead of being asked about: never, opaque (what is not known) or all")
	cmd.Flags().Lookup("confine").NoOptDefVal = judge.ConfineOpaque.String()
	cmd.Flags().StringVar((*string)(&f.sandbox.Net), "net", "", "network in that sandbox: none or all (default: none)")
	cmd.Flags().StringVar(&f.sandbox.Tmp, "tmp", "", "folder for TMPDIR in it (default: one that is kept for these write roots)")
	cmd.Flags().StringVar(&f.sandbox.Cache, "cache", "", "folder for caches in it (default: one that is kept for these write roots)")
	cmd.Flags().BoolVar(&f.rewrite, "codex-rewrites", false, "this Codex obeys a command that the hook has rewritten (0.131 or later)")
	cmd.Flags().StringVar(&f.trust, "trust", "", "file with a list of rules about programs that may run unasked; see docs/trust.md")
	cmd.Flags().StringVar(&f.dialect, "dialect", "", "answer a hook event of claude-code or codex on standard input")
	return broken(cmd)
}

func (f *gateFlags) run(cmd *cobra.Command, text string) error {
	rt, err := f.gateRuntime()
	if err != nil {
		return err
	}
	c, err := f.command(cmd.Context(), text)
	if err != nil {
		return err
	}
	b, err := f.boundary(c)
	if err != nil {
		return err
	}
	if err := f.apart(b.WriteRoots); err != nil {
		return err
	}
	g, err := judgeOne(cmd.Context(), rt, f.request(c, b))
	if err != nil {
		return err
	}
	if f.json {
		err = printJSON(f.std.out, g)
	} else {
		_, err = io.WriteString(f.std.out, newView(f.std.out).gate(g))
	}
	if err != nil {
		return err
	}
	return decisionStatus(g.Decision)
}

// request completes a question with what the flags say of the answer.
func (f *gateFlags) request(c harness.ShellCommand, b establish.Boundary) harness.GateRequest {
	policy := judge.DefaultPolicy()
	policy.Confine = f.confine
	for _, folder := range []*string{&f.sandbox.Tmp, &f.sandbox.Cache} {
		if *folder != "" && !filepath.IsAbs(*folder) {
			*folder = strings.TrimSuffix(c.Cwd, "/") + "/" + *folder
		}
	}
	return harness.GateRequest{ShellCommand: c, Boundary: b, Owner: f.owner, Policy: &policy, Sandbox: &f.sandbox}
}

// judgeOne judges one command, for a bounded time.
func judgeOne(ctx context.Context, rt *harness.Runtime, req harness.GateRequest) (*harness.Gate, error) {
	return within(ctx, judgeTime, errNoAnswer, func(ctx context.Context) (*harness.Gate, error) { return rt.Gate(ctx, req) })
}

// gateRuntime is a runtime for the shell half alone: no sidecar, nothing saved.
func (f *gateFlags) gateRuntime() (*harness.Runtime, error) {
	config, err := f.commandConfig()
	if err != nil {
		return nil, err
	}
	if f.trust != "" {
		rules, err := looked(func() ([]judge.Rule, error) { return harness.LoadRules(f.trust) })
		if err != nil {
			return nil, fmt.Errorf("--trust: %w", err)
		}
		config.Trust = append(config.Trust, rules...)
	}
	return f.open(config, logger(f.std.err, "off", false))
}

// apart refuses rules that the commands under judgement may write.
func (f *gateFlags) apart(writeRoots []string) error {
	for _, given := range []struct{ flag, file string }{{"--trust", f.trust}, {"--config", f.config}} {
		// --config also takes the text itself, and both a descriptor.
		if given.file == "" || strings.HasPrefix(given.file, "{") || strings.HasPrefix(given.file, "/dev/fd/") {
			continue
		}
		at, err := looked(func() (string, error) { return realPath(given.file) })
		if err != nil {
			return fmt.Errorf("%s: %w", given.flag, err)
		}
		for _, root := range writeRoots {
			below, err := looked(func() (string, error) { return realPath(root) })
			if err != nil {
				continue // a write root that is not there holds nothing yet
			}
			if at == below || strings.HasPrefix(at, strings.TrimSuffix(below, "/")+"/") {
				return fmt.Errorf("%s: %s lies in the write root %s, where a command may change it; keep it elsewhere", given.flag, given.file, root)
			}
		}
	}
	return nil
}

func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func decisionStatus(v judge.Decision) error {
	switch v {
	case judge.Allow:
		return nil
	case judge.Ask:
		return status(exitAsk)
	case judge.Confine:
		return status(exitConfine)
	}
	return status(exitDeny)
}
