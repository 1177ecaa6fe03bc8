package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

func TestNewSet(t *testing.T) {
	_, err := NewSet(nil, render.Policy{}, nil, []string{"glob", "bash"})
	assert.EqualError(t, err, `there is no tool "bash"; the tools are glob, grep, read_result`)
	set, err := NewSet(nil, render.Policy{}, nil, []string{"grep", "glob", "grep"})
	require.NoError(t, err)
	var names []string
	for _, def := range set.Definitions() {
		names = append(names, def.Name)
	}
	assert.Equal(t, []string{"glob", "grep"}, names, "in one order, each once")
}

// What a system prompt says does not change with the tools that are offered.
func TestGuidanceIsNotHiddenWithATool(t *testing.T) {
	b := newBench(t)
	b.names = Standard()
	whole := b.set().Guidance()
	for _, names := range [][]string{{Glob}, {Grep}, nil} {
		b := newBench(t)
		b.names = names
		assert.Equal(t, whole, b.set().Guidance())
		assert.Len(t, b.set().Definitions(), len(names))
	}
	assert.Equal(t, GlobGuidance(render.DefaultPolicy(true))+"\n\n"+GrepGuidance(), whole)
	b.names = []string{ReadResult}
	assert.Equal(t, whole+"\n\n"+readGuidance, b.set().Guidance(), "of a tool that is offered besides")
}

func schemaOf(t *testing.T, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(raw, &s))
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	require.NoError(t, err)
	return resolved
}

func asJSON(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(text, &value))
	return value
}

// strict is a schema whose objects take no members that it does not describe, so
// that a member without a description is found.
func strict(t *testing.T, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	closed := strings.ReplaceAll(string(raw), `{"type":"object",`, `{"type":"object","additionalProperties":false,`)
	return schemaOf(t, json.RawMessage(closed))
}

// Converters of model vendors fail on other keywords, or drop the whole schema.
func TestInputSchemasUseTheKeywordsThatAllDialectsShare(t *testing.T) {
	var check func(t *testing.T, schema map[string]any)
	check = func(t *testing.T, schema map[string]any) {
		for keyword, value := range schema {
			assert.Contains(t, []string{"type", "properties", "required", "description", "enum"}, keyword)
			if members, ok := value.(map[string]any); ok {
				for _, member := range members {
					check(t, member.(map[string]any))
				}
			}
		}
	}
	for _, def := range newBench(t).set().Definitions() {
		check(t, asJSON(t, def.InputSchema).(map[string]any))
	}
}

// What the schema does not describe is refused by the decoder alone: strict
// reads the schema as if it were said there.
func TestInputSchemasAgreeWithTheDecoder(t *testing.T) {
	defs := newBench(t).set().Definitions()
	glob, grep := strict(t, defs[0].InputSchema), strict(t, defs[1].InputSchema)
	for _, c := range []struct {
		raw        string
		glob, grep bool
	}{
		{`{"pattern":"x"}`, true, true},
		{`{"pattern":"x","path":"p"}`, true, true},
		{`{"pattern":"x","include":"i"}`, false, true},
		{`{}`, false, false},
		{`{"pattern":1}`, false, false},
		{`{"pattern":"x","more":"y"}`, false, false},
		{`{"pattern":"x","path":1}`, false, false},
		{`"x"`, false, false},
	} {
		var value any
		require.NoError(t, json.Unmarshal([]byte(c.raw), &value))
		_, globErr := decodeGlob(json.RawMessage(c.raw))
		_, grepErr := decodeGrep(json.RawMessage(c.raw))
		assert.Equal(t, c.glob, glob.Validate(value) == nil, c.raw)
		assert.Equal(t, c.glob, globErr == nil, c.raw)
		assert.Equal(t, c.grep, grep.Validate(value) == nil, c.raw)
		assert.Equal(t, c.grep, grepErr == nil, c.raw)
	}
}

