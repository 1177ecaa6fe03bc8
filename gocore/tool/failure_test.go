package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

func TestFailureOf(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want failure.Failure
	}{
		{
			"argument", &ArgumentError{Argument: "include", Message: "it is blank"},
			failure.Failure{Name: "ToolArgumentError", Code: "TOOL_ARGUMENT", Retryable: true, Details: json.RawMessage(`{"argument":"include"}`), Message: "include: it is blank"},
		},
		{
			"wrapped argument", fmt.Errorf("call: %w", &ArgumentError{Argument: "path", Message: "m"}),
			failure.Failure{Name: "ToolArgumentError", Code: "TOOL_ARGUMENT", Retryable: true, Details: json.RawMessage(`{"argument":"path"}`), Message: "path: m"},
		},
		{
			"pattern", &search.Error{Code: search.InvalidPattern, Message: "m", Details: search.Details{Suggestion: `foo\(`}},
			failure.Failure{Name: "SearchError", Code: "SEARCH_INVALID_PATTERN", Retryable: true, Details: json.RawMessage(`{"suggestion":"foo\\("}`), Message: "m"},
		},
		{
			"overflow", &search.Error{Code: search.RawOutputOverflow, Message: "m", Details: search.Details{Reason: search.ReasonRawOutput, Found: 7}},
			failure.Failure{Name: "SearchError", Code: "SEARCH_RAW_OUTPUT_OVERFLOW", Retryable: true, Details: json.RawMessage(`{"reason":"rawOutputMaxBytes","found":7}`), Message: "m"},
		},
		{
			"time limit", &search.Error{Code: search.Aborted, Message: "m", Details: search.Details{Reason: search.ReasonTimeout}},
			failure.Failure{Name: "SearchError", Code: "SEARCH_ABORTED", Retryable: true, Details: json.RawMessage(`{"reason":"timeout"}`), Message: "m"},
		},
		{
			"cancelled", &search.Error{Code: search.Aborted, Message: "m", Details: search.Details{Reason: search.ReasonCancelled}},
			failure.Failure{Name: "SearchError", Code: "SEARCH_ABORTED", Details: json.RawMessage(`{"reason":"cancelled"}`), Message: "m"},
		},
		{
			"path", &search.Error{Code: search.Failed, Message: "m", Details: search.Details{Path: "nope"}},
			failure.Failure{Name: "SearchError", Code: "SEARCH_FAILED", Retryable: true, Details: json.RawMessage(`{"path":"nope"}`), Message: "m"},
		},
		{
			"sidecar", &search.Error{Code: search.Failed, Message: "m", Details: search.Details{Reason: "missing", Sidecar: "/x-rg"}},
			failure.Failure{Name: "SearchError", Code: "SEARCH_FAILED", Details: json.RawMessage(`{"reason":"missing","sidecar":"/x-rg"}`), Message: "m"},
		},
		{
			"another error", errors.New("odd"),
			failure.Failure{Name: "SearchError", Code: "SEARCH_FAILED", Details: json.RawMessage(`{}`), Message: "odd"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := Refusal(c.err)
			assert.Equal(t, "Error: "+c.want.Message, result.Text)
			assert.Equal(t, &c.want, result.Failure)
			assert.Nil(t, result.Page)
			assert.Nil(t, result.Value)
			text, err := json.Marshal(result.Failure)
			require.NoError(t, err)
			var wire map[string]any
			require.NoError(t, json.Unmarshal(text, &wire))
			assert.Equal(t, c.want.Code, wire["code"])
			assert.Equal(t, c.want.Retryable, wire["retryable"])
			assert.NotNil(t, wire["details"], "details are always an object")
			assert.NotContains(t, wire, "Message")
		})
	}
}

