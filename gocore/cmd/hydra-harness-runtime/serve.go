package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/server"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	*common
	workdir  string
	owner    string
	parent   int
	roots    []string
	tools    []string
	logLevel string
}

func newServe(c *common) *cobra.Command {
	f := &serveFlags{common: c}
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve the tools over MCP on standard input and output",
		Long: `Serve the tools over MCP (newline-delimited JSON-RPC) on standard input and
output, until the input ends. Logs are JSON lines on standard error. How an
over-cap glob page is selected has no default: give a configuration file, or
--sample or --no-sample.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return f.refuse(fmt.Errorf("there is an argument too many: %q; serve takes flags only", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return f.refuse(f.run(cmd)) },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return f.refuse(flagError(cmd, err)) })
	flags := cmd.Flags()
	f.takeRipgrep(flags)
	flags.StringVar(&f.workdir, "workdir", "", "working directory of calls that name none (default: the current one)")
	flags.StringArrayVar(&f.roots, "root", nil, "directory that a call's working directory may lie in (default: the workdir); repeatable")
	flags.StringVar(&f.config, "config", "", "configuration file, or its text: {...}")
	flags.BoolVar(&f.sample, "sample", false, "sample an over-cap glob page across top-level entries")
	flags.BoolVar(&f.noSample, "no-sample", false, "keep the head of an over-cap glob page")
	flags.StringSliceVar(&f.tools, "tools", nil, "tools to offer, separated by commas: glob, grep, read_result (default: glob,grep)")
	flags.StringVar(&f.owner, "owner", "", "session that owns what calls without an owner save; an empty one saves nothing for them (default: this connection)")
	flags.IntVar(&f.parent, "parent-pid", 0, "end when this process does, even if something still holds the input open")
	flags.StringVar(&f.logLevel, "log-level", "info", "trace, debug, info, warn, error or off")
	return cmd
}

// refuse tells a program, in one JSON line, why there is no server.
func (f *serveFlags) refuse(err error) error {
	var code status
	if err == nil || errors.As(err, &code) {
		return err
	}
	line := map[string]any{"code": failure.Config, "message": err.Error()}
	var config *harness.ConfigError
	if errors.As(err, &config) && config.Key != "" {
		line["key"] = config.Key
	}
	_ = printJSON(f.std.err, line)
	return status(exitError)
}

func (f *serveFlags) run(cmd *cobra.Command) error {
	config, err := f.serveConfig()
	if err != nil {
		return err
	}
	workdir, err := looked(func() (string, error) { return filepath.Abs(f.workdir) })
	if err != nil {
		return err
	}
	if len(config.Roots) == 0 {
		config.Roots = []string{workdir}
	}
	if hclog.LevelFromString(f.logLevel) == hclog.NoLevel {
		return fmt.Errorf("--log-level %q is none; there are trace, debug, info, warn, error and off", f.logLevel)
	}
	// A client that closes standard error loses its logs, not its server.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	lines := newLogs(f.std.err)
	defer lines.flush()
	log := logger(lines, f.logLevel, true)
	rt, err := f.open(config, log)
	if err != nil {
		return err
	}
	if err := checkWorkdir(rt, workdir); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	if f.parent != 0 {
		if err := watchProcess(f.parent, stop); err != nil {
			return fmt.Errorf("--parent-pid %d cannot be watched: %w", f.parent, err)
		}
	}
	hungUp := make(chan struct{})
	watchHangup(int(f.std.in.Fd()), func() { close(hungUp) })
	// Frames have a descriptor of their own: whatever else prints to standard
	// output reaches standard error instead of corrupting one.
	out, err := privateOutput(f.std.out, f.std.err)
	if err != nil {
		return fmt.Errorf("standard output cannot be set aside: %w", err)
	}
	owner := f.owner
	if !cmd.Flags().Changed("owner") {
		owner = connectionOwner()
	}
	srv, err := server.New(rt, server.Options{Workdir: workdir, Owner: owner, HungUp: hungUp, Log: log})
	if err != nil {
		return err
	}
	log.Info("serving", "version", version, "workdir", workdir, "pid", os.Getpid())
	if err := srv.Serve(ctx, pollable(f.std.in), out); err != nil {
		log.Error("the connection ended badly", "error", err)
		return status(exitError)
	}
	return nil
}

// checkWorkdir refuses a working directory that no call may name. One that is
// not there (yet) is a fault of the calls that need it.
func checkWorkdir(rt *harness.Runtime, workdir string) error {
	bad, err := looked(func() (error, error) {
		if info, err := os.Stat(workdir); err != nil || !info.IsDir() {
			return nil, nil
		}
		_, err := rt.Workdir(workdir)
		return err, nil
	})
	if err == nil && bad != nil {
		return &harness.ConfigError{Key: "roots", Message: bad.Error()}
	}
	return nil
}

func (f *serveFlags) serveConfig() (harness.Config, error) {
	var config harness.Config
	var err error
	switch {
	case f.sample && f.noSample:
		return config, errors.New("--sample and --no-sample exclude each other; give one of them")
	case f.config != "":
		if config, err = f.loadConfig(); err != nil {
			return config, err
		}
		if f.sample || f.noSample {
			config.SampleOverCapGlobResults = f.sample
		}
	case f.sample || f.noSample:
		config = harness.DefaultConfig(f.sample)
	default:
		return config, &harness.ConfigError{Key: "sampleOverCapGlobResults", Message: "it is required and has no default; give --sample, --no-sample or a --config that says"}
	}
	roots, err := absoluteAll("--root", f.roots)
	if err != nil {
		return config, err
	}
	for _, root := range roots {
		config.Roots = append(config.Roots, filepath.Clean(root))
	}
	if f.tools != nil {
		config.Tools = f.tools
	}
	return config, nil
}

// connectionOwner owns what is saved for calls that name no owner: over standard
// input and output there is one client. The name is new with each connection,
// since a process id comes again.
func connectionOwner() string { return "connection-" + rand.Text() }
