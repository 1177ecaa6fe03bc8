package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// searchFlags are the flags of glob and grep.
type searchFlags struct {
	*common
	workdir, path, include string
	json                   bool
}

func (f *searchFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.takeRipgrep(flags)
	flags.StringVar(&f.workdir, "workdir", "", "directory that relative paths start from (default: the current one)")
	flags.StringVar(&f.path, "path", "", "what to search (default: the workdir)")
	flags.StringVar(&f.config, "config", "", "configuration file, or its text: {...}")
	flags.BoolVar(&f.noSample, "no-sample", false, "show the head of a list that is too long, not a sample")
	flags.BoolVar(&f.json, "json", false, "print the complete value as one JSON object")
}

const searchHelp = `
Exit status: 0 when something was found, 1 when nothing was, 2 on an error or when
the search was cut short, which the page says.
Warnings and notes go to standard error.`

func newGlob(c *common) *cobra.Command {
	f := &searchFlags{common: c}
	cmd := &cobra.Command{
		Use:   "glob [flags] PATTERN [PATH]",
		Short: "Find files by path pattern",
		Long: `Find files by path pattern, in ripgrep's glob dialect. Hidden and ignored files
are included, version-control metadata is not.
` + searchHelp,
		Example: `  hydra-harness-runtime glob '**/*.go'
  hydra-harness-runtime glob --workdir /repo --json 'src/**/*.{ts,tsx}'`,
		Args: patternAndPath,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, tool.Glob, args)
		},
	}
	f.register(cmd)
	return cmd
}

func newGrep(c *common) *cobra.Command {
	f := &searchFlags{common: c}
	cmd := &cobra.Command{
		Use:   "grep [flags] PATTERN [PATH]",
		Short: "Search file contents with a regular expression",
		Long: `Search file contents with a regular expression in ripgrep's dialect. Hidden,
ignored and binary files are left out.
` + searchHelp,
		Example: `  hydra-harness-runtime grep 'func main'
  hydra-harness-runtime grep --include '*.py' --json 'import os' src
  hydra-harness-runtime grep -- '-x'`,
		Args: patternAndPath,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, tool.Grep, args)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.include, "include", "", "search only files that match this glob")
	return cmd
}

func patternAndPath(_ *cobra.Command, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("give one pattern, in quotes, and at most one path; put -- before a pattern that starts with a dash")
	}
	return nil
}

// arguments are what a model would write. They are JSON, which has no place for
// the bytes of a name that is not UTF-8.
func (f *searchFlags) arguments(args []string) (json.RawMessage, error) {
	path := f.path
	if len(args) == 2 {
		if path != "" {
			return nil, fmt.Errorf("give the path once: as --path or behind the pattern")
		}
		path = args[1]
	}
	if !utf8.ValidString(path) {
		return nil, fmt.Errorf("the path %q is not UTF-8; use --workdir, which takes any directory", path)
	}
	members := map[string]string{tool.Pattern: args[0], tool.Path: path}
	if f.include != "" {
		members[tool.Include] = f.include
	}
	for name, value := range members {
		if !utf8.ValidString(value) {
			return nil, fmt.Errorf("the %s %q is not UTF-8; write it in UTF-8", name, value)
		}
	}
	return json.Marshal(members)
}

// run makes the call that a model would make, and prints what it would read.
func (f *searchFlags) run(cmd *cobra.Command, name string, args []string) error {
	arguments, err := f.arguments(args)
	if err != nil {
		return err
	}
	config, err := f.commandConfig()
	if err != nil {
		return err
	}
	config.Tools = tool.Standard()
	rt, err := f.open(config, logger(f.std.err, "warn", false))
	if err != nil {
		return err
	}
	session := tool.Session{
		Workdir: f.workdir,
		Owner:   fmt.Sprintf("cli-%d", os.Getpid()),
		Nested:  f.json, // the whole value is printed: nothing has to be saved
	}
	result := rt.Call(cmd.Context(), session, name, arguments)
	return f.print(result)
}

// print writes a result and returns the exit status.
func (f *searchFlags) print(r tool.Result) error {
	if r.Failure != nil {
		if f.json {
			_ = printJSON(f.std.out, map[string]any{"error": failureJSON{r.Failure, r.Failure.Message}})
		}
		return fmt.Errorf("%s: %s", r.Failure.Code, r.Failure.Message)
	}
	if f.json {
		if err := printJSON(f.std.out, r.Value); err != nil {
			return err
		}
	} else {
		if r.Remarks != "" {
			fmt.Fprintln(f.std.err, r.Remarks)
		}
		var parts []string
		for _, part := range []string{strings.TrimSpace(r.Body), r.Cut, r.Foot} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		if _, err := fmt.Fprintln(f.std.out, paint(f.std.out, strings.Join(parts, "\n\n"))); err != nil {
			return err
		}
	}
	switch {
	case r.Cut != "": // more may be there: neither "found" nor "nothing" is the whole answer
		return status(exitError)
	case !r.Page.(interface{ Any() bool }).Any():
		return status(exitNothing)
	}
	return nil
}

// failureJSON is a failure with its message.
type failureJSON struct {
	*failure.Failure
	Message string `json:"message"`
}
