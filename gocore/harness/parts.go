package harness

import (
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// search, policy and spill are the parts of the configuration as each package
// takes them.
func (c *Config) search() search.Config {
	return search.Config{
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

func (c *Config) spill() spill.Options {
	return spill.Options{
		MaxBytes: c.SpillMaxBytes,
		MaxAge:   time.Duration(c.SpillMaxAge) * time.Second,
	}
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
