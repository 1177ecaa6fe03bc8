package harness

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

const (
	// MaxTimerMs is the longest delay of a timer that the contract allows, in
	// milliseconds: a signed 32-bit number, about 24.8 days.
	MaxTimerMs = 2147483647
	// maxCount is the largest number that every reader of JSON takes exactly.
	maxCount = 1<<53 - 1
	// maxAge is the longest age in seconds, about 68 years: far below what a
	// time.Duration can hold.
	maxAge = 2147483647
)

// keySample is the one key without a default.
const keySample = "sampleOverCapGlobResults"

// keys is the one table of the configuration file: it drives reading, checking,
// the JSON schema and the pages about it under docs.
//
//go:generate go test . -run ^TestConfig(Docs|Python)$ -update
var keys = []key{
	boolean(keySample, func(c *Config) *bool { return &c.SampleOverCapGlobResults },
		"Required, without a default. `true` samples a `glob` page that is over its cap across the top-level entries; `false` keeps the head of the list."),
	number("globMaxResults", func(c *Config) *int { return &c.GlobMaxResults }, maxCount,
		"How many paths a `glob` page shows."),
	number("grepMaxMatches", func(c *Config) *int { return &c.GrepMaxMatches }, maxCount,
		"How many matches a `grep` page shows."),
	number("grepMaxLineBytes", func(c *Config) *int { return &c.GrepMaxLineBytes }, maxCount,
		"How many bytes of a matching line a page shows. The cut keeps characters whole and is marked."),
	number("inlineMaxBytes", func(c *Config) *int { return &c.InlineMaxBytes }, maxCount,
		"How many bytes a whole page has, over the caps of items. The first item is always shown, and a `glob` within its cap is complete, whatever its bytes."),
	number("rawOutputMaxBytes", func(c *Config) *int64 { return &c.RawOutputMaxBytes }, maxCount,
		"How many bytes ripgrep may print before a search is given up (see `cutShort`)."),
	number("stderrMaxBytes", func(c *Config) *int { return &c.StderrMaxBytes }, maxCount,
		"How many bytes of ripgrep's diagnostics are kept: the last ones."),
	number("timeoutMs", func(c *Config) *int64 { return &c.TimeoutMs }, MaxTimerMs,
		"How long a search may take, in milliseconds (see `cutShort`)."),
	number("graceMs", func(c *Config) *int64 { return &c.GraceMs }, MaxTimerMs,
		"How long ripgrep may take to end once it was told to, in milliseconds. Then it is killed."),
	choice("globOrder", func(c *Config) *search.Order { return &c.GlobOrder },
		[]search.Order{search.OrderModified, search.OrderModifiedDesc, search.OrderPath},
		"The order of `glob` results: `modified` is oldest first, `modified-desc` newest first. Ties go by path."),
	choice("unreadable", func(c *Config) *search.Unreadable { return &c.Unreadable },
		[]search.Unreadable{search.UnreadableWarn, search.UnreadableFail},
		"What becomes of a search that met entries it could not read: `warn` returns what was found and counts the entries, `fail` is an error."),
	choice("cutShort", func(c *Config) *search.CutShort { return &c.CutShort },
		[]search.CutShort{search.CutShortFail, search.CutShortPage},
		"What becomes of a search that reaches `timeoutMs` or `rawOutputMaxBytes`: `fail` is an error that counts what was found, `page` returns it, marked as incomplete."),
	path("spillRoot", func(c *Config) *string { return &c.SpillRoot },
		"The folder in which results are saved that do not fit on a page. Empty is `hydra-harness/spill` below `$XDG_STATE_HOME`, else below `.local/state` of the home; an account without a home has one below `/tmp`."),
	number("spillMaxBytes", func(c *Config) *int64 { return &c.SpillMaxBytes }, maxCount,
		"How many bytes saved results have together, over all sessions. What would exceed it is not saved."),
	number("spillMaxAge", func(c *Config) *int64 { return &c.SpillMaxAge }, maxAge,
		"How long a saved result is kept, in seconds."),
	choice("index", func(c *Config) *Index { return &c.Index }, []Index{IndexOff, IndexOn},
		"Whether a runtime that stays keeps an index, in memory, of each directory that is searched twice: the same answers sooner (`docs/search-index.md`)."),
	number("indexMaxBytes", func(c *Config) *int64 { return &c.IndexMaxBytes }, maxCount,
		"How many bytes of memory the indexed texts of all directories may take. A directory that would exceed it is searched without an index."),
	number("indexMaxFiles", func(c *Config) *int { return &c.IndexMaxFiles }, maxCount,
		"How many files an indexed directory may have."),
	number("indexMaxWatches", func(c *Config) *int { return &c.IndexMaxWatches }, maxCount,
		"How many directories may be watched for an indexed one; half of `fs.inotify.max_user_watches` at most, whatever it says."),
	paths("roots", func(c *Config) *[]string { return &c.Roots },
		"The directories that the working directory of a call must lie in. Empty is the server's own working directory. They do not bound what a call reads: its `path` may lead out of them."),
	choices("tools", func(c *Config) *[]string { return &c.Tools }, tool.Names(),
		"The tools that a model is offered. `read_result` reads saved results on, for models without a shell and without a tool that reads files. The guidance for a system prompt covers both searches, whichever are offered."),
	rules("trust", func(c *Config) *[]judge.Rule { return &c.Trust },
		"Rules about programs that no reading explains: what the gate makes of them (`docs/trust.md`). The policy of a call may add some."),
	boolean("resourceLinks", func(c *Config) *bool { return &c.ResourceLinks },
		"Whether a page whose complete result was saved also links to it, as a `resource_link` for clients of MCP from 2025-06-18 on. Some of them fetch what is linked at once, and hand all of it to the model."),
}

