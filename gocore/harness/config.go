package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// MaxTimerMs is the longest delay of a timer that the contract allows, in
// milliseconds: a signed 32-bit number, about 24.8 days.
const MaxTimerMs = 2147483647

// Config is the configuration file. Its JSON schema is docs/config.schema.json.
type Config struct {
	SampleOverCapGlobResults bool              `json:"sampleOverCapGlobResults"`
	GlobMaxResults           int               `json:"globMaxResults"`
	GrepMaxMatches           int               `json:"grepMaxMatches"`
	GrepMaxLineBytes         int               `json:"grepMaxLineBytes"`
	InlineMaxBytes           int               `json:"inlineMaxBytes"`
	RawOutputMaxBytes        int64             `json:"rawOutputMaxBytes"`
	StderrMaxBytes           int               `json:"stderrMaxBytes"`
	TimeoutMs                int64             `json:"timeoutMs"`
	GraceMs                  int64             `json:"graceMs"`
	GlobOrder                search.Order      `json:"globOrder"`
	Unreadable               search.Unreadable `json:"unreadable"`
	CutShort                 search.CutShort   `json:"cutShort"`
	SpillRoot                string            `json:"spillRoot,omitempty"`
	SpillMaxBytes            int64             `json:"spillMaxBytes"`
	SpillMaxAge              int64             `json:"spillMaxAge"`
	Roots                    []string          `json:"roots"`
	Tools                    []string          `json:"tools"`
}

// DefaultConfig returns every default. How an over-cap glob page is selected has
// none: the caller says.
func DefaultConfig(sample bool) Config {
	bounds, policy := search.DefaultConfig(), render.DefaultPolicy(sample)
	return Config{
		SampleOverCapGlobResults: sample,
		GlobMaxResults:           policy.GlobMaxResults,
		GrepMaxMatches:           policy.GrepMaxMatches,
		GrepMaxLineBytes:         policy.GrepMaxLineBytes,
		InlineMaxBytes:           policy.InlineMaxBytes,
		RawOutputMaxBytes:        bounds.RawOutputMaxBytes,
		StderrMaxBytes:           bounds.StderrMaxBytes,
		TimeoutMs:                bounds.Timeout.Milliseconds(),
		GraceMs:                  bounds.Grace.Milliseconds(),
		GlobOrder:                bounds.Order,
		Unreadable:               bounds.Unreadable,
		CutShort:                 bounds.CutShort,
		SpillMaxBytes:            spill.DefaultMaxBytes,
		SpillMaxAge:              int64(spill.DefaultMaxAge / time.Second),
		Roots:                    []string{},
		Tools:                    tool.Names(),
	}
}

// ConfigError is a configuration that does not load. Key names what is wrong.
type ConfigError struct {
	// Key is the key of the file, or "" for the file itself.
	Key     string
	Message string
	Err     error
}

// CodeConfig is the code of a ConfigError on the wire.
const CodeConfig = "RUNTIME_CONFIG"

