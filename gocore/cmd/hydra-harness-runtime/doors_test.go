package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/strictjson/strictjsontest"
)

// has says that a valid text has all members of a struct.
func has(t *testing.T, valid string, of any) {
	t.Helper()
	var given map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(valid), &given))
	for _, name := range strictjson.Names(reflect.TypeOf(of)) {
		assert.Contains(t, given, name)
	}
}

func TestEveryMemberOfABatchLineIsReadInOneWay(t *testing.T) {
	valid := `{"command":"ls","cwd":"/","roots":["/r"],"writeRoots":["/w"],"home":"/h","env":{"A":"B"},"shell":"bash"}`
	has(t, valid, batchLine{})
	strictjsontest.Door{
		Valid: valid,
		Read: func(text []byte) error {
			_, err := parseBatchLine(text)
			return err
		},
		Free: func(path string) bool { return strings.HasPrefix(path, "env.") },
	}.Test(t)
}

func TestEveryMemberOfAnEventIsReadInOneWay(t *testing.T) {
	valid := `{"hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"/","tool_input":{"command":"ls","workdir":"/w","env":{"A":"B"},"shell":"bash","description":"d","timeout":5},"session_id":"s"}`
	has(t, valid, hookEvent{})
	// What a command may be is looked at below: it has two forms.
	theirs := map[string]bool{"tool_input.command": true, "session_id": true, "tool_input.description": true, "tool_input.timeout": true}
	strictjsontest.Door{
		Valid: valid,
		Read: func(text []byte) error {
			var event hookEvent
			if err := strictjson.UnmarshalForeign(text, &event); err != nil {
				return err
			}
			if !shellTools[event.Tool] || event.Event != "PreToolUse" {
				return errNotJudged
			}
			_, err := event.questions(&gateFlags{shellFlags: shellFlags{common: &common{}}})
			return err
		},
		Free:    func(path string) bool { return strings.HasPrefix(path, "tool_input.env.") },
		Foreign: func(path string) bool { return theirs[path] },
		// A member that is null is one that the host left out.
		Null: func(path string) bool {
			return path == "tool_input.workdir" || path == "tool_input.env" || path == "tool_input.shell" || path == "hook_event_name" || path == "tool_name"
		},
	}.Test(t)
}

// decide judges an event in a directory of its own, with a.txt inside and b.txt
// outside.
func decide(t *testing.T, input string) (judge.Decision, error) {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(root+"/ws/sub", 0o755))
	for _, name := range []string{"ws/a.txt", "ws/sub/c.txt", "b.txt"} {
		require.NoError(t, os.WriteFile(root+"/"+name, []byte("x"), 0o600))
	}
	event := `{"hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"` + root + `/ws","tool_input":` + strings.ReplaceAll(input, "ROOT", root) + `}`
	file := root + "/event.json"
	require.NoError(t, os.WriteFile(file, []byte(event), 0o600))
	in, err := os.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { in.Close() })
	f := &gateFlags{shellFlags: shellFlags{common: &common{std: streams{in: in}}, shell: "bash", home: root + "/home"}, dialect: dialectClaudeCode}
	answer, err := f.answerHook(t.Context())
	if err != nil {
		return judge.Deny, err
	}
	return answer.Output.Decision, nil
}

