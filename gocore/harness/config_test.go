package harness

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// minimal is the shortest file that loads.
const minimal = `{"sampleOverCapGlobResults": true}`

func TestDefaults(t *testing.T) {
	got, err := ParseConfig([]byte(minimal))
	require.NoError(t, err)
	assert.Equal(t, Config{
		SampleOverCapGlobResults: true,
		GlobMaxResults:           100,
		GrepMaxMatches:           250,
		GrepMaxLineBytes:         2000,
		InlineMaxBytes:           50_000,
		RawOutputMaxBytes:        20_000_000,
		StderrMaxBytes:           65_536,
		TimeoutMs:                30_000,
		GraceMs:                  3000,
		GlobOrder:                "modified",
		Unreadable:               "warn",
		CutShort:                 "fail",
		SpillRoot:                "",
		SpillMaxBytes:            1 << 30,
		SpillMaxAge:              7 * 24 * 60 * 60,
		Index:                    "off",
		IndexMaxBytes:            256 << 20,
		IndexMaxFiles:            500_000,
		IndexMaxWatches:          100_000,
		Roots:                    []string{},
		Tools:                    []string{"glob", "grep"},
		Trust:                    []judge.Rule{},
	}, got)
	assert.Equal(t, DefaultConfig(true), got)
	assert.NoError(t, got.Validate())
}

func TestEveryKeyIsRead(t *testing.T) {
	got, err := ParseConfig([]byte(`{
		"sampleOverCapGlobResults": false, "globMaxResults": 1, "grepMaxMatches": 2, "grepMaxLineBytes": 3,
		"inlineMaxBytes": 4, "rawOutputMaxBytes": 5, "stderrMaxBytes": 6, "timeoutMs": 7, "graceMs": 2147483647,
		"globOrder": "modified-desc", "unreadable": "fail", "cutShort": "page",
		"spillRoot": "/spill", "spillMaxBytes": 9, "spillMaxAge": 10, "index": "on", "indexMaxBytes": 11,
		"indexMaxFiles": 12, "indexMaxWatches": 13, "roots": ["/a", "/b"], "tools": ["grep"],
		"trust": [{"program": "make", "args": [], "directory": "/a", "decision": "allow"}, {"program": "/b/x", "decision": "deny"}]}`))
	require.NoError(t, err)
	assert.Equal(t, Config{
		GlobMaxResults: 1, GrepMaxMatches: 2, GrepMaxLineBytes: 3, InlineMaxBytes: 4, RawOutputMaxBytes: 5, StderrMaxBytes: 6,
		TimeoutMs: 7, GraceMs: 2147483647, GlobOrder: search.OrderModifiedDesc, Unreadable: search.UnreadableFail, CutShort: search.CutShortPage,
		SpillRoot: "/spill", SpillMaxBytes: 9, SpillMaxAge: 10, Index: IndexOn, IndexMaxBytes: 11, IndexMaxFiles: 12, IndexMaxWatches: 13, Roots: []string{"/a", "/b"}, Tools: []string{"grep"},
		Trust: []judge.Rule{{Program: "make", Args: []string{}, Directory: "/a", Decision: judge.RuleAllow}, {Program: "/b/x"}},
	}, got)
}

func TestValuesThatAreAccepted(t *testing.T) {
	for _, member := range []string{
		`"globOrder": "path"`, `"globOrder": "modified"`, `"timeoutMs": 2147483647`, `"rawOutputMaxBytes": 2e7`, `"globMaxResults": 20.0`,
		`"inlineMaxBytes": 9007199254740991`, `"roots": []`, `"tools": []`, `"tools": ["grep", "glob"]`, `"spillRoot": ""`,
		`"$schema": "config.schema.json"`, `"trust": []`, `"trust": [{"program": "npm", "args": ["test", "**"], "decision": "confine"}]`,
	} {
		_, err := ParseConfig([]byte(`{"sampleOverCapGlobResults": true, ` + member + `}`))
		assert.NoError(t, err, member)
	}
}

const (
	count = "it takes a whole number from 1 to 9007199254740991, not "
	timer = "it takes a whole number from 1 to 2147483647, not "
)

func TestValuesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ key, value, message string }{
		{"sampleOverCapGlobResults", `null`, "it takes true or false, not null"},
		{"sampleOverCapGlobResults", `"true"`, `it takes true or false, not "true"`},
		{"sampleOverCapGlobResults", `1`, "it takes true or false, not 1"},
		{"globMaxResults", `0`, count + "0"},
		{"globMaxResults", `-1`, count + "-1"},
		{"globMaxResults", `"5"`, count + `"5"`},
		{"globMaxResults", `1.5`, count + "1.5"},
		{"globMaxResults", `true`, count + "true"},
		{"globMaxResults", `null`, count + "null; leave the key out for its default"},
		{"globMaxResults", `9007199254740992`, count + "9007199254740992"},
		{"globMaxResults", `99999999999999999999`, count + "99999999999999999999"},
		{"globMaxResults", `1e400`, count + "1e400"},
		{"grepMaxMatches", `0`, count + "0"},
		{"grepMaxMatches", `[]`, count + "[]"},
		{"grepMaxLineBytes", `0`, count + "0"},
		{"grepMaxLineBytes", `{}`, count + "{}"},
		{"inlineMaxBytes", `0`, count + "0"},
		{"inlineMaxBytes", `"50 kB"`, count + `"50 kB"`},
		{"rawOutputMaxBytes", `0`, count + "0"},
		{"rawOutputMaxBytes", `0.5`, count + "0.5"},
		{"stderrMaxBytes", `0`, count + "0"},
		{"stderrMaxBytes", `-65536`, count + "-65536"},
		{"timeoutMs", `0`, timer + "0"},
		{"timeoutMs", `2147483648`, timer + "2147483648"},
		{"graceMs", `0`, timer + "0"},
		{"graceMs", `2147483648`, timer + "2147483648"},
		{"globOrder", `"newest"`, `it takes one of "modified", "modified-desc", "path", not "newest"`},
		{"globOrder", `""`, `it takes one of "modified", "modified-desc", "path", not ""`},
		{"globOrder", `1`, `it takes one of "modified", "modified-desc", "path", not 1`},
		{"unreadable", `"ignore"`, `it takes one of "warn", "fail", not "ignore"`},
		{"unreadable", `["warn"]`, `it takes one of "warn", "fail", not ["warn"]`},
		{"cutShort", `"warn"`, `it takes one of "fail", "page", not "warn"`},
		{"cutShort", `true`, `it takes one of "fail", "page", not true`},
		{"spillRoot", `"relative/path"`, `it takes an absolute path, not "relative/path"`},
		{"spillRoot", `"/a\u0000b"`, `it takes an absolute path, not "/a\u0000b"`},
		{"spillRoot", `7`, "it takes an absolute path, not 7"},
		{"spillRoot", `null`, "it takes an absolute path, not null; leave the key out for its default"},
		{"spillMaxBytes", `0`, count + "0"},
		{"spillMaxBytes", `-1`, count + "-1"},
		{"index", `"auto"`, `it takes one of "off", "on", not "auto"`},
		{"index", `true`, `it takes one of "off", "on", not true`},
		{"indexMaxFiles", `0`, count + "0"},
		{"spillMaxAge", `0`, timer + "0"},
		{"spillMaxAge", `"7d"`, timer + `"7d"`},
		{"spillMaxAge", `2147483648`, timer + "2147483648"},
		{"roots", `"/a"`, `it takes a list of absolute paths, not "/a"`},
		{"roots", `["/a", "b"]`, `it takes a list of absolute paths, not ["/a", "b"]`},
		{"roots", `["/a", null]`, `it takes a list of absolute paths, not ["/a", null]`},
		{"roots", `[""]`, `it takes a list of absolute paths, not [""]`},
		{"roots", `null`, "it takes a list of absolute paths, not null; leave the key out for its default"},
		{"tools", `["glob", "bash"]`, `it takes a list of "glob", "grep", "read_result", not ["glob", "bash"]`},
		{"tools", `"glob"`, `it takes a list of "glob", "grep", "read_result", not "glob"`},
		{"tools", `["` + strings.Repeat("é", 100) + `"]`, `it takes a list of "glob", "grep", "read_result", not ["` + strings.Repeat("é", 58) + "..."},
		{"trust", `[{"program": "x"}, 1]`, `it takes a list of rules, such as {"program": "pytest", "args": ["**"], "decision": "allow"}, not [{"program": "x"}, 1]`},
		{"trust", `[{"program": "a/b", "decision": "ask"}]`, `it takes a list of rules, such as {"program": "pytest", "args": ["**"], "decision": "allow"}, not [{"program": "a/b", "decision": "ask"}]`},
		{"trust", `[{"program": "a", "decision": "yes"}]`, `it takes a list of rules, such as {"program": "pytest", "args": ["**"], "decision": "allow"}, not [{"program": "a", "decision": "yes"}]`},
		{"trust", `[{"program": "a", "args": ["**", "b"], "decision": "ask"}]`, `it takes a list of rules, such as {"program": "pytest", "args": ["**"], "decision": "allow"}, not [{"program": "a", "args": ["**", "b"], "decision": "ask"}]`},
		{"trust", `[{"program": "a", "directory": "b", "decision": "ask"}]`, `it takes a list of rules, such as {"program": "pytest", "args": ["**"], "decision": "allow"}, not [{"program": "a", "directory": "b", "decision": "ask"}]`},
		{"trust", `[{"program": "a", "roots": [], "decision": "ask"}]`, `it takes a list of rules, such as {"program": "pytest", "args": ["**"], "decision": "allow"}, not [{"program": "a", "roots": [], "decision": "ask"}]`},
		{"globMaxResult", `5`, "there is no such key; the keys are sampleOverCapGlobResults, globMaxResults, grepMaxMatches, grepMaxLineBytes, inlineMaxBytes, rawOutputMaxBytes, stderrMaxBytes, timeoutMs, graceMs, globOrder, unreadable, cutShort, spillRoot, spillMaxBytes, spillMaxAge, index, indexMaxBytes, indexMaxFiles, indexMaxWatches, roots, tools, trust, resourceLinks"},
		{"grace_ms", `5`, "there is no such key; write graceMs"},
		{"GraceMS", `5`, "there is no such key; write graceMs"},
		{"$schema", `5`, "it takes a string, the place of the JSON schema"},
	} {
		text := `{"` + c.key + `": ` + c.value + `, "sampleOverCapGlobResults": true}`
		if c.key == keySample {
			text = `{"` + c.key + `": ` + c.value + `}`
		}
		_, err := ParseConfig([]byte(text))
		var bad *ConfigError
		require.ErrorAs(t, err, &bad, text)
		assert.Equal(t, c.key, bad.Key, text)
		assert.Equal(t, c.message, bad.Message, text)
		assert.Equal(t, "configuration key "+c.key+": "+c.message, bad.Error())
	}
}

