package tool

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// six are more files than capped shows, and lines over its line limit.
func six(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, "a/1: hit one", "a/2: hit two", "b/1: hit "+strings.Repeat("long ", 20), "c: hit\n", "d/1: hit", "d/2: hit")
	b.policy.GlobMaxResults, b.policy.GrepMaxMatches, b.policy.GrepMaxLineBytes = 3, 3, 20
	return b
}

const (
	all  = `{"pattern":"*"}`
	hits = `{"pattern":"hit"}`
)

func saved(t *testing.T, store spill.Store, owner string) []string {
	t.Helper()
	list, err := store.List(t.Context(), spill.Session(owner))
	require.NoError(t, err)
	var texts []string
	for _, saved := range list {
		var b bytes.Buffer
		_, err := store.Read(t.Context(), spill.Session(owner), saved.ID, spill.Range{}, &b)
		require.NoError(t, err)
		texts = append(texts, b.String())
	}
	return texts
}

func TestCompleteResultsAreSaved(t *testing.T) {
	b := six(t)
	store := b.memory()

	result := b.call(Glob, all)
	require.Nil(t, result.Failure)
	require.NoError(t, result.SpillErr)
	assert.Equal(t, []string{"a/1\na/2\nb/1\nc\nd/1\nd/2"}, saved(t, store, "session"), "the whole list in its order, sampled page or not")
	page := result.Page.(GlobPage)
	assert.Equal(t, []string{"a/1", "b/1", "c"}, page.Paths)
	assert.Contains(t, result.Text, "The complete result was saved:\n"+page.Locator+" "+page.Hint+")")
	assert.True(t, strings.HasPrefix(page.Locator, "hydra-spill:///"))

	result = b.call(Grep, hits)
	require.Nil(t, result.Failure)
	texts := saved(t, store, "session")
	require.Len(t, texts, 2)
	want := "Found 6 matches\n\na/1\nLine 1: hit one\n\na/2\nLine 1: hit two\n\nb/1\nLine 1: hit " + strings.Repeat("long ", 20) + "\n\nc\nLine 1: hit\n\nd/1\nLine 1: hit\n\nd/2\nLine 1: hit"
	assert.Contains(t, texts, want, "lines are whole in what is saved")
	assert.Contains(t, result.Text, "\nb/1\nLine 1: hit long long long l (line truncated)\n")
	assert.Len(t, result.Page.(GrepPage).Matches, 3)

	list, err := store.List(t.Context(), spill.Session("session"))
	require.NoError(t, err)
	assert.Equal(t, spill.Meta{Owner: "session", Tool: "glob", CallID: "call-1", Label: "glob *", Name: "glob-results.txt"}, list[0].Meta)
	assert.Equal(t, spill.Meta{Owner: "session", Tool: "grep", CallID: "call-1", Label: "grep hit", Name: "grep-results.txt"}, list[1].Meta)
}

func TestWhenNothingIsSaved(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *bench)
		says   string
	}{
		{"the page shows everything", func(b *bench) { b.policy.GlobMaxResults, b.policy.GrepMaxMatches = 6, 6 }, ""},
		{"no owner", func(b *bench) { b.session.Owner = "" }, "The complete result could not be saved, because the call has no owner; narrow path"},
		{"nested", func(b *bench) { b.session.Nested = true }, "The complete result could not be saved; narrow path"},
		{"no store", func(b *bench) { b.store = nil }, "The complete result could not be saved; narrow path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := six(t)
			store := b.memory()
			c.change(b)
			for name, args := range map[string]string{Glob: all, Grep: hits} {
				result := b.call(name, args)
				require.Nil(t, result.Failure)
				assert.NoError(t, result.SpillErr)
				assert.Contains(t, result.Text, c.says)
				assert.Equal(t, c.says != "", strings.Contains(result.Text, "could not be saved"), result.Text)
				assert.NotContains(t, result.Text, "was saved")
			}
			list, err := store.List(t.Context(), spill.AllSessions())
			require.NoError(t, err)
			assert.Empty(t, list)
		})
	}
}