func (e *ConfigError) Error() string {
	if e.Key == "" {
		return "configuration: " + e.Message
	}
	return fmt.Sprintf("configuration key %s: %s", e.Key, e.Message)
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// maxConfigBytes bounds the configuration file: all keys with their longest
// sensible values are far below.
const maxConfigBytes = 1 << 20

// LoadConfig reads a configuration file. The error is a *ConfigError.
func LoadConfig(path string) (Config, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxConfigBytes) {
		return Config{}, &ConfigError{Message: fmt.Sprintf("%s is not a file of at most %d bytes", path, maxConfigBytes)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, &ConfigError{Message: fmt.Sprintf("%s cannot be read: %v", path, err), Err: err}
	}
	return ParseConfig(text)
}

// ParseConfig reads the text of a configuration file. A key that is left out
// has its default; an unknown key, a value of another type and a value out of
// range are errors that name the key. The error is a *ConfigError.
func ParseConfig(text []byte) (Config, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil || given == nil {
		return Config{}, &ConfigError{Message: "it is not a JSON object" + because(err), Err: err}
	}
	c := DefaultConfig(false)
	fields := c.fields()
	for key, value := range given {
		target, known := fields[key]
		if !known {
			return Config{}, &ConfigError{Key: key, Message: "there is no such key; see docs/config.md for those there are"}
		}
		if err := json.Unmarshal(value, target); err != nil || string(value) == "null" {
			return Config{}, &ConfigError{Key: key, Message: fmt.Sprintf("the value %s is of another type; it takes %s", clip(value), typeOf(target)), Err: err}
		}
	}
	if _, ok := given[keySample]; !ok {
		return Config{}, &ConfigError{Key: keySample, Message: "it is required and has no default; true samples an over-cap glob page across top-level entries, false keeps its head"}
	}
	return c, c.Validate()
}

const keySample = "sampleOverCapGlobResults"

// fields maps each key to where its value goes.
func (c *Config) fields() map[string]any {
	return map[string]any{
		keySample:           &c.SampleOverCapGlobResults,
		"globMaxResults":    &c.GlobMaxResults,
		"grepMaxMatches":    &c.GrepMaxMatches,
		"grepMaxLineBytes":  &c.GrepMaxLineBytes,
		"inlineMaxBytes":    &c.InlineMaxBytes,
		"rawOutputMaxBytes": &c.RawOutputMaxBytes,
		"stderrMaxBytes":    &c.StderrMaxBytes,
		"timeoutMs":         &c.TimeoutMs,
		"graceMs":           &c.GraceMs,
		"globOrder":         &c.GlobOrder,
		"unreadable":        &c.Unreadable,
		"cutShort":          &c.CutShort,
		"spillRoot":         &c.SpillRoot,
		"spillMaxBytes":     &c.SpillMaxBytes,
		"spillMaxAge":       &c.SpillMaxAge,
		"roots":             &c.Roots,
		"tools":             &c.Tools,
	}
}

func typeOf(target any) string {
	switch target.(type) {
	case *bool:
		return "true or false"
	case *int, *int64:
		return "a whole number"
	case *[]string:
		return "a list of strings"
	}
	return "a string"
}

// maxValue bounds how much of a wrong value a message repeats.
const maxValue = 60

func clip(value json.RawMessage) string {
	if len(value) > maxValue {
		return string(value[:maxValue]) + "..."
	}
	return string(value)
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// Validate reports the first value that is out of range. The error is a
// *ConfigError.
func (c *Config) Validate() error {
	for _, n := range []struct {
		key      string
		value    int64
		min, max int64
	}{
		{"globMaxResults", int64(c.GlobMaxResults), 1, maxCount},
		{"grepMaxMatches", int64(c.GrepMaxMatches), 1, maxCount},
		{"grepMaxLineBytes", int64(c.GrepMaxLineBytes), 1, maxCount},
		{"inlineMaxBytes", int64(c.InlineMaxBytes), 1, maxCount},
		{"rawOutputMaxBytes", c.RawOutputMaxBytes, 1, maxCount},
		{"stderrMaxBytes", int64(c.StderrMaxBytes), 1, maxCount},
		{"timeoutMs", c.TimeoutMs, 1, MaxTimerMs},
		{"graceMs", c.GraceMs, 1, MaxTimerMs},
		{"spillMaxBytes", c.SpillMaxBytes, 1, maxCount},
		{"spillMaxAge", c.SpillMaxAge, 1, MaxTimerMs},
	} {
		if n.value < n.min || n.value > n.max {
			return &ConfigError{Key: n.key, Message: fmt.Sprintf("the value %d is out of range; it takes %d to %d", n.value, n.min, n.max)}
		}
	}
	if err := oneOf("globOrder", c.GlobOrder, search.OrderModified, search.OrderModifiedDesc, search.OrderPath); err != nil {
		return err
	}
	if err := oneOf("unreadable", c.Unreadable, search.UnreadableWarn, search.UnreadableFail); err != nil {
		return err
	}
	if err := oneOf("cutShort", c.CutShort, search.CutShortFail, search.CutShortPage); err != nil {
		return err
	}
	for _, root := range c.Roots {
		if !filepath.IsAbs(root) {
			return &ConfigError{Key: "roots", Message: fmt.Sprintf("%q is not an absolute path; give absolute directories", root)}
		}
	}
	if c.SpillRoot != "" && !filepath.IsAbs(c.SpillRoot) {
		return &ConfigError{Key: "spillRoot", Message: fmt.Sprintf("%q is not an absolute path; give an absolute directory", c.SpillRoot)}
	}
	if _, err := tool.NewSet(nil, render.Policy{}, nil, c.Tools); err != nil {
		return &ConfigError{Key: "tools", Message: err.Error()}
	}
	return nil
}

// maxCount is the largest number that every reader of JSON takes exactly.
const maxCount = 1<<53 - 1

func oneOf[T ~string](key string, value T, allowed ...T) error {
	list := ""
	for i, a := range allowed {
		if value == a {
			return nil
		}
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprintf("%q", string(a))
	}
	return &ConfigError{Key: key, Message: fmt.Sprintf("the value %q is not one of %s", string(value), list)}
}