// Each key is refused by the table above in at least one form.
func TestEveryKeyHasABadValue(t *testing.T) {
	for i := range keys {
		_, err := ParseConfig([]byte(`{"sampleOverCapGlobResults": true, "` + keys[i].name + `": {"no": "key takes an object"}}`))
		var bad *ConfigError
		require.ErrorAs(t, err, &bad)
		assert.Equal(t, keys[i].name, bad.Key)
	}
}

func TestTheRequiredKey(t *testing.T) {
	_, err := ParseConfig([]byte(`{"globMaxResults": 5}`))
	var bad *ConfigError
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "sampleOverCapGlobResults", bad.Key)
	assert.Contains(t, bad.Message, "it is required and has no default")
}

func TestFilesThatAreNoConfiguration(t *testing.T) {
	for _, c := range []struct{ text, key, says string }{
		{``, "", "it is not JSON: line 1, column 1: it ends before its JSON does"},
		{`[]`, "", "it is an array; write an object"},
		{`null`, "", "it is null; write an object"},
		{"{\n  \"graceMs\": 5\n  \"timeoutMs\": 6\n}", "", "it is not JSON: line 3, column 3: invalid character '\"' after object value (expecting ',' or '}')"},
		{`{"graceMs": 5} {}`, "", "it is not JSON: line 1, column 16: there is more behind its end"},
		{"{\"graceMs\": \"\xff\"}", "graceMs", "it holds bytes that are not UTF-8"},
		{`{"graceMs": 5, "graceMs": 5}`, "graceMs", "it is given twice; give it once"},
		{`{"sampleOverCapGlobResults": true, "sampleOverCapGlobResults": false}`, "sampleOverCapGlobResults", "it is given twice; give it once"},
		{`{,}`, "", "it is not JSON: line 1, column 2: invalid character ',' at start of value"},
		{`{"roots": [,]}`, "", "it is not JSON: line 1, column 12: invalid character ',' at start of value"},
		{`{"roots": ["/a",,]}`, "", "it is not JSON: line 1, column 17: invalid character ',' at start of value"},
		{minimal + " /* open", "", "it is not JSON: line 1, column 36: there is more behind its end"},
	} {
		_, err := ParseConfig([]byte(c.text))
		var bad *ConfigError
		require.ErrorAs(t, err, &bad, c.text)
		assert.Equal(t, c.key, bad.Key, c.text)
		assert.Equal(t, c.says, bad.Message, c.text)
	}
}