// key is one key of the file.
type key struct {
	name string
	doc  string // Markdown, whole sentences
	// takes says in words which values there are.
	takes string
	// min and max bound a number, enum a string or the strings of a list;
	// absolute says that they are paths.
	min, max int64
	enum     []string
	absolute bool
	// gate says that the key is about the gate: Python has it in its Policy.
	gate bool
	// value points to the key's field.
	value func(c *Config) any
	// read sets the field and valid looks at it; they say whether it fits.
	read  func(c *Config, raw json.RawMessage) bool
	valid func(c *Config) bool
}

// decode reads a value of the file. The error is a *ConfigError.
func (k *key) decode(c *Config, raw json.RawMessage) error {
	switch {
	case string(raw) == "null" && k.name != keySample:
		return k.wrong("null; leave the key out for its default")
	case !k.read(c, raw) || !k.valid(c):
		return k.wrong(failure.Clip(string(raw)))
	}
	return nil
}

// check looks at the value of a configuration. The error is a *ConfigError.
func (k *key) check(c *Config) error {
	if k.valid(c) {
		return nil
	}
	text, err := json.Marshal(k.value(c))
	if err != nil {
		text = []byte("a value that JSON cannot show")
	}
	return k.wrong(failure.Clip(string(text)))
}

func (k *key) wrong(value string) error {
	return &ConfigError{Key: k.name, Message: fmt.Sprintf("it takes %s, not %s", k.takes, value)}
}

func boolean(name string, at func(*Config) *bool, doc string) key {
	return key{
		name: name, doc: doc, takes: "true or false",
		value: func(c *Config) any { return at(c) },
		read:  func(c *Config, raw json.RawMessage) bool { return strictjson.Unmarshal(raw, at(c)) == nil },
		valid: func(*Config) bool { return true },
	}
}

func number[T int | int64](name string, at func(*Config) *T, most int64, doc string) key {
	return key{
		name: name, doc: doc, takes: fmt.Sprintf("a whole number from 1 to %d", most), min: 1, max: most,
		value: func(c *Config) any { return at(c) },
		read: func(c *Config, raw json.RawMessage) bool {
			n, ok := wholeNumber(string(raw))
			*at(c) = T(n)
			return ok
		},
		valid: func(c *Config) bool { return 1 <= *at(c) && int64(*at(c)) <= most },
	}
}

// wholeNumber reads a JSON number without a fraction; 2e7 and 20.0 are some, too.
func wholeNumber(text string) (n int64, ok bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	if !strings.ContainsRune("-0123456789", rune(text[0])) {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > maxCount {
		return 0, false
	}
	return int64(f), true
}

func choice[T ~string](name string, at func(*Config) *T, allowed []T, doc string) key {
	var names []string
	for _, a := range allowed {
		names = append(names, string(a))
	}
	return key{
		name: name, doc: doc, takes: "one of " + quoted(names), enum: names,
		value: func(c *Config) any { return at(c) },
		read:  func(c *Config, raw json.RawMessage) bool { return strictjson.Unmarshal(raw, at(c)) == nil },
		valid: func(c *Config) bool { return slices.Contains(allowed, *at(c)) },
	}
}

func path(name string, at func(*Config) *string, doc string) key {
	return key{
		name: name, doc: doc, takes: "an absolute path", absolute: true,
		value: func(c *Config) any { return at(c) },
		read:  func(c *Config, raw json.RawMessage) bool { return strictjson.Unmarshal(raw, at(c)) == nil },
		valid: func(c *Config) bool { return *at(c) == "" || isAbsolute(*at(c)) },
	}
}

func paths(name string, at func(*Config) *[]string, doc string) key {
	k := list(name, at, "absolute paths", isAbsolute, doc)
	k.absolute = true
	return k
}

func choices(name string, at func(*Config) *[]string, allowed []string, doc string) key {
	k := list(name, at, quoted(allowed), func(s string) bool { return slices.Contains(allowed, s) }, doc)
	k.enum = allowed
	return k
}

func list(name string, at func(*Config) *[]string, of string, fits func(string) bool, doc string) key {
	return key{
		name: name, doc: doc, takes: "a list of " + of,
		value: func(c *Config) any { return at(c) },
		read: func(c *Config, raw json.RawMessage) bool {
			var items []string
			if strictjson.Unmarshal(raw, &items) != nil {
				return false
			}
			*at(c) = items
			return true
		},
		valid: func(c *Config) bool {
			return !slices.ContainsFunc(*at(c), func(s string) bool { return !fits(s) })
		},
	}
}

func rules(name string, at func(*Config) *[]judge.Rule, doc string) key {
	return key{
		name: name, doc: doc, gate: true,
		takes: `a list of rules, such as {"program": "pytest", "args": ["**"], "decision": "allow"}`,
		value: func(c *Config) any { return at(c) },
		read: func(c *Config, raw json.RawMessage) bool {
			var list []judge.Rule
			if strictjson.Unmarshal(raw, &list) != nil {
				return false
			}
			*at(c) = list
			return true
		},
		valid: func(c *Config) bool {
			_, err := judge.Check(*at(c))
			return err == nil
		},
	}
}

func isAbsolute(path string) bool { return filepath.IsAbs(path) && !strings.ContainsRune(path, 0) }

func quoted(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(name))
	}
	return b.String()
}
