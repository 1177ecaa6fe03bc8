package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// Each part gets its own keys, in its own units.
func TestPartsOfTheConfiguration(t *testing.T) {
	c := Config{
		SampleOverCapGlobResults: true, GlobMaxResults: 1, GrepMaxMatches: 2, GrepMaxLineBytes: 3, InlineMaxBytes: 4,
		RawOutputMaxBytes: 5, StderrMaxBytes: 6, TimeoutMs: 7, GraceMs: 8,
		GlobOrder: search.OrderPath, Unreadable: search.UnreadableFail, CutShort: search.CutShortPage,
		SpillMaxBytes: 9, SpillMaxAge: 10,
	}
	assert.Equal(t, search.Config{
		Order: search.OrderPath, Unreadable: search.UnreadableFail, CutShort: search.CutShortPage,
		RawOutputMaxBytes: 5, StderrMaxBytes: 6, Timeout: 7 * time.Millisecond, Grace: 8 * time.Millisecond,
	}, c.search(""))
	assert.Equal(t, render.Policy{
		Sample: true, Order: search.OrderPath, GlobMaxResults: 1, GrepMaxMatches: 2, GrepMaxLineBytes: 3, InlineMaxBytes: 4,
	}, c.policy())
	options := c.spill("/opt/it's/runtime")
	assert.Equal(t, "Open the file with a file-reading tool, or run \"/opt/it's/runtime\" spill read '/spill folder/x' for all of it or a range of its lines or bytes.", options.Hint("id", "/spill folder/x"))
	options.Hint = nil
	assert.Equal(t, spill.Options{MaxBytes: 9, MaxAge: 10 * time.Second}, options)

	defaults := DefaultConfig(false)
	assert.Equal(t, search.DefaultConfig(), defaults.search(""))
	assert.Equal(t, render.DefaultPolicy(false), defaults.policy())
	options = defaults.spill("")
	options.Hint = nil
	assert.Equal(t, spill.Options{MaxBytes: spill.DefaultMaxBytes, MaxAge: spill.DefaultMaxAge}, options)
	longest := Config{SpillMaxAge: maxAge, TimeoutMs: MaxTimerMs}
	assert.Positive(t, longest.spill("").MaxAge, "the longest age does not overflow")
	assert.Positive(t, longest.search("").Timeout)
}
