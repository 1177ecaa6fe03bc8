package index_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/index"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// scope is a grep of a whole tree.
func scope(root, pattern string) search.Scope {
	return search.Scope{Workdir: root, Dir: root, Pattern: pattern}
}

// tree has 40 files, of which one says "needle", and more that are hidden or ignored.
func tree(t testing.TB) string {
	entries := []string{".git/HEAD: x", ".gitignore: *.log\nout/\n", "a.log: needle", "out/x.go: needle", ".hidden: needle", "sub/needle.go: needle"}
	for i := range 39 {
		entries = append(entries, fmt.Sprintf("src/f%02d.go: hay %02d", i, i))
	}
	return coretest.Tree(t, entries...)
}

// Rule: what has to be looked at is what may match and what has changed, by the right
// of each to be named.
func TestSelect(t *testing.T) {
	root, p := tree(t), newPair(t)
	require.Empty(t, made(t, p.set, root))
	ask := func(s search.Scope) *search.Selection {
		t.Helper()
		selection, reason := p.set.Select(s)
		require.Empty(t, reason)
		slices.Sort(selection.Named)
		slices.Sort(selection.Walked)
		return selection
	}
	got := ask(scope(root, "needle"))
	assert.Equal(t, []string{"sub/needle.go"}, got.Named)
	assert.Empty(t, got.Walked)
	assert.Equal(t, 40, got.Files)
	assert.True(t, got.Confirm())

	// Directories beneath, narrowed, and none at all.
	assert.Equal(t, []string{"needle.go"}, ask(search.Scope{Workdir: root, Dir: root + "/sub", Pattern: "needle"}).Named)
	include := scope(root, "hay 0[12]")
	include.Wants, include.Narrowing = func(rel string) bool { return strings.HasSuffix(rel, "1.go") }, "1"
	narrow := ask(include)
	assert.Equal(t, []string{"src/f01.go"}, narrow.Named)
	assert.Equal(t, 4, narrow.Files)
	assert.Empty(t, ask(scope(root, "nothing at all")).Named)

	// Changes are known at once; ripgrep decides about what is new.
	require.NoError(t, os.WriteFile(root+"/src/f00.go", []byte("other"), 0o644))
	require.NoError(t, os.WriteFile(root+"/src/new.log", []byte("needle"), 0o644))
	got, reason := p.set.Select(scope(root, "needle"))
	require.Empty(t, reason)
	assert.Subset(t, []string{"src/f00.go", "src/new.log"}, got.Walked, "unless they have been read again")
	require.NoError(t, os.WriteFile(root+"/src/f00.go", []byte("needle"), 0o644))
	want, have, use := p.grep(t, root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, want, have)
	assert.Equal(t, search.UsedBarrier, use.Used)
	assert.Contains(t, have, "src/f00.go")
}

// Rule: whatever is not certain is a plain search, and says why.
func TestReasons(t *testing.T) {
	root, p := tree(t), newPair(t)
	_, reason := p.set.Select(scope(root, "needle"))
	assert.Equal(t, index.ReasonOff, reason, "the first search pays nothing")
	_, reason = p.set.Select(scope(root, "needle"))
	assert.Equal(t, index.ReasonBuilding, reason)
	require.Empty(t, made(t, p.set, root))
	for _, c := range []struct {
		scope search.Scope
		want  string
	}{
		{scope(root, "a.b"), index.ReasonPattern},
		{scope(root, "hay"), index.ReasonManyCandidates},
		{search.Scope{Workdir: root, Dir: root + "/out", Pattern: "needle"}, index.ReasonUnwalkedPath},
		{search.Scope{Workdir: root, Dir: root + "/.git", Pattern: "needle"}, index.ReasonUnwalkedPath},
		{search.Scope{Workdir: root, Dir: root, Pattern: "needle", Wants: func(string) bool { return false }, Narrowing: "none"}, index.ReasonUnwalkedPath},
		{search.Scope{Workdir: root, Dir: root + "/gone", Pattern: "needle"}, index.ReasonOff},
	} {
		_, reason := p.set.Select(c.scope)
		assert.Equal(t, c.want, reason, "%+v", c.scope)
	}
	for _, c := range []struct {
		req  search.GrepRequest
		want string
	}{
		{search.GrepRequest{Pattern: "needle", Path: "sub/needle.go"}, "file"},
		{search.GrepRequest{Pattern: `(needle)\1`}, "pattern"},
		{search.GrepRequest{Pattern: `needle(?=x)`}, "pattern"},
		{search.GrepRequest{Pattern: `needle\x0d`}, "pcre2"},
	} {
		want, got, use := p.grep(t, root, c.req)
		assert.Equal(t, want, got, "%+v", c.req)
		assert.Equal(t, search.IndexUse{Used: search.UsedNot, Reason: c.want}, use, "%+v", c.req)
	}
	require.NoError(t, os.WriteFile(root+"/.gitignore", []byte("*.log\n"), 0o644))
	_, reason = p.set.Select(scope(root, "needle"))
	assert.Equal(t, index.ReasonIgnoreChanged, reason)
	require.Empty(t, made(t, p.set, root))
	selection, reason := p.set.Select(scope(root, "needle"))
	require.Empty(t, reason)
	assert.Contains(t, slices.Concat(selection.Named, selection.Walked), "out/x.go", "it is searched now")

	for i := range 2100 {
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/src/n%d", root, i), []byte("x"), 0o644))
	}
	want, got, use := p.grep(t, root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, want, got)
	assert.Contains(t, []string{index.ReasonManyChanges, ""}, use.Reason, "or they have been read already")

	require.NoError(t, os.Rename(root, root+"-moved"))
	require.NoError(t, os.Mkdir(root, 0o755))
	_, reason = p.set.Select(scope(root, "needle"))
	assert.Equal(t, "root-replaced", reason)
	p.set.Close()
	_, reason = p.set.Select(scope(root, "needle"))
	assert.Equal(t, index.ReasonOff, reason)
}