var errStore = errors.New("the disk is on fire")

// broken is a store that saves nothing.
type broken struct{ spill.Store }

func (broken) SaveText(context.Context, spill.Meta, spill.Content) (spill.Result, error) {
	return spill.Result{}, errStore
}

func TestAFailedSaveLeavesThePage(t *testing.T) {
	b := six(t)
	b.store = broken{}
	for name, args := range map[string]string{Glob: all, Grep: hits} {
		result := b.call(name, args)
		assert.Nil(t, result.Failure, "what was found is a success")
		assert.ErrorIs(t, result.SpillErr, errStore)
		assert.Contains(t, result.Text, "(Showing 3 of 6 ")
		assert.Contains(t, result.Text, "The complete result could not be saved; narrow path")
		assert.NotContains(t, result.Text, "fire", "why is for the log")
	}
}

func TestAFullStoreLeavesThePage(t *testing.T) {
	b := six(t)
	store, err := spill.NewMemoryStore(spill.Options{MaxBytes: 10})
	require.NoError(t, err)
	b.store = store
	result := b.call(Glob, all)
	assert.ErrorIs(t, result.SpillErr, spill.ErrQuota)
	assert.Contains(t, result.Text, "The complete result could not be saved, because the text alone is longer than the 10 bytes of spillMaxBytes; ")
	assert.Contains(t, result.Text, "; narrow path or pattern to see the rest.)")
	assert.Empty(t, saved(t, store, "session"))
}

// A search that is cut short at the caller's deadline still saves what it found.
func TestWhatWasFoundUntilTheDeadlineIsSaved(t *testing.T) {
	b := six(t)
	store := b.memory()
	b.config.CutShort = search.CutShortPage
	var events strings.Builder
	for _, name := range []string{"a/1", "a/2", "b/1", "c"} {
		events.WriteString("./" + name + "\x00")
	}
	b.script(&scripted{stdout: events.String(), wait: true})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	result := b.callIn(ctx, Glob, all)
	require.Nil(t, result.Failure, result.Text)
	require.NoError(t, result.SpillErr)
	assert.Equal(t, []string{"a/1\na/2\nb/1\nc"}, saved(t, store, "session"))
	assert.Contains(t, result.Text, "(Showing 3 of 4 files, sampled across 3 of 3 top-level entries. What was found until then was saved:\n")
	page := result.Page.(GlobPage)
	require.NotNil(t, page.Cut)
	assert.Equal(t, search.ReasonTimeout, page.Cut.Reason)
}

// Each session reads its own.
func TestWhatIsSavedBelongsToTheOwner(t *testing.T) {
	b := six(t)
	store := b.memory()
	b.call(Glob, all)
	b.session.Owner = "other"
	b.call(Glob, all)
	assert.Len(t, saved(t, store, "session"), 1)
	assert.Len(t, saved(t, store, "other"), 1)
}

// stuckSaves is a folder whose lock nobody gives up.
type stuckSaves struct {
	spill.Store
	hang chan struct{}
}

func (s stuckSaves) SaveText(ctx context.Context, _ spill.Meta, _ spill.Content) (spill.Result, error) {
	<-s.hang
	return spill.Result{}, ctx.Err()
}

// A save that waits holds no place among the searches, and ends with its time.
func TestASaveThatWaitsHoldsNoPlace(t *testing.T) {
	b := six(t)
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	b.store = stuckSaves{Store: b.memory(), hang: hang}
	free := make(chan struct{})
	b.session.Searched = func() { close(free) }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answered := make(chan Result, 1)
	go func() { answered <- b.callIn(ctx, Glob, all) }()
	<-free // while the save waits
	select {
	case r := <-answered:
		t.Fatalf("the save did not wait: %s", r.Text)
	default:
	}
	cancel()
	r := <-answered
	assert.Nil(t, r.Failure)
	assert.Contains(t, r.Text, "The complete result could not be saved")
}
