package harness

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/index"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// Config is the configuration file. What each key means, takes and is by
// default stands in the table of keys; docs/config.md shows it.
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
	SpillRoot                string            `json:"spillRoot"`
	SpillMaxBytes            int64             `json:"spillMaxBytes"`
	SpillMaxAge              int64             `json:"spillMaxAge"`
	Index                    Index             `json:"index"`
	IndexMaxBytes            int64             `json:"indexMaxBytes"`
	IndexMaxFiles            int               `json:"indexMaxFiles"`
	IndexMaxWatches          int               `json:"indexMaxWatches"`
	Roots                    []string          `json:"roots"`
	Tools                    []string          `json:"tools"`
	Trust                    []judge.Rule      `json:"trust"`
	ResourceLinks            bool              `json:"resourceLinks"`
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
		Index:                    IndexOff,
		IndexMaxBytes:            index.DefaultMaxBytes,
		IndexMaxFiles:            index.DefaultMaxFiles,
		IndexMaxWatches:          index.DefaultMaxWatches,
		Roots:                    []string{},
		Tools:                    tool.Standard(),
		Trust:                    []judge.Rule{},
	}
}

// ConfigError is a configuration that does not load. Key names what is wrong.
type ConfigError struct {
	// Key is the key of the file, or "" for the file itself.
	Key     string
	Message string
	Err     error
}

func (e *ConfigError) Error() string {
	if e.Key == "" {
		return "configuration: " + e.Message
	}
	return fmt.Sprintf("configuration key %s: %s", failure.Clip(e.Key), e.Message)
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// FailureCode puts the error into the table of failures.
func (e *ConfigError) FailureCode() string { return failure.Config }

// FailureDetails names the key.
func (e *ConfigError) FailureDetails() any { return failure.Detail("key", e.Key) }

// maxConfigBytes bounds the configuration file: all keys with their longest
// sensible values are far below.
const maxConfigBytes = 1 << 20

// LoadConfig reads a configuration file. What begins with a brace is no path but
// the text itself: whoever starts a runtime for others then leaves no file behind,
// however it ends. The error is a *ConfigError.
func LoadConfig(path string) (Config, error) {
	if strings.HasPrefix(path, "{") {
		return ParseConfig([]byte(path))
	}
	text, err := readConfig(path)
	if err != nil {
		return Config{}, err
	}
	c, err := ParseConfig(text)
	if bad, ok := err.(*ConfigError); ok && bad.Key == "" {
		bad.Message = path + ": " + bad.Message
	}
	return c, err
}

// readConfig reads a file that configures something. The error is a *ConfigError.
func readConfig(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxConfigBytes) {
		return nil, &ConfigError{Message: fmt.Sprintf("%s is not a file of at most %d bytes", path, maxConfigBytes)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &ConfigError{Message: fmt.Sprintf("%s cannot be read: %v", path, err), Err: err}
	}
	if fd, inherited := strings.CutPrefix(path, "/dev/fd/"); inherited {
		if n, err := strconv.Atoi(fd); err == nil {
			syscall.CloseOnExec(n) // it was for this process, not for ripgrep
		}
	}
	return text, nil
}

// Validate reports the first value that a file could not have. The error is a
// *ConfigError.
func (c *Config) Validate() error {
	for i := range keys {
		if err := keys[i].check(c); err != nil {
			return err
		}
	}
	return nil
}
