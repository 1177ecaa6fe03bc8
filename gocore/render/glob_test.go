package render

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/search"
)

func TestGlobPageIsCappedAboveTheCapOnly(t *testing.T) {
	for _, sampled := range []bool{true, false} {
		policy := DefaultPolicy(sampled)
		at := globPage(numbered("d/%03d", 100), policy)
		assert.Equal(t, strings.Join(numbered("d/%03d", 100), "\n"), at.Text(), "at the cap nothing is said")
		assert.Equal(t, 100, at.Shown)
		assert.False(t, at.Capped())
		assert.Nil(t, at.Sampled)

		over := globPage(numbered("d/%03d", 101), policy)
		assert.Equal(t, 100, over.Shown)
		assert.Equal(t, 101, over.Total)
		assert.True(t, over.Capped())
		assert.Contains(t, over.Text(), "\n\n(Showing 100 of 101 files")
	}
}

func TestOneFileOfOne(t *testing.T) {
	page := globPage([]string{"a"}, DefaultPolicy(true))
	assert.Equal(t, "a", page.Text())
	assert.Equal(t, []int{0}, page.Indices)
	assert.Nil(t, page.Lines)
}

// tree is a busy directory, a quiet one and two files, in an order that mixes
// them.
var tree = []string{"big/0", "big/1", "one.txt", "big/2", "mid/0", "big/3", "mid/1", "two/x", "big/4"}

func TestSampling(t *testing.T) {
	for _, c := range []struct {
		name    string
		cap     int
		page    []string
		sampled *Sampled
		narrow  bool
	}{
		{"one path in all", 1, []string{"big/0"}, &Sampled{1, 4}, true},
		{"not every entry", 3, []string{"big/0", "one.txt", "mid/0"}, &Sampled{3, 4}, true},
		{"each entry once", 4, []string{"big/0", "one.txt", "mid/0", "two/x"}, &Sampled{4, 4}, false},
		{"a second round", 5, []string{"big/0", "big/1", "one.txt", "mid/0", "two/x"}, &Sampled{4, 4}, false},
		{"used-up entries are passed over", 7, []string{"big/0", "big/1", "big/2", "one.txt", "mid/0", "mid/1", "two/x"}, &Sampled{4, 4}, false},
		{"all but one", 8, []string{"big/0", "big/1", "big/2", "big/3", "one.txt", "mid/0", "mid/1", "two/x"}, &Sampled{4, 4}, false},
		{"all", 9, tree, nil, false},
		{"more than all", 10, tree, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := DefaultPolicy(true)
			policy.GlobMaxResults = c.cap
			page := globPage(tree, policy)
			var shown []string
			for _, i := range page.Indices {
				shown = append(shown, tree[i])
			}
			assert.Equal(t, c.page, shown)
			assert.Equal(t, c.sampled, page.Sampled)
			assert.Equal(t, c.narrow, strings.Contains(page.Text(), "Narrow path"), page.Text())
			list, _, _ := strings.Cut(page.Text(), "\n\n(")
			assert.Equal(t, c.page, strings.Split(list, "\n"), "the text lists the same paths")
		})
	}
}

func TestTheHeadIsShownWhenSamplingIsOff(t *testing.T) {
	policy := DefaultPolicy(false)
	policy.GlobMaxResults = 5
	page := globPage(tree, policy)
	assert.Equal(t, []int{0, 1, 2, 3, 4}, page.Indices)
	assert.Nil(t, page.Sampled)
	assert.Equal(t, "big/0\nbig/1\none.txt\nbig/2\nmid/0\n\n(Showing 5 of 9 files. The complete result could not be saved; narrow path or pattern to see the rest.)", page.Text())
}

// A flat sample is the head, and its footer is the plain one.
func TestFlatSampleIsTheHead(t *testing.T) {
	policy := DefaultPolicy(true)
	policy.GlobMaxResults = 2
	page := globPage([]string{"a/1", "b", "c/2"}, policy)
	assert.Equal(t, []int{0, 1}, page.Indices)
	assert.Nil(t, page.Sampled)
	assert.Contains(t, page.Text(), "(Showing 2 of 3 files. ")
}

func TestOneEntryHoldsEverything(t *testing.T) {
	policy := DefaultPolicy(true)
	policy.GlobMaxResults = 2
	page := globPage([]string{"only/a/1", "only/b/2", "only/c/3"}, policy)
	assert.Equal(t, []int{0, 1}, page.Indices)
	assert.Equal(t, &Sampled{1, 1}, page.Sampled)
	assert.Contains(t, page.Text(), "sampled across 1 of 1 top-level entry.")
}

// Paths that lost the search root's prefix are grouped by their entry beneath
// that root, not by what their spelling begins with.
func TestGroupsAreTheEntriesBeneathTheSearchRoot(t *testing.T) {
	paths := []string{"x/1", "x/2", "y/3", "/r/ws/o/4"}
	heads := []string{"d", "d", "d", "o"}
	policy := DefaultPolicy(true)
	policy.GlobMaxResults = 2
	page := glob(paths, func(i int) string { return heads[i] }, &search.Report{}, policy).Page(unsaved)
	assert.Equal(t, []int{0, 3}, page.Indices)
	assert.Equal(t, &Sampled{2, 2}, page.Sampled)
}

func TestNamesWithLineEndsStayOnOneLine(t *testing.T) {
	for name, shown := range map[string]string{
		"a\nb":       `a\nb`,
		"a\r\nb":     `a\r\nb`,
		"\n":         `\n`,
		"v\vf\f":     `v\vf\f`,
		"s\x1e":      `s\x1e`,
		"n\u0085":    `n\u0085`,
		"l\u2028p":   `l\u2028p`,
		"tab\there":  "tab\there",
		"plain name": "plain name",
		"größe日本":    "größe日本",
		`back\nslsh`: `back\nslsh`,
	} {
		page := globPage([]string{name, "z"}, DefaultPolicy(true))
		assert.Equal(t, shown+"\nz", page.Text(), "%q", name)
		var b strings.Builder
		require.NoError(t, WriteGlob(&b, &search.GlobResult{Paths: []string{name, "z"}}))
		assert.Equal(t, shown+"\nz", b.String(), "%q", name)
	}
}

func TestWriteGlobWritesEverything(t *testing.T) {
	paths := numbered("deep/er/%05d", 20_000)
	var b strings.Builder
	require.NoError(t, WriteGlob(&b, &search.GlobResult{Paths: paths}))
	assert.True(t, slices.Equal(paths, strings.Split(b.String(), "\n")))
}

var errFull = errors.New("full")

// fullAfter is a writer that refuses what goes beyond its room.
type fullAfter struct{ room int }

func (w *fullAfter) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWritersReportTheirError(t *testing.T) {
	for _, room := range []int{0, 5000} {
		assert.ErrorIs(t, WriteGlob(&fullAfter{room}, &search.GlobResult{Paths: numbered("%d", 100_000)}), errFull)
		assert.ErrorIs(t, WriteGrep(&fullAfter{room}, manyMatches(10_000, "text")), errFull)
	}
	assert.ErrorIs(t, WriteGlob(&fullAfter{}, &search.GlobResult{Paths: []string{"short"}}), errFull)
	assert.ErrorIs(t, WriteGrep(&fullAfter{}, manyMatches(1, "short")), errFull)
}