// Every structured page is what the output schema says, and nothing besides.
func TestPagesMatchTheirSchemas(t *testing.T) {
	b := six(t)
	b.memory()
	defs := b.set().Definitions()
	glob, grep := strict(t, defs[0].OutputSchema), strict(t, defs[1].OutputSchema)
	check := func(t *testing.T, schema *jsonschema.Resolved, r Result) {
		t.Helper()
		require.Nil(t, r.Failure, r.Text)
		assert.NoError(t, schema.Validate(asJSON(t, r.Page)), r.Text)
	}
	check(t, glob, b.call(Glob, all))
	check(t, glob, b.call(Glob, `{"pattern":"none"}`))
	check(t, glob, b.call(Glob, `{"pattern":"a"}`)) // with a note
	check(t, grep, b.call(Grep, hits))
	check(t, grep, b.call(Grep, `{"pattern":"none","include":"*.none"}`))
	b.policy.GlobMaxResults, b.policy.GrepMaxMatches = 100, 100
	check(t, glob, b.call(Glob, all))
	check(t, grep, b.call(Grep, hits))

	b.script(&scripted{stdout: "./a/1\x00./gone\x00", stderr: "rg: ./locked: Permission denied (os error 13)\n", outcome: subprocess.Outcome{ExitCode: 2}})
	r := b.call(Glob, all)
	check(t, glob, r)
	assert.Len(t, r.Page.(GlobPage).Warnings, 2)

	b.config.CutShort, b.config.RawOutputMaxBytes = search.CutShortPage, 3
	r = b.call(Glob, all)
	check(t, glob, r)
	assert.NotNil(t, r.Page.(GlobPage).Cut)

	assert.Error(t, glob.Validate(map[string]any{"root": "."}), "the schema is not open to anything")
	assert.Error(t, grep.Validate(map[string]any{"matches": []any{map[string]any{"path": "a"}}, "shown": 1, "total": 1, "truncated": false}))
}

// The text, the structured page and the value of one result agree.
func TestFormsOfAResultAgree(t *testing.T) {
	b := six(t)
	r := b.call(Glob, all)
	page, value := r.Page.(GlobPage), r.Value.(*search.GlobResult)
	assert.Equal(t, ".", page.Root)
	assert.Len(t, value.Paths, 6)
	assert.Equal(t, Facts{Shown: 3, Total: 6, Truncated: true, Sampled: &render.Sampled{Reached: 3, Total: 4}}, page.Facts)
	assert.True(t, page.Any())
	assert.True(t, strings.HasPrefix(r.Text, strings.Join(page.Paths, "\n")+"\n\n("))
	assert.Equal(t, r.Text, r.Body+"\n\n"+r.Foot, "there is nothing to remark")

	r = b.call(Grep, hits)
	lines, matches := r.Page.(GrepPage), r.Value.(*search.GrepResult).Matches
	assert.Len(t, matches, 6)
	assert.Equal(t, GrepLine{Path: "b/1", LineNumber: 1, Line: "hit long long long l (line truncated)"}, lines.Matches[2])
	assert.Greater(t, len(matches[2].Line), 100, "the value has the whole line")

	r = b.call(Grep, `{"pattern":"none\\|other"}`)
	assert.False(t, r.Page.(GrepPage).Any())
	assert.Equal(t, r.Body+"\n"+r.Remarks, r.Text)
	text, err := json.Marshal(r.Page)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"matches":[]`, "a list is never null")
}

// Two equal calls on an unchanged tree give the same bytes.
func TestEqualCallsGiveEqualPages(t *testing.T) {
	var entries []string
	for _, d := range []string{"a", "b", "c/d", "e"} {
		for _, f := range []string{"1.go", "2.go", "3.go"} {
			entries = append(entries, d+"/"+f+": hit\nno\nhit")
		}
	}
	b := newBench(t, entries...)
	b.policy.GlobMaxResults, b.policy.GrepMaxMatches = 5, 7
	glob, grep := b.call(Glob, all), b.call(Grep, hits)
	for range 10 {
		assert.Equal(t, glob.Text, b.call(Glob, all).Text)
		assert.Equal(t, grep.Text, b.call(Grep, hits).Text)
	}
}

// Whatever a search meets, what a model gets is bounded: 10,000 entries that
// could not be read, names and lines of any length.
func TestPagesStayBounded(t *testing.T) {
	b := newBench(t)
	var found, complaints strings.Builder
	for i := range 400 {
		name := fmt.Sprintf("%03d-%s", i, strings.Repeat("n", 150))
		found.WriteString(strings.ReplaceAll(events(name), "needle\\n", "needle"+strings.Repeat("x", 2500)+"\\n"))
	}
	for i := range 10_000 {
		fmt.Fprintf(&complaints, "rg: ./%s%d: Permission denied (os error 13)\n", strings.Repeat("l", 900), i)
	}
	b.script(&scripted{stdout: found.String(), stderr: complaints.String(), outcome: subprocess.Outcome{ExitCode: 2}})
	b.memory()
	result := b.call(Grep, `{"pattern":"needle"}`)
	require.Nil(t, result.Failure, result.Text)
	require.NoError(t, result.SpillErr)
	assert.LessOrEqual(t, len(result.Text), 50_000)
	text, err := json.Marshal(result.Page)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(text), 52_000)
	assert.Contains(t, result.Text, "10000 paths could not be read: ")
	assert.Equal(t, 400, result.Page.(GrepPage).Total)
	assert.Greater(t, result.Page.(GrepPage).Shown, 20)
	assert.Equal(t, 10_000, result.Page.(GrepPage).Warnings[0].Count)
}
