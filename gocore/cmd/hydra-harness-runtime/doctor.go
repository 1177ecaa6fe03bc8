package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hydraharness/harness-runtime/gocore/harness"
)

func newDoctor(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Say what is installed, what would fail and why",
		Long: `Say what is installed, what would fail and why. A search is made on the way.

Exit status: 0 when everything works, 1 when something would fail, 2 on an error.`,
		Args: flagsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := c.commandConfig()
			if err != nil {
				return err
			}
			rt, err := c.open(config, logger(c.std.err, "off", false))
			if err != nil {
				return err
			}
			checks := append(rt.Doctor(cmd.Context()), checkConfine())
			if asJSON {
				err = printJSON(c.std.out, map[string]any{"checks": checks})
			} else {
				err = printChecks(c.std.out, checks)
			}
			if err != nil {
				return err
			}
			for _, check := range checks {
				if !check.OK {
					return status(exitNothing)
				}
			}
			return nil
		},
	}
	c.takeRipgrep(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&c.config, "config", "", "configuration file to check as well")
	return cmd
}

func printChecks(out *os.File, checks []harness.Check) error {
	colour := term.IsTerminal(int(out.Fd())) && os.Getenv("NO_COLOR") == ""
	for _, check := range checks {
		mark := "ok  "
		if !check.OK {
			mark = "FAIL"
		}
		if colour {
			tone := "\x1b[32m"
			if !check.OK {
				tone = "\x1b[31m"
			}
			mark = tone + mark + reset
		}
		if _, err := fmt.Fprintf(out, "%s  %-10s %s\n", mark, check.Name, check.Detail); err != nil {
			return err
		}
	}
	return nil
}