func TestCommentsAndALastComma(t *testing.T) {
	for _, text := range []string{
		"\ufeff" + minimal,
		"// first\n" + minimal + "// last",
		"/* a\n b */{/**/\"sampleOverCapGlobResults\"/* */:/* */true/* */}/**/",
		"{\"sampleOverCapGlobResults\": true, // why\r\n}",
		`{"sampleOverCapGlobResults": true, /* } */ }`,
		`{"sampleOverCapGlobResults": true, "roots": ["/a", "/b",],}`,
		`{"sampleOverCapGlobResults": true, "spillRoot": "/a//b/*c*/,}\"//"}`,
	} {
		c, err := ParseConfig([]byte(text))
		require.NoError(t, err, text)
		assert.True(t, c.SampleOverCapGlobResults, text)
	}
	c, err := ParseConfig([]byte(`{"sampleOverCapGlobResults": true, "spillRoot": "/a//b/*c*/,}\"//"}`))
	require.NoError(t, err)
	assert.Equal(t, `/a//b/*c*/,}"//`, c.SpillRoot, "what is in a string stays")
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte(`{"sampleOverCapGlobResults": true, // c` + "\n" + `"roots": ["/a",], /* x */ }`))
	f.Add([]byte(`{"a":"\\\"//"`))
	f.Add([]byte(`/*/`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseConfig(text)
		if err != nil {
			var bad *ConfigError
			if !errors.As(err, &bad) || bad.Message == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Fatalf("%q loads and is not valid: %v", text, err)
		}
	})
}

func TestLoadConfig(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	got, err := LoadConfig(write("good.json", minimal))
	require.NoError(t, err)
	assert.Equal(t, DefaultConfig(true), got)

	got, err = LoadConfig(minimal)
	require.NoError(t, err)
	assert.Equal(t, DefaultConfig(true), got, "the text instead of a path")

	refused := func(path, says string) *ConfigError {
		t.Helper()
		_, err := LoadConfig(path)
		var bad *ConfigError
		require.ErrorAs(t, err, &bad)
		assert.Contains(t, bad.Error(), says)
		return bad
	}
	bad := refused(filepath.Join(dir, "none.json"), "none.json cannot be read: ")
	assert.ErrorIs(t, bad, fs.ErrNotExist)
	refused(dir, "is not a file of at most 1048576 bytes")
	refused(write("large.json", strings.Repeat(" ", maxConfigBytes+1)), "is not a file of at most 1048576 bytes")
	broken := write("broken.json", "{")
	refused(broken, "configuration: "+broken+": it is not JSON: line 1, column 1: ")
	refused(write("key.json", `{"x":1}`), "configuration key x: there is no such key")
	refused(`{"x":1}`, "configuration key x: there is no such key")
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	refused(fifo, "is not a file")
}

// A configuration made in code is checked as a file is.
func TestValidate(t *testing.T) {
	for key, change := range map[string]func(*Config){
		"globMaxResults":    func(c *Config) { c.GlobMaxResults = 0 },
		"grepMaxMatches":    func(c *Config) { c.GrepMaxMatches = -1 },
		"grepMaxLineBytes":  func(c *Config) { c.GrepMaxLineBytes = 0 },
		"inlineMaxBytes":    func(c *Config) { c.InlineMaxBytes = maxCount + 1 },
		"rawOutputMaxBytes": func(c *Config) { c.RawOutputMaxBytes = 0 },
		"stderrMaxBytes":    func(c *Config) { c.StderrMaxBytes = 0 },
		"timeoutMs":         func(c *Config) { c.TimeoutMs = MaxTimerMs + 1 },
		"graceMs":           func(c *Config) { c.GraceMs = MaxTimerMs + 1 },
		"globOrder":         func(c *Config) { c.GlobOrder = "x" },
		"unreadable":        func(c *Config) { c.Unreadable = "" },
		"cutShort":          func(c *Config) { c.CutShort = "x" },
		"spillRoot":         func(c *Config) { c.SpillRoot = "rel" },
		"spillMaxBytes":     func(c *Config) { c.SpillMaxBytes = 0 },
		"spillMaxAge":       func(c *Config) { c.SpillMaxAge = -1 },
		"roots":             func(c *Config) { c.Roots = []string{"rel"} },
		"tools":             func(c *Config) { c.Tools = []string{"x"} },
	} {
		c := DefaultConfig(true)
		change(&c)
		var bad *ConfigError
		require.ErrorAs(t, c.Validate(), &bad, key)
		assert.Equal(t, key, bad.Key)
		_, err := Open(Options{Config: c})
		assert.Equal(t, bad, err, "and does not open")
	}
	var zero Config
	assert.Error(t, zero.Validate(), "the zero value fails closed")
}