func TestHiddenToolRefusesCalls(t *testing.T) {
	b := newBench(t, "a.go: x")
	b.names = []string{Glob}
	result := b.call(Grep, `{"pattern":"x"}`)
	assert.Equal(t, `Error: name: there is no tool "grep"; the tools are glob`, result.Text)
	assert.Equal(t, failure.ToolArgument, result.Failure.Code)
	assert.Nil(t, b.call(Glob, `{"pattern":"*"}`).Failure)

	b.names = nil
	assert.Equal(t, `Error: name: there is no tool "glob"; this runtime offers none`, b.call(Glob, `{"pattern":"*"}`).Text)
	b.names = Standard()
	assert.Equal(t, `Error: name: there is no tool "Bash"; the tools are glob, grep`, b.call("Bash", `{}`).Text)
	assert.Equal(t, `Error: name: there is no tool ""; the tools are glob, grep`, b.call("", `{}`).Text)
}

func TestFailuresOfTheSidecar(t *testing.T) {
	for _, c := range []struct {
		name   string
		script scripted
		says   string
	}{
		{"killed", scripted{outcome: subprocess.Outcome{ExitCode: -1, Signal: syscall.SIGKILL}}, "Error: ripgrep was ended by a signal (killed)"},
		{"odd status", scripted{stderr: "thread 'main' panicked", outcome: subprocess.Outcome{ExitCode: 134}}, "Error: ripgrep failed (exit status 134): thread 'main' panicked"},
		{"not an event", scripted{stdout: "hello\n"}, "Error: ripgrep's output could not be read: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, "a.go: x")
			b.script(&c.script)
			result := b.call(Grep, `{"pattern":"x"}`)
			require.NotNil(t, result.Failure)
			assert.Equal(t, "SEARCH_FAILED", result.Failure.Code)
			assert.True(t, strings.HasPrefix(result.Text, c.says), result.Text)
		})
	}
}

func TestMissingSidecarFailsTheCallThatNeedsIt(t *testing.T) {
	b := newBench(t, "a.go: x")
	b.sidecar = ripgrep.At(b.root + "/nowhere-rg")
	for _, name := range Standard() {
		result := b.call(name, `{"pattern":"x"}`)
		require.NotNil(t, result.Failure)
		assert.Equal(t, "SEARCH_FAILED", result.Failure.Code)
		assert.Contains(t, result.Text, "is missing: reinstall the package")
		assert.False(t, result.Failure.Retryable)
	}
}

// Diagnostics of any length leave a bounded text; programs get the tail.
func TestFailureTextsAreBounded(t *testing.T) {
	b := newBench(t, "a.go: x")
	b.script(&scripted{stderr: strings.Repeat("blah\n", 30_000) + "the last word", outcome: subprocess.Outcome{ExitCode: 3}})
	result := b.call(Grep, `{"pattern":"x"}`)
	assert.LessOrEqual(t, len(result.Text), failure.MaxTextBytes+len("Error: "))
	assert.True(t, strings.HasPrefix(result.Text, "Error: ripgrep failed (exit status 3): [stderr truncated]\n"), result.Text[:80])
	assert.True(t, strings.HasSuffix(result.Text, "the last word"))
	var details search.Details
	require.NoError(t, json.Unmarshal(result.Failure.Details, &details))
	assert.Greater(t, len(details.Stderr), 60_000)
}

func TestCallsThatEndEarly(t *testing.T) {
	event := `{"type":"begin","data":{"path":{"text":"./a.go"}}}` + "\n" +
		`{"type":"match","data":{"path":{"text":"./a.go"},"lines":{"text":"x\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}` + "\n"
	b := newBench(t, "a.go: x")
	slow := &scripted{stdout: event, wait: true, spoken: make(chan struct{})}
	b.script(slow)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-slow.spoken
		cancel()
	}()
	result := b.callIn(ctx, Grep, `{"pattern":"x"}`)
	require.NotNil(t, result.Failure)
	assert.Equal(t, "SEARCH_ABORTED", result.Failure.Code)
	assert.JSONEq(t, `{"reason":"cancelled","found":1}`, string(result.Failure.Details))
	assert.False(t, result.Failure.Retryable)

	b.script(&scripted{stdout: event, wait: true})
	b.config.Timeout = 10 * time.Millisecond
	result = b.call(Grep, `{"pattern":"x"}`)
	require.NotNil(t, result.Failure)
	assert.Equal(t, "SEARCH_ABORTED", result.Failure.Code)
	assert.JSONEq(t, `{"reason":"timeout","found":1}`, string(result.Failure.Details))
	assert.True(t, result.Failure.Retryable)
}
