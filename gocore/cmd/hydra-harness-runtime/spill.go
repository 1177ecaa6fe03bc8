package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// spillFlags are the flags of the spill commands. The person who runs them owns
// the folder, and sees the results of every session in it.
type spillFlags struct {
	*common
	root  string
	owner string
	json  bool
}

func newSpill(c *common) *cobra.Command {
	f := &spillFlags{common: c}
	cmd := &cobra.Command{
		Use:   "spill",
		Short: "Read, list and sweep results that were saved because they did not fit",
		Long: `Read, list and sweep results that were saved because they did not fit on their
page. An ID is what a page names: the path, the short form owner/file, or the
resource address.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_ = cmd.Help()
			return status(exitError)
		},
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&c.config, "config", "", "configuration file, or its text: {...}")
	flags.StringVar(&f.root, "root", "", "folder of saved results (default: the configured one)")
	flags.StringVar(&f.owner, "owner", "", "see only what this session saved")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	cmd.AddCommand(f.read(), f.list(), f.stat(), f.remove(), f.sweep())
	return cmd
}

// open returns the store and whose results are meant.
// Without --root a locator names its own folder: it works whatever the
// environment and the configuration say here.
func (f *spillFlags) open(ids ...string) (spill.Store, spill.Scope, error) {
	config, err := f.commandConfig()
	if err != nil {
		return nil, spill.Scope{}, err
	}
	if f.root != "" {
		config.SpillRoot = f.root
	} else if len(ids) == 1 {
		if root, ok := spill.RootOf(ids[0]); ok {
			config.SpillRoot = root
		}
	}
	rt, err := f.common.open(config, logger(f.std.err, "off", false))
	if err != nil {
		return nil, spill.Scope{}, err
	}
	scope := spill.AllSessions()
	if f.owner != "" {
		scope = spill.Session(f.owner)
	}
	return rt.Spill(), scope, nil
}

func oneID(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give one ID: the path or the short form that the page names")
	}
	return nil
}

func (f *spillFlags) read() *cobra.Command {
	var offset, limit, line, lines int64
	cmd := &cobra.Command{
		Use:   "read [flags] ID",
		Short: "Print a saved result, or a range of its bytes or lines",
		Args:  oneID,
		Example: `  hydra-harness-runtime spill read --line 101 --lines 100 84097828fc31/5b0c9d7e1f42-glob-results.txt
  hydra-harness-runtime spill read --offset 50000 84097828fc31/5b0c9d7e1f42-glob-results.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			wanted := spill.Bytes(offset, limit)
			if given("line") || given("lines") {
				if given("offset") || given("limit") {
					return fmt.Errorf("--offset and --limit count bytes, --line and --lines count lines; give flags of one kind")
				}
				wanted = spill.Lines(line, lines)
			}
			store, scope, err := f.open(args...)
			if err != nil {
				return err
			}
			_, err = store.Read(cmd.Context(), scope, args[0], wanted, f.std.out)
			return err
		},
	}
	flags := cmd.Flags()
	flags.Int64Var(&offset, "offset", 0, "first byte, counted from 0")
	flags.Int64Var(&limit, "limit", 0, "number of bytes; 0 is to the end")
	flags.Int64Var(&line, "line", 1, "first line, counted from 1")
	flags.Int64Var(&lines, "lines", 0, "number of lines; 0 is to the end")
	return cmd
}

func (f *spillFlags) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List saved results, oldest first",
		Args:  flagsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, scope, err := f.open()
			if err != nil {
				return err
			}
			list, unread := store.List(cmd.Context(), scope)
			if unread != nil && len(list) == 0 {
				return unread
			}
			if err := f.print(map[string]any{"results": append([]spill.Result{}, list...)}, list...); err != nil {
				return err
			}
			return unread // told behind the list, which has the rest
		},
	}
}

func (f *spillFlags) stat() *cobra.Command {
	return &cobra.Command{
		Use:   "stat ID",
		Short: "Describe a saved result",
		Args:  oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			store, scope, err := f.open(args...)
			if err != nil {
				return err
			}
			saved, err := store.Stat(cmd.Context(), scope, args[0])
			if err != nil {
				return err
			}
			return f.print(saved, saved)
		},
	}
}

// print writes JSON, or a table of saved results for people.
func (f *spillFlags) print(value any, list ...spill.Result) error {
	if f.json {
		return printJSON(f.std.out, value)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(f.std.out, "No saved results")
		return err
	}
	table := tabwriter.NewWriter(f.std.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "SAVED\tBYTES\tLINES\tFROM\tID")
	for _, a := range list {
		lines := fmt.Sprint(a.Lines)
		if a.Lines == spill.UnknownLines {
			lines = "-"
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\n", a.Created.Local().Format(time.DateTime), a.Bytes, lines, a.Label, a.ID)
	}
	return table.Flush()
}

func (f *spillFlags) remove() *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID",
		Short: "Remove a saved result",
		Args:  oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			store, scope, err := f.open(args...)
			if err != nil {
				return err
			}
			return store.Delete(cmd.Context(), scope, args[0])
		},
	}
}

func (f *spillFlags) sweep() *cobra.Command {
	return &cobra.Command{
		Use:   "sweep",
		Short: "Remove saved results that have reached their age (spillMaxAge)",
		Args:  flagsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error {
			swept, err := f.doSweep(cmd.Context())
			if err != nil {
				return err
			}
			if f.json {
				return printJSON(f.std.out, swept)
			}
			_, err = fmt.Fprintf(f.std.out, "Removed %d results (%d bytes), kept %d (%d bytes)\n", swept.Removed, swept.RemovedBytes, swept.Kept, swept.KeptBytes)
			return err
		},
	}
}

func (f *spillFlags) doSweep(ctx context.Context) (spill.Swept, error) {
	store, scope, err := f.open()
	if err != nil {
		return spill.Swept{}, err
	}
	return store.Sweep(ctx, scope)
}
