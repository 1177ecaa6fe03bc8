package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagsOnly is for commands that take no arguments.
func flagsOnly(cmd *cobra.Command, args []string) error {
	return noArguments(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), args)
}

// noArguments refuses arguments to a command that takes flags only.
func noArguments(command string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument, and there is %q", command, args[0])
	}
	return nil
}

// flagKinds says what a flag of each type takes, as pflag names the types.
var flagKinds = map[string]string{
	"int":   "a whole number",
	"int64": "a whole number",
	"bool":  "true or false (or nothing: --json means --json=true)",
}

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && cmd.Name() == "grep":
		return fmt.Errorf("%w%s", err, insteadOf(unknown))
	case errors.As(err, &invalid):
		if kind := flagKinds[invalid.GetFlag().Value.Type()]; kind != "" {
			return fmt.Errorf("--%s %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), kind)
		}
	}
	return err
}

// insteads is what to write for flags that every other grep has.
var insteads = map[string]string{
	"i": caseless, "ignore-case": caseless,
	"r": always, "R": always, "recursive": always, "n": always, "line-number": always, "H": always,
	"g": includes, "glob": includes, "t": includes, "type": includes,
	"F": literally, "fixed-strings": literally,
	"w": bounded, "word-regexp": bounded,
	"e": direct, "regexp": direct, "E": direct,
}

const (
	caseless  = `write (?i) in front of the pattern, as in '(?i)todo'`
	always    = "directories are searched with all that is in them, and lines have their numbers: leave it out"
	includes  = "name the files with --include '*.go'"
	literally = `write a backslash before each of . * + ? ( ) [ { ^ $ | and \`
	bounded   = `write \b on both sides of the pattern`
	direct    = "the pattern is the first argument, with -- before one that starts with a dash"
)

// insteadOf is the advice for a flag of another grep, with what separates it.
func insteadOf(unknown *pflag.NotExistError) string {
	if instead := insteads[unknown.GetSpecifiedName()]; instead != "" {
		return "; " + instead
	}
	return "; put -- before a pattern that starts with a dash"
}
