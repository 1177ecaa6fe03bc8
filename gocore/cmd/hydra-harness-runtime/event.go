package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// Members of a shell tool's input that decide what runs, under the names that the
// hosts have for them. The model writes the input: it chooses the command, but
// neither where the roots are nor what is judged.
var (
	commandNames = []string{"command", "cmd", "argv", "script", "commands", "command_line"}
	workdirNames = []string{"workdir", "cwd", "working_directory", "dir", "directory"}
	envNames     = []string{"env", "environment", "envs"}
	shellNames   = []string{"shell"}
)

// questions are what an event asks: its command where the event says that it is
// run, and, when the model chose a directory, behind a cd to that. Not every host
// obeys the model in this, so that both are asked.
func (e *hookEvent) questions(f *gateFlags) ([]batchLine, error) {
	if strictjson.IsNull(e.ToolInput) {
		return nil, errors.New("the event has no tool_input")
	}
	input, err := e.input()
	if err != nil {
		return nil, err
	}
	line := batchLine{Cwd: e.Cwd}
	switch {
	case line.Cwd == "" && f.cwd == "":
		return nil, errors.New("the event has no cwd: where the command would run is not known")
	case line.Cwd != "" && !filepath.IsAbs(line.Cwd):
		return nil, fmt.Errorf("the event's cwd %q is not an absolute path", line.Cwd)
	}
	if line.Command, err = commandOf(input); err != nil {
		return nil, err
	}
	if line.Env, err = envOf(input, f.env); err != nil {
		return nil, err
	}
	if line.Shell, err = shellOf(input); err != nil {
		return nil, err
	}
	lines := []batchLine{line}
	dir, err := textOf(input, workdirNames)
	switch {
	case err != nil:
		return nil, err
	case dir == "":
		return lines, nil
	case !filepath.IsAbs(dir):
		start, err := workdirOf(line.Cwd)
		if line.Cwd == "" {
			start, err = workdirOf(f.cwd)
		}
		if err != nil {
			return nil, err
		}
		dir = strings.TrimSuffix(start, "/") + "/" + dir
	}
	line.Command = "cd -- " + harness.Quote(dir) + " || exit\n" + line.Command
	return append(lines, line), nil
}

// input reads the members of tool_input that decide. Others are the host's.
func (e *hookEvent) input() (map[string]strictjson.Raw, error) {
	members, err := strictjson.Members(e.ToolInput)
	if err != nil {
		return nil, inputError("", err)
	}
	known := slices.Concat(commandNames, workdirNames, envNames, shellNames)
	if err := strictjson.LookAlike(e.ToolInput, known); err != nil {
		return nil, inputError("", err)
	}
	input := map[string]strictjson.Raw{}
	for _, m := range members {
		input[m.Name] = m.Value
	}
	return input, nil
}

// withCommand is the input with another command and all else as it was: a host
// takes it in place of the whole.
func (e *hookEvent) withCommand(command string) (json.RawMessage, error) {
	members, err := strictjson.Members(e.ToolInput)
	if err != nil {
		return nil, inputError("", err)
	}
	var b bytes.Buffer
	for i, m := range members {
		value := []byte(m.Value)
		if slices.Contains(commandNames, m.Name) {
			if value, err = json.Marshal(command); err != nil {
				return nil, err
			}
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// inputError says what is wrong with a member of the input, "" for the input.
func inputError(name string, err error) error {
	var wrong *strictjson.Error
	if !errors.As(err, &wrong) {
		return fmt.Errorf("the event cannot be read: tool_input: %w", err)
	}
	path := strictjson.Join(strictjson.Join("tool_input", name), wrong.Path)
	return fmt.Errorf("the event cannot be read: %s: %s", path, wrong.Message)
}

// one is the only one of the names that the input has, "" for none: which of two
// a host goes by is not known.
func one(input map[string]strictjson.Raw, names []string) (string, error) {
	given := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, there := input[name]; return !there })
	if len(given) > 1 {
		return "", fmt.Errorf("the event's tool_input has both %s and %s: which of them counts is not known", given[0], given[1])
	}
	if len(given) == 0 {
		return "", nil
	}
	return given[0], nil
}

// textOf is a text under one of the names, "" for none and for null.
func textOf(input map[string]strictjson.Raw, names []string) (string, error) {
	name, err := one(input, names)
	if err != nil || strictjson.IsNull(input[name]) {
		return "", err
	}
	var text string
	if err := strictjson.Unmarshal(input[name], &text); err != nil {
		return "", inputError(name, err)
	}
	return text, nil
}

// commandOf is the command of a tool's input: a text, or the words of an argv.
func commandOf(input map[string]strictjson.Raw) (string, error) {
	name, err := one(input, commandNames)
	switch {
	case err != nil:
		return "", err
	case name == "":
		return "", errors.New("the event's tool_input has no command")
	}
	var argv []string
	switch input[name].Kind() {
	case '"':
		return textOf(input, commandNames)
	case '[':
		if err := strictjson.Unmarshal(input[name], &argv); err != nil {
			return "", inputError(name, err)
		}
	}
	if len(argv) == 0 {
		return "", fmt.Errorf("the event's tool_input.%s is %s; a command is a string or an array of words", name, strictjson.TypeName(input[name]))
	}
	for i, word := range argv {
		quoted, err := syntax.Quote(word, syntax.LangBash)
		if err != nil {
			return "", fmt.Errorf("word %d of the command cannot be spelled: %w", i, err)
		}
		argv[i] = quoted
	}
	return strings.Join(argv, " "), nil
}

// envOf is the environment of the command: this one's with the flags, and with
// what the model puts in. Nil leaves it to the flags.
func envOf(input map[string]strictjson.Raw, flags []string) (map[string]string, error) {
	name, err := one(input, envNames)
	if err != nil || strictjson.IsNull(input[name]) {
		return nil, err
	}
	var more map[string]string
	if err := strictjson.Unmarshal(input[name], &more); err != nil {
		return nil, inputError(name, err)
	}
	env, err := environ(flags)
	if err != nil {
		return nil, err
	}
	maps.Copy(env, more)
	return env, nil
}

// shellOf is the shell that the model asks for, "" for the one of the flags.
func shellOf(input map[string]strictjson.Raw) (string, error) {
	shell, err := textOf(input, shellNames)
	if err != nil || shell == "" {
		return "", err
	}
	switch dir, name := filepath.Split(shell); {
	case dir != "" && dir != "/bin/" && dir != "/usr/bin/":
	case name == "sh":
		return "posix", nil
	case name == "bash", name == "dash":
		return name, nil
	}
	return "", fmt.Errorf("the event's tool_input.shell is %q, which is not modelled; bash, dash and sh are", shell)
}
