package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/harness"
)

func newPlan(c *common) *cobra.Command {
	f := &shellFlags{common: c}
	cmd := &cobra.Command{
		Use:   "plan [flags] COMMAND",
		Short: "Say which words of a shell command it may read or write",
		Long: `Say which words of a shell command it may read or write, from its text alone. What
is not understood is said. COMMAND may be - for standard input.

Exit status: 0 when it was planned, what is not understood included; else 3.`,
		Args: oneCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			rt, err := f.open(harness.DefaultConfig(true), logger(f.std.err, "off", false))
			if err != nil {
				return err
			}
			command, err := f.command(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			plan, err := rt.Plan(command)
			if err != nil {
				return err
			}
			if f.json {
				return printJSON(f.std.out, plan)
			}
			_, err = io.WriteString(f.std.out, newView(f.std.out).plan(plan))
			return err
		},
	}
	f.register(cmd)
	return broken(cmd)
}

func newEstablish(c *common) *cobra.Command {
	f := &shellFlags{common: c}
	var file string
	var lexical bool
	cmd := &cobra.Command{
		Use:   "establish [flags] --plan FILE",
		Short: "Say where the words of a plan land",
		Long: `Say where the words of a plan land on this machine, as one JSON object. The plan is
what plan --json prints; FILE may be - for standard input.

Exit status: 0 when it was established, what has no answer included; else 3.`,
		Args: flagsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rt, err := f.open(harness.DefaultConfig(true), logger(f.std.err, "off", false))
			if err != nil {
				return err
			}
			if file == "" {
				return fmt.Errorf("give the plan as --plan FILE, or --plan - to read it from standard input")
			}
			text, err := whileWaiting(cmd.Context(), func() ([]byte, error) { return readFileOrInput(f.std.in, file) })
			if err != nil {
				return err
			}
			plan, err := harness.ParsePlan(text)
			if err != nil {
				return err
			}
			command, err := f.command(cmd.Context(), "")
			if err != nil {
				return err
			}
			b, err := f.boundary(command)
			if err != nil {
				return err
			}
			found, err := within(cmd.Context(), judgeTime, errNoAnswer, func(ctx context.Context) (*establish.Established, error) {
				return rt.Establish(ctx, plan, b, lexical)
			})
			if err != nil {
				return err
			}
			return printJSON(f.std.out, found)
		},
	}
	f.register(cmd)
	f.registerBoundary(cmd)
	cmd.Flags().StringVar(&file, "plan", "", "file with the plan, or - for standard input")
	cmd.Flags().BoolVar(&lexical, "lexical", false, "ask nothing of the file system: go by the spelling")
	return broken(cmd)
}

// maxPlanBytes bounds a plan that is handed in: the longest command, each byte
// in its longest JSON form, with room for what is made of it.
const maxPlanBytes = 64 << 20

func readFileOrInput(in io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(in, maxPlanBytes))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxPlanBytes))
}