// Rule: bounds are kept.
func TestBounds(t *testing.T) {
	for want, change := range map[string]func(*index.Options){
		index.ReasonTooLarge: func(o *index.Options) { o.MaxFiles = 10 },
		"watches":            func(o *index.Options) { o.MaxWatches = 1 },
	} {
		o := options(t)
		change(&o)
		set := index.New(o)
		assert.Equal(t, want, made(t, set, tree(t)))
		set.Close()
	}
	o := options(t)
	o.MaxBytes = 10
	set := index.New(o)
	defer set.Close()
	assert.Equal(t, index.ReasonTooLarge, made(t, set, tree(t)))
}

// meddler runs something before the sidecar searches what an index has chosen.
type meddler struct {
	subprocess.Local
	before func()
}

func (m *meddler) Run(ctx context.Context, spec subprocess.Spec) (subprocess.Outcome, error) {
	if m.before != nil && slices.Contains(spec.Args, "--no-mmap") {
		m.before()
	}
	return m.Local.Run(ctx, spec)
}

// Rule: when a file that was named becomes another before ripgrep has ended, the
// answer is that of a plain search.
func TestChangedMeanwhile(t *testing.T) {
	root := tree(t)
	o := options(t)
	m := &meddler{}
	set := index.New(o)
	t.Cleanup(set.Close)
	s := search.New(o.Sidecar, m, search.DefaultConfig(), nil)
	s.Use(set)
	require.Empty(t, made(t, set, root))
	require.NoError(t, os.WriteFile(root+"/elsewhere.txt", []byte("needle elsewhere"), 0o644))
	require.Empty(t, made(t, set, root))
	m.before = func() { // a link in its place would be followed
		require.NoError(t, os.Remove(root+"/sub/needle.go"))
		require.NoError(t, os.Symlink("../a.log", root+"/sub/needle.go"))
	}
	r, err := s.Grep(context.Background(), root, search.GrepRequest{Pattern: "needle"})
	require.NoError(t, err)
	require.Len(t, r.Matches, 1)
	assert.Equal(t, "elsewhere.txt", r.Matches[0].Path)
	assert.Equal(t, &search.IndexUse{Used: search.UsedNot, Reason: index.ReasonChanged}, r.Stats.Index)
}

// Rule: answers are right under continuous writers, and nothing races. Each writer
// makes a file with a number of its own before it searches for that number.
func TestWritersAndSearches(t *testing.T) {
	root, p := tree(t), newPair(t)
	require.Empty(t, made(t, p.set, root))
	var used atomic.Int64
	var writers sync.WaitGroup
	for id := range 3 {
		writers.Go(func() {
			for n := range often(25) {
				word := fmt.Sprintf("word-%d-%d-", id, n)
				at := fmt.Sprintf("%s/src/w%d/%d", root, id, n%7)
				assert.NoError(t, os.MkdirAll(at, 0o755))
				assert.NoError(t, os.WriteFile(at+"/f.go", []byte(word), 0o644))
				if n%5 == 4 {
					away := fmt.Sprintf("%s/src/moved%d", root, id)
					assert.NoError(t, os.RemoveAll(away))
					assert.NoError(t, os.Rename(at, away))
				}
				r, err := p.indexed.Grep(context.Background(), root, search.GrepRequest{Pattern: word})
				if assert.NoError(t, err) && assert.Len(t, r.Matches, 1, "%s: %+v", word, r.Stats.Index) && r.Stats.Index.Used == search.UsedBarrier {
					used.Add(1)
				}
				g, err := p.indexed.Glob(context.Background(), root, search.GlobRequest{Pattern: "**/f.go"})
				assert.NoError(t, err)
				assert.NotEmpty(t, g.Paths)
			}
		})
	}
	writers.Wait()
	assert.Positive(t, used.Load())
}
