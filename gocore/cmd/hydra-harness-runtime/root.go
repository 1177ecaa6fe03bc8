package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// common are the flags that several commands share.
type common struct {
	std      streams
	ripgrep  string
	config   string
	noSample bool
	sample   bool
}

func newRoot(std streams) *cobra.Command {
	c := &common{std: std}
	root := &cobra.Command{
		Use:           "hydra-harness-runtime",
		Short:         "Search tools and a shell gate for agents",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_ = cmd.Help()
			return status(exitError)
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = true
	c.takeRipgrep(root.PersistentFlags()) // by every command, for whoever gives it always
	_ = root.PersistentFlags().MarkHidden("ripgrep")
	root.AddCommand(newGlob(c), newGrep(c), newServe(c), newGate(c), newPlan(c), newEstablish(c), newConfine(c), newSpill(c), newDoctor(c), newVersion(c))
	return root
}

// takeRipgrep is called with the flags of the commands that search: they show it.
func (c *common) takeRipgrep(flags *pflag.FlagSet) {
	flags.StringVar(&c.ripgrep, "ripgrep", "", "use this ripgrep instead of the one beside the runtime")
}

func newVersion(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  flagsOnly,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(c.std.out, version)
			return err
		},
	}
}

// open puts the runtime of this process together.
func (c *common) open(config harness.Config, log hclog.Logger) (*harness.Runtime, error) {
	self, err := ownPath(os.Executable, os.Args[0])
	if err != nil {
		return nil, err
	}
	return looked(func() (*harness.Runtime, error) {
		return harness.Open(harness.Options{
			RuntimePath: self,
			RipgrepPath: c.ripgrep,
			Config:      config,
			Environ:     os.Environ(),
			Version:     version,
			Logger:      log,
		})
	})
}

// ownPath is where this executable lies. Without /proc, as in an empty chroot, the
// system cannot tell; then the caller's word counts, if it was a whole path: the
// caller could name a sidecar as well.
func ownPath(executable func() (string, error), argv0 string) (string, error) {
	self, err := executable()
	if err == nil {
		return self, nil
	}
	if filepath.IsAbs(argv0) {
		return filepath.Clean(argv0), nil
	}
	return "", fmt.Errorf("the runtime cannot find itself: %w: start it by its absolute path, or mount /proc", err)
}

// commandConfig is the configuration of a search by hand: a deployment of its
// own, which samples, and shows what was found when a search is cut short.
func (c *common) commandConfig() (harness.Config, error) {
	if c.config != "" {
		config, err := c.loadConfig()
		if c.noSample {
			config.SampleOverCapGlobResults = false
		}
		return config, err
	}
	config := harness.DefaultConfig(!c.noSample)
	config.CutShort = search.CutShortPage
	return config, nil
}

// loadConfig reads the configuration file, for a bounded time.
func (c *common) loadConfig() (harness.Config, error) {
	return looked(func() (harness.Config, error) { return harness.LoadConfig(c.config) })
}

// logger writes hclog's lines for people or, to a program, as JSON.
func logger(w io.Writer, level string, asJSON bool) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{
		Name:       "hydra-harness-runtime",
		Level:      hclog.LevelFromString(level),
		Output:     w,
		JSONFormat: asJSON,
	})
}

// printJSON writes one value on one line.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}
