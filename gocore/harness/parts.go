package harness

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// search, policy and spill are the parts of the configuration as each package
// takes them.
func (c *Config) search(spillRoot string) search.Config {
	return search.Config{
		Withheld:          spillRoot,
		Order:             c.GlobOrder,
		Unreadable:        c.Unreadable,
		CutShort:          c.CutShort,
		RawOutputMaxBytes: c.RawOutputMaxBytes,
		Timeout:           time.Duration(c.TimeoutMs) * time.Millisecond,
		Grace:             time.Duration(c.GraceMs) * time.Millisecond,
		StderrMaxBytes:    c.StderrMaxBytes,
	}
}

func (c *Config) policy() render.Policy {
	return render.Policy{
		Sample:           c.SampleOverCapGlobResults,
		Order:            c.GlobOrder,
		GlobMaxResults:   c.GlobMaxResults,
		GrepMaxMatches:   c.GrepMaxMatches,
		GrepMaxLineBytes: c.GrepMaxLineBytes,
		InlineMaxBytes:   c.InlineMaxBytes,
	}
}

// spill are the options of the store. A locator is text, and so is the command
// that reads it: both are quoted for a shell where they have to be.
func (c *Config) spill(runtimePath string) spill.Options {
	return spill.Options{
		Hint: func(_, locator string) string {
			hint := spill.Hint(shellWord(runtimePath), shellWord(locator))
			if slices.Contains(c.Tools, tool.ReadResult) {
				hint = "Read on with the " + tool.ReadResult + " tool, whose id is this path. Or: " + hint
			}
			return hint
		},
		MaxBytes: c.SpillMaxBytes,
		MaxAge:   time.Duration(c.SpillMaxAge) * time.Second,
	}
}

// shellWord is a word that every POSIX shell reads as this text.
func shellWord(text string) string {
	word, err := syntax.Quote(text, syntax.LangPOSIX)
	if err != nil { // a text that no portable word stands for: ASCII controls
		return strconv.Quote(text)
	}
	return word
}

func (c *Config) spillRoot(environ []string) string {
	if c.SpillRoot != "" {
		return c.SpillRoot
	}
	return spill.DefaultRoot(func(name string) string { return lookup(environ, name) })
}

// lookup finds a variable of an environment; the last one of a name counts.
func lookup(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}