// The model chooses the command, not what is judged: neither the roots nor where
// the command begins.
func TestAWorkdirOfTheModelIsACd(t *testing.T) {
	for input, want := range map[string]judge.Decision{
		`{"command":"cat a.txt"}`:                                     judge.Allow,
		`{"command":"cat a.txt","workdir":null}`:                      judge.Allow,
		`{"command":"cat b.txt","workdir":"ROOT"}`:                    judge.Ask,
		`{"command":"cat etc/passwd","workdir":"/"}`:                  judge.Ask,
		`{"command":"cat passwd","workdir":"/etc"}`:                   judge.Ask,
		`{"command":"cat b.txt","workdir":".."}`:                      judge.Ask,
		`{"command":"cat b.txt","cwd":".."}`:                          judge.Ask,
		`{"command":"cat ../c.txt","workdir":"sub"}`:                  judge.Ask, // a host may not obey
		`{"command":"cat ../a.txt","workdir":"sub"}`:                  judge.Ask,
		`{"command":"cat c.txt","workdir":"sub"}`:                     judge.Allow,
		`{"command":"cat c.txt","workdir":"ROOT/ws/sub"}`:             judge.Allow,
		`{"command":["cat","c.txt"],"workdir":"sub"}`:                 judge.Allow,
		`{"command":"cat x","workdir":"it's \"a\" $(touch y)/../.."}`: judge.Ask,
		`{"command":"cat $F","env":{"F":"../b.txt"}}`:                 judge.Ask,
		`{"command":"cat $F","env":{"F":"a.txt"}}`:                    judge.Allow,
		`{"command":"ls","env":{"BASH_ENV":"/tmp/x"}}`:                judge.Ask,
		`{"command":"cat a.txt","shell":"/bin/sh"}`:                   judge.Allow,
	} {
		got, err := decide(t, input)
		require.NoError(t, err, input)
		assert.Equal(t, want.String(), got.String(), input)
	}
}

func TestAnEventThatCouldMeanTwoThingsBlocks(t *testing.T) {
	for input, says := range map[string]string{
		`{"command":"cat ../b.txt","COMMAND":"ls"}`:  "COMMAND",
		`{"Command":"ls"}`:                           "Command",
		`{"cmd":"cat ../b.txt","command":"ls"}`:      "both command and cmd",
		`{"cmd":"cat ../b.txt","command":null}`:      "both command and cmd",
		`{"argv":["cat","../b.txt"],"command":"ls"}`: "both command and argv",
		`{"command":"ls","command":"cat ../b.txt"}`:  "command: it is given twice",
		`{"command":"ls","workdir":"sub","cwd":"/"}`: "both workdir and cwd",
		`{"command":"ls","WorkDir":"/"}`:             "WorkDir",
		`{"command":"ls","workdir":7}`:               "workdir",
		`{"command":"ls","shell":"/tmp/bash"}`:       "not modelled",
		`{"command":"ls","shell":"zsh"}`:             "not modelled",
		`{"command":"ls","env":{"A":1}}`:             "env",
		`{"command":null}`:                           "command is null",
		`{"command":{}}`:                             "command is an object",
		`{"command":[]}`:                             "command is an array",
		`{"command":["ls",7]}`:                       "command",
		`{"command":"cat l\udcff"}`:                  "half of a surrogate pair",
		"{\"command\":\"cat l\xff\"}":                "not UTF-8",
		`{"command":9007199254740993}`:               "command is a number",
		`{"command":true}`:                           "command is a boolean",
		`{"command":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`: "tool_input",
		`{"command":["a\ud83d"]}`: "command[0]: it holds half",
		`{"description":"ls"}`:    "no command",
		`null`:                    "no tool_input",
		`"ls"`:                    "an object",
	} {
		_, err := decide(t, input)
		assert.ErrorContains(t, err, says, input)
	}
}

func TestAnEventWithoutAPlaceBlocks(t *testing.T) {
	flags := &gateFlags{shellFlags: shellFlags{common: &common{}}}
	for _, cwd := range []string{"", ".", "ws"} {
		event := hookEvent{Cwd: cwd, ToolInput: strictjson.Raw(`{"command":"ls"}`)}
		_, err := event.questions(flags)
		assert.ErrorContains(t, err, "cwd", cwd)
	}
	flags.cwd = "ws"
	event := hookEvent{ToolInput: strictjson.Raw(`{"command":"ls"}`)}
	lines, err := event.questions(flags)
	require.NoError(t, err, "a flag says it as well")
	assert.Len(t, lines, 1)
	assert.LessOrEqual(t, maxEventBytes, 8*harness.MaxCommandBytes)
}
