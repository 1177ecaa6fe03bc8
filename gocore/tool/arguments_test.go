package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

func TestArgumentsThatAreUnderstood(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want search.GrepRequest
	}{
		{`{"pattern":"x"}`, search.GrepRequest{Pattern: "x"}},
		{` { "pattern" : "x" } `, search.GrepRequest{Pattern: "x"}},
		{`{"pattern":"x","path":"a/b","include":"*.go"}`, search.GrepRequest{Pattern: "x", Path: "a/b", Include: "*.go"}},
		{`{"pattern":"x","path":null,"include":null}`, search.GrepRequest{Pattern: "x"}},
		{`{"pattern":"x","path":"","include":""}`, search.GrepRequest{Pattern: "x"}},
		{`{"pattern":"\u65e5\ud83d\ude00\\n"}`, search.GrepRequest{Pattern: `日😀\n`}},
		{`{"pattern":"\ufffd�"}`, search.GrepRequest{Pattern: "��"}},
		{`{"p\u0061ttern":"x"}`, search.GrepRequest{Pattern: "x"}},
	} {
		got, err := decodeGrep(json.RawMessage(c.raw))
		require.NoError(t, err, c.raw)
		assert.Equal(t, c.want, got, c.raw)
	}
	got, err := decodeGlob(json.RawMessage(`{"pattern":"**/*.go","path":"src"}`))
	require.NoError(t, err)
	assert.Equal(t, search.GlobRequest{Pattern: "**/*.go", Path: "src"}, got)
}

const (
	takesGrep = "the tool takes pattern (a string), path (a string, optional), include (a string, optional)"
	takesGlob = "the tool takes pattern (a string), path (a string, optional)"
)

func TestArgumentsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ tool, raw, argument, message string }{
		{Grep, ``, Pattern, "it is missing; " + takesGrep},
		{Grep, `{}`, Pattern, "it is missing; " + takesGrep},
		{Glob, `{"path":"x"}`, Pattern, "it is missing; " + takesGlob},
		{Grep, `{"pattern":null}`, Pattern, "it is missing; " + takesGrep},
		{Grep, `{"pattern":1}`, Pattern, "it is a number; write a string"},
		{Grep, `{"pattern":-1.5}`, Pattern, "it is a number; write a string"},
		{Grep, `{"pattern":true}`, Pattern, "it is a boolean; write a string"},
		{Grep, `{"pattern":["a"]}`, Pattern, "it is an array; write a string"},
		{Grep, `{"pattern":{"a":1}}`, Pattern, "it is an object; write a string"},
		{Glob, `{"pattern":"*","path":false}`, Path, "it is a boolean; write a string"},
		{Grep, `{"pattern":"x","include":["*.ts","*.js"]}`, Include, "it is an array; write a string"},
		{Grep, `{"pattern":"x","head_limit":5}`, whole, `there is no argument "head_limit"; ` + takesGrep},
		{Glob, `{"pattern":"x","include":"*.go"}`, whole, `there is no argument "include"; ` + takesGlob},
		{Grep, `{"Pattern":"x"}`, whole, `there is no argument "Pattern"; ` + takesGrep},
		{Grep, `{"pattern":"x","pattern":"y"}`, whole, `"pattern" is given twice; give it once`},
		{Grep, `{"pattern":"x","p\u0061ttern":"x"}`, whole, `"pattern" is given twice; give it once`},
		{Grep, `{"` + strings.Repeat("é", 100) + `":1}`, whole, `there is no argument "` + strings.Repeat("é", 60) + `..."; ` + takesGrep},
		{Grep, `null`, whole, "they are not a JSON object; " + takesGrep},
		{Grep, `"x"`, whole, "they are not a JSON object; " + takesGrep},
		{Grep, `["x"]`, whole, "they are not a JSON object; " + takesGrep},
		{Grep, `{"pattern":"x"`, whole, "they cannot be read as JSON (it ends before its JSON does); " + takesGrep},
		{Grep, `{"pattern":"x"} {}`, whole, "they cannot be read as JSON (there is more behind its end); " + takesGrep},
		{Grep, "{\"pattern\":\"\xff\"}", Pattern, "it holds bytes that are not UTF-8"},
		{Grep, `{"pattern":"\ud83d"}`, Pattern, `it holds half of a surrogate pair, such as "\ud83d" alone, which is no character; write the character itself`},
		{Grep, `{"pattern":"` + strings.Repeat("x", MaxArgumentBytes) + `"}`, whole, "they have 2097166 bytes, at most 2097152 are accepted; write a shorter pattern"},
	} {
		var err error
		if c.tool == Glob {
			_, err = decodeGlob(json.RawMessage(c.raw))
		} else {
			_, err = decodeGrep(json.RawMessage(c.raw))
		}
		name := c.raw[:min(len(c.raw), 60)]
		var bad *ArgumentError
		require.ErrorAs(t, err, &bad, name)
		assert.Equal(t, c.argument, bad.Argument, name)
		assert.Equal(t, c.message, bad.Message, name)
	}
}

// What the search itself refuses reaches the model the same way.
func TestArgumentsThatTheSearchRefuses(t *testing.T) {
	b := newBench(t, "a.go: x")
	for _, c := range []struct{ tool, raw, text string }{
		{Glob, `{"pattern":""}`, "Error: pattern: it is blank; "},
		{Grep, `{"pattern":" \t "}`, "Error: pattern: it is blank; "},
		{Grep, `{"pattern":"a\u0000b"}`, "Error: pattern: it holds a NUL character"},
		{Grep, `{"pattern":"x","path":"\u0000"}`, "Error: path: it holds a NUL character"},
		{Grep, `{"pattern":"` + strings.Repeat("x", 1<<20) + `"}`, "Error: pattern: it has 1048576 bytes, at most 100000 are accepted"},
		{Glob, `{"pattern":"!*.go"}`, `Error: pattern: a glob that starts with "!" excludes`},
		{Grep, `{"pattern":"x","include":"!*.go"}`, `Error: include: a glob that starts with "!" excludes`},
		{Grep, `{"pattern":"x","include":"*.ts,*.js"}`, "Error: include: it takes one glob, not a list"},
		{Grep, `{"pattern":"x","include":"  "}`, "Error: include: it is blank; "},
		{Grep, `{"pattern":"x","path":"` + strings.Repeat("p", 5000) + `"}`, "Error: path: it has 5000 bytes, a path has at most 4095"},
	} {
		result := b.call(c.tool, c.raw)
		require.NotNil(t, result.Failure, c.text)
		assert.Equal(t, failure.ToolArgument, result.Failure.Code)
		assert.True(t, strings.HasPrefix(result.Text, c.text), result.Text)
		assert.Less(t, len(result.Text), 400, "a wrong argument is not repeated at length")
	}
	assert.Nil(t, b.call(Grep, `{"pattern":"x","include":"*.{ts,go}"}`).Failure, "a list in braces is one glob")
}
