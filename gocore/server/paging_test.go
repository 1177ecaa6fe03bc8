package server

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// pages calls a method until there is no cursor; params has no closing brace.
func (c *client) pages(method, params string, each func(result json.RawMessage)) (count int) {
	c.t.Helper()
	for cursor := ""; ; {
		m := c.call(1, method, fmt.Sprintf(`%s,"cursor":%q}`, params, cursor))
		require.Nil(c.t, m.Error, "%+v", m.Error)
		require.Less(c.t, len(m.Result), 8<<20)
		each(m.Result)
		count++
		var r struct{ NextCursor string }
		require.NoError(c.t, json.Unmarshal(m.Result, &r))
		if cursor = r.NextCursor; cursor == "" {
			return count
		}
	}
}

func TestLargeValuesArePaged(t *testing.T) {
	// Every way in which a byte grows in JSON.
	hard := strings.Repeat("\u2028<\x01\"\\é", 50_000)
	root := coretest.Tree(t, "a: "+strings.Repeat("x"+strings.Repeat("y", 1<<20-1)+"\n", 9)+strings.Repeat("x"+hard+"\n", 6))
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	var numbers []int
	var last string
	count := c.pages("hydra/search/grep", `{"pattern":"^x"`, func(text json.RawMessage) {
		var r struct {
			Matches []struct {
				LineNumber int
				Line       string
			}
		}
		require.NoError(t, json.Unmarshal(text, &r))
		require.NotEmpty(t, r.Matches)
		for _, m := range r.Matches {
			numbers = append(numbers, m.LineNumber)
			last = m.Line
		}
	})
	assert.GreaterOrEqual(t, count, 2)
	assert.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, numbers)
	assert.True(t, "x"+hard == last, "the text is whole")
}

func TestALineThatNoFrameHoldsIsCutAndSaysSo(t *testing.T) {
	root := coretest.Tree(t, "a: needle"+strings.Repeat("é", 5<<20)+"\nneedle")
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	var lines []search.Match
	c.pages("hydra/search/grep", `{"pattern":"needle"`, func(text json.RawMessage) {
		var r search.GrepResult
		require.NoError(t, json.Unmarshal(text, &r))
		lines = append(lines, r.Matches...)
	})
	require.Len(t, lines, 2)
	assert.Equal(t, int64(6+10<<20), lines[0].LineBytes)
	assert.Greater(t, len(lines[0].Line), 6<<20)
	assert.True(t, strings.HasPrefix("needle"+strings.Repeat("é", 5<<20), lines[0].Line))
	assert.Zero(t, lines[1].LineBytes)
}

func TestPagesOfAnotherAnswerAreRefused(t *testing.T) {
	root := coretest.Tree(t, "a: "+strings.Repeat("x"+strings.Repeat("y", 1<<20-1)+"\n", 9))
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	var first struct{ NextCursor string }
	require.NoError(t, json.Unmarshal(c.call(1, "hydra/search/grep", `{"pattern":"^x"}`).Result, &first))
	require.NotEmpty(t, first.NextCursor)
	next := func(pattern string) message {
		return c.call(2, "hydra/search/grep", fmt.Sprintf(`{"pattern":%q,"cursor":%q}`, pattern, first.NextCursor))
	}
	require.Nil(t, next("^x").Error)
	refused := next("none")
	require.NotNil(t, refused.Error, "another search")
	require.NoError(t, os.WriteFile(root+"/a", []byte(strings.Repeat("x changed\n", 20)), 0o600))
	refused = next("^x")
	require.NotNil(t, refused.Error, "another tree")
	assert.Equal(t, "the results have changed since the page before; start again without a cursor", refused.Error.Message)
	assert.Equal(t, 1102, refused.Error.Code)
	assert.Contains(t, string(refused.Error.Data), `"reason":"changed"`)
}

func TestOptionsOfAGrepThatModelsDoNotHave(t *testing.T) {
	root := coretest.Tree(t, "a.go: one\nfunc A()\nthree", "b.go: FUNC B()", "c.md: func\nfunc")
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	for params, want := range map[string]string{
		`"pattern":"func","case":"insensitive","include":"b.*"`: `"matches":[{"path":"b.go","lineNumber":1,"line":"FUNC B()"}]`,
		`"pattern":"func","case":"smart","include":"b.*"`:       `"matches":[{"path":"b.go","lineNumber":1,"line":"FUNC B()"}]`,
		`"pattern":"A()","literal":true`:                        `"matches":[{"path":"a.go","lineNumber":2,"line":"func A()"}]`,
		`"pattern":"one\nfunc","multiline":true`:                `"matches":[{"path":"a.go","lineNumber":1,"line":"one\nfunc A()"}]`,
		`"pattern":"func A","before":1,"after":1`:               `"matches":[{"path":"a.go","lineNumber":1,"line":"one","context":true},{"path":"a.go","lineNumber":2,"line":"func A()"},{"path":"a.go","lineNumber":3,"line":"three","context":true}]`,
		`"pattern":"func","filesOnly":true`:                     `"matches":[],"files":[{"path":"a.go"},{"path":"c.md"}]`,
		`"pattern":"func","count":true`:                         `"matches":[],"files":[{"path":"a.go","count":1},{"path":"c.md","count":2}]`,
		`"pattern":"none","count":true`:                         `"matches":[],"files":[]`,
	} {
		m := c.call(1, "hydra/search/grep", `{`+params+`}`)
		require.Nil(t, m.Error, "%+v", m.Error)
		assert.Contains(t, string(m.Result), "{"+want+`,"stats":`)
	}
	m := c.call(2, "hydra/search/grep", `{"pattern":"x","after":9999}`)
	require.NotNil(t, m.Error)
	assert.Equal(t, "after: it is 9999; write a number of lines from 0 to 1000", m.Error.Message)
}

func TestAPageThatNoFrameHoldsIsAnErrorForTheModel(t *testing.T) {
	root := coretest.Tree(t, "a: "+strings.Repeat("x"+strings.Repeat("y", 1<<20-1)+"\n", 5))
	c := connect(t, open(t, root, func(c *harness.Config) { c.InlineMaxBytes, c.GrepMaxLineBytes = 1<<30, 1<<30 }), Options{Workdir: root})
	c.initialize()
	m := c.call(1, "tools/call", `{"name":"grep","arguments":{"pattern":"^x"}}`)
	assert.Contains(t, string(m.Result), `"isError":true`)
	assert.Contains(t, string(m.Result), `"code":"SEARCH_RAW_OUTPUT_OVERFLOW"`)
	assert.Contains(t, string(m.Result), "lower inlineMaxBytes")
}
