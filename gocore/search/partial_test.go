package search_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: unreadable entries make a success with counted warnings.
func TestUnreadableEntriesAreWarnings(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	root := coretest.Tree(t, "a.txt: needle", "c.txt: needle", "locked/b.txt: needle", "lo\nck/b.txt: needle", "d/l/x: y", "secret.txt: needle", "lock: ed/x: y")
	for _, name := range []string{"locked", "lo\nck", "d/l"} {
		coretest.Lock(t, root+"/"+name, 0)
	}
	s := pinned(t)
	r := glob(t, s, root, "*.txt", "")
	assert.Equal(t, []string{"a.txt", "c.txt", "secret.txt"}, r.Paths)
	assert.Equal(t, []string{`UNREADABLE 3 paths could not be read: d/l, lo\nck, locked`}, warnings(r.Report))
	assert.Equal(t, []string{"d/l", "lo\nck", "locked"}, r.Warnings[0].Paths)
	assert.Nil(t, r.Incomplete)

	coretest.Lock(t, root+"/secret.txt", 0)
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, []string{"a.txt", "c.txt"}, files(g))
	assert.Equal(t, []string{`UNREADABLE 4 paths could not be read: d/l, lo\nck, locked and 1 more`}, warnings(g.Report))

	// Where nothing was found, it is all the more needed.
	assert.Equal(t, []string{`UNREADABLE 1 path could not be read: d/l`}, warnings(glob(t, s, root, "nothing", "d").Report))
	// One file that cannot be read is no answer, nor is a root.
	for _, path := range []string{"secret.txt", "locked", "locked/b.txt"} {
		e := grepError(t, s, root, search.GrepRequest{Pattern: "needle", Path: path})
		assert.Equal(t, search.Failed, e.Code)
		assert.Equal(t, `path "`+path+`" cannot be read: permission denied`, e.Message)
	}
	// A path is displayed as results are.
	r = glob(t, s, root+"/d", "*", root)
	assert.Equal(t, []string{"UNREADABLE 3 paths could not be read: l, " + root + "/lo\\nck, " + root + "/locked"}, warnings(r.Report)[:1])
}

// Rule: unreadable "fail" is the contract's letter.
func TestUnreadableEntriesMayFail(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	root := coretest.Tree(t, "a.txt: needle", "ok/c.txt: needle", "locked/b.txt: needle")
	coretest.Lock(t, root+"/locked", 0)
	s := pinned(t, failUnreadable)
	for _, e := range []*search.Error{globError(t, s, root, "*.txt", ""), grepError(t, s, root, search.GrepRequest{Pattern: "needle"})} {
		assert.Equal(t, search.Failed, e.Code)
		assert.Contains(t, e.Message, "1 path could not be read: locked")
		assert.Equal(t, 2, e.Details.Found)
		assert.Equal(t, 2, e.Details.ExitCode)
		assert.Contains(t, e.Details.Stderr, "./locked")
	}
	assert.Equal(t, []string{"ok/c.txt"}, glob(t, s, root, "*.txt", "ok").Paths)
	// What is ignored is not read.
	require.NoError(t, os.WriteFile(root+"/.ignore", []byte("locked\n"), 0o600))
	assert.Equal(t, []string{"a.txt", "ok/c.txt"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle"})))
}

// What ripgrep's engine gives up on is a warning with its reason.
func TestAnEngineThatGivesUp(t *testing.T) {
	root := coretest.Tree(t, "b.txt: hit", "evil.txt: "+strings.Repeat("x", 60))
	s := pinned(t)
	g := grep(t, s, root, search.GrepRequest{Pattern: "(?=x)(x+x+)+y|hit"})
	assert.Equal(t, []string{"b.txt"}, files(g))
	assert.Equal(t, []string{"UNREADABLE 1 path could not be read: evil.txt (PCRE2: error matching: match limit exceeded)"}, warnings(g.Report))
	e := grepError(t, s, root, search.GrepRequest{Pattern: "(?=x)(x+x+)+y|hit", Path: "evil.txt"})
	assert.Equal(t, `path "evil.txt" could not be searched: PCRE2: error matching: match limit exceeded`, e.Message)
}

// Files that vanish while they are searched are counted, the rest is found.
func TestEntriesThatVanish(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	s, _ := fake(t, coretest.Fake{Stdout: begin("./a") + hit("./a", 1, "x") + end("./a") + summary, Exit: 2,
		Stderr: "rg: ./gone: No such file or directory (os error 2)\nrg: ./locked: Permission denied (os error 13)\n"})
	g := grep(t, s, root, search.GrepRequest{Pattern: "x"})
	assert.Equal(t, []string{"a:1:x"}, lines(g))
	assert.Equal(t, []string{"UNREADABLE 1 path could not be read: locked", "VANISHED 1 path vanished during the search: gone"}, warnings(g.Report))
}

// A file that vanishes before it is searched is not without matches.
func TestFileThatVanishes(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	s, _ := fake(t, coretest.Fake{Stdout: summary, Exit: 2, Stderr: "rg: ./a: No such file or directory (os error 2)\n"})
	e := grepError(t, s, root, search.GrepRequest{Pattern: "x", Path: "a"})
	assert.Equal(t, search.Failed, e.Code)
	assert.Equal(t, `path "a" could not be searched: No such file or directory`, e.Message)
}

// Rule: a search cut short by its deadline fails by the contract with what was
// found counted, or returns the page, marked.
func TestCutShortByTheDeadline(t *testing.T) {
	root := coretest.Tree(t, "a: x", "b: x", "c: x")
	grepFake := coretest.Fake{Stdout: begin("./b") + hit("./b", 1, "x") + hit("./b", 2, "x") + end("./b") + begin("./a") + hit("./a", 7, "x") + `{"type":"ma`, Sleep: 60, Ready: true}
	globFake := coretest.Fake{Stdout: list("c", "a") + "./b-is-cut", Sleep: 60, Stderr: "rg: ./locked: Permission denied (os error 13)\n", Ready: true}
	t.Run("fail", func(t *testing.T) {
		s, path := fake(t, grepFake)
		_, err := s.Grep(atDeadline(t, path), root, search.GrepRequest{Pattern: "x"})
		e := failure(t, err)
		assert.Equal(t, search.Aborted, e.Code)
		assert.Equal(t, search.Details{Reason: "timeout", Found: 3}, e.Details)
		assert.Equal(t, "the search did not finish within its time limit (3 results found until then); narrow path, include or pattern", e.Message)
		s, path = fake(t, globFake)
		_, err = s.Glob(atDeadline(t, path), root, search.GlobRequest{Pattern: "*"})
		e = failure(t, err)
		assert.Equal(t, search.Aborted, e.Code)
		assert.Equal(t, 2, e.Details.Found)
		assert.Contains(t, e.Message, "narrow path or pattern")
		assert.NotContains(t, e.Message, "include")
	})
	t.Run("page", func(t *testing.T) {
		s, path := fake(t, grepFake, cutShort(search.CutShortPage))
		g, err := s.Grep(atDeadline(t, path), root, search.GrepRequest{Pattern: "x"})
		require.NoError(t, err)
		assert.Equal(t, []string{"a:7:x", "b:1:x", "b:2:x"}, lines(g))
		assert.Equal(t, &search.Incomplete{Reason: "timeout", Message: "the search did not finish within its time limit; these are the results until then"}, g.Incomplete)
		s, path = fake(t, globFake, cutShort(search.CutShortPage), failUnreadable)
		r, err := s.Glob(atDeadline(t, path), root, search.GlobRequest{Pattern: "*"})
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "c"}, r.Paths)
		assert.Equal(t, "timeout", r.Incomplete.Reason)
		assert.Equal(t, []string{"UNREADABLE 1 path could not be read: locked"}, warnings(r.Report))
	})
	t.Run("its own", func(t *testing.T) {
		s, _ := fake(t, coretest.Fake{Sleep: 60}, timeout(50*time.Millisecond))
		e := grepError(t, s, root, search.GrepRequest{Pattern: "x"})
		assert.Equal(t, search.Details{Reason: "timeout"}, e.Details)
		assert.Contains(t, e.Message, "(0 results found until then)")
		s, _ = fake(t, coretest.Fake{Sleep: 60}, timeout(50*time.Millisecond), cutShort(search.CutShortPage))
		r := glob(t, s, root, "*", "")
		assert.Empty(t, r.Paths)
		assert.Equal(t, "timeout", r.Incomplete.Reason)
		assert.Equal(t, "the search did not finish within its time limit; nothing had been found until then", r.Incomplete.Message)
	})
	t.Run("nothing is explained that was not reached", func(t *testing.T) {
		// Each of these has a note when the whole tree was searched.
		for _, pattern := range []string{"none\\|other", `"x"`} {
			s, _ := fake(t, coretest.Fake{Sleep: 60}, timeout(50*time.Millisecond), cutShort(search.CutShortPage))
			g := grep(t, s, root, search.GrepRequest{Pattern: pattern})
			assert.NotNil(t, g.Incomplete)
			assert.Empty(t, g.Notes, pattern)
		}
		s, _ := fake(t, coretest.Fake{Sleep: 60}, timeout(50*time.Millisecond), cutShort(search.CutShortPage))
		assert.Empty(t, glob(t, s, root, "~", "").Notes)
	})
}

// atDeadline returns a context that reaches its deadline when the stand-in at
// path has written its output.
func atDeadline(t *testing.T, path string) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() { coretest.AwaitReady(t, path); cancel(context.DeadlineExceeded) }()
	return ctx
}

// A caller who leaves gets an error, whatever the configuration; so does one
// whose runtime ends.
func TestCancelled(t *testing.T) {
	root := coretest.Tree(t)
	for name, tc := range map[string]struct {
		cause           error
		reason, message string
	}{
		"the caller": {errEnough, "cancelled", "the search was cancelled (1 result found until then)"},
		"shutdown":   {search.ErrShutdown, "shutdown", "the runtime is shutting down (1 result found until then)"},
	} {
		t.Run(name, func(t *testing.T) {
			s, path := fake(t, coretest.Fake{Stdout: hit("./a", 1, "x"), Sleep: 60, Ready: true}, cutShort(search.CutShortPage))
			ctx, cancel := context.WithCancelCause(context.Background())
			go func() { coretest.AwaitReady(t, path); cancel(tc.cause) }()
			_, err := s.Grep(ctx, root, search.GrepRequest{Pattern: "x"})
			e := failure(t, err)
			assert.Equal(t, search.Aborted, e.Code)
			assert.Equal(t, search.Details{Reason: tc.reason, Found: 1}, e.Details)
			assert.Equal(t, tc.message, e.Message)
			assert.ErrorIs(t, err, tc.cause)
		})
	}
	t.Run("before it started", func(t *testing.T) {
		s, path := fake(t, coretest.Fake{})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := s.Grep(ctx, root, search.GrepRequest{Pattern: "x"})
		assert.Equal(t, search.Aborted, failure(t, err).Code)
		_, err = s.Glob(ctx, root, search.GlobRequest{Pattern: "x"})
		assert.Equal(t, search.Aborted, failure(t, err).Code)
		_, err = coretest.ReadSeen(path)
		assert.ErrorIs(t, err, os.ErrNotExist)
	})
}

// Rule: the call returns within timeout and grace, whatever the sidecar does.
func TestDeafSidecar(t *testing.T) {
	root := coretest.Tree(t)
	s, _ := fake(t, coretest.Fake{IgnoreTerm: true, Sleep: 60}, timeout(200*time.Millisecond), grace(100*time.Millisecond))
	within(t, 10*time.Second, func() {
		e := globError(t, s, root, "*", "")
		assert.Equal(t, search.Aborted, e.Code)
		assert.Equal(t, "timeout", e.Details.Reason)
	})
}

// Rule: output over the budget fails by the contract with what was found
// counted, or returns the page; exactly the budget is fine. A listing counts as
// ripgrep's output for the call's own path.
func TestRawOutputBudget(t *testing.T) {
	root := coretest.Tree(t, "aaaa", "sub/bbbb", "sub/cccc")
	for name, tc := range map[string]struct {
		pattern, path string
		size          int64
	}{
		"no path":         {"*", "", int64(len("aaaa.sub/bbbb.sub/cccc."))},
		"a dot":           {"*", ".", int64(len("./aaaa../sub/bbbb../sub/cccc."))},
		"a path":          {"*", "sub", int64(len("sub/bbbb.sub/cccc."))},
		"with a slash":    {"*", "sub/", int64(len("sub/bbbb.sub/cccc."))},
		"an absolute one": {"*", root + "/sub", 2 * int64(len(root+"/sub/bbbb."))},
		"a prefix":        {"sub/*", "", int64(len("sub/bbbb.sub/cccc."))},
		"a part":          {"*/b*", "", int64(len("sub/bbbb."))},
		"nothing":         {"nothing", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			within := glob(t, pinned(t, rawMax(max(1, tc.size))), root, tc.pattern, tc.path)
			assert.Nil(t, within.Incomplete)
			if tc.size == 0 {
				return
			}
			e := globError(t, pinned(t, rawMax(tc.size-1)), root, tc.pattern, tc.path)
			assert.Equal(t, search.RawOutputOverflow, e.Code)
			assert.Equal(t, "rawOutputMaxBytes", e.Details.Reason)
			assert.Equal(t, len(within.Paths), e.Details.Found)
			assert.Equal(t, fmt.Sprintf("ripgrep's output exceeded %d bytes (rawOutputMaxBytes) (%d results found until then); narrow path or pattern",
				tc.size-1, len(within.Paths)), strings.Replace(e.Message, "(1 result ", "(1 results ", 1))
			page := glob(t, pinned(t, rawMax(tc.size-1), cutShort(search.CutShortPage)), root, tc.pattern, tc.path)
			assert.Equal(t, within.Paths, page.Paths)
			assert.Equal(t, "rawOutputMaxBytes", page.Incomplete.Reason)
		})
	}
}

func TestRawOutputBudgetOfGrep(t *testing.T) {
	root := coretest.Tree(t, "d/f: x")
	body := func(path string) string {
		return begin(path) + hit(path, 1, "x") + hit(path, 2, "x") + end(path) + summary
	}
	for name, tc := range map[string]struct{ path, ours, contract string }{
		"no path":     {"", "./d/f", "d/f"},
		"a directory": {"d", "./f", "d/f"},
		"an absolute": {root, "./d/f", root + "/d/f"},
		"a file":      {"d/f", "./f", "d/f"},
		"its spelled": {"./d/f", "./f", "./d/f"},
	} {
		t.Run(name, func(t *testing.T) {
			size := int64(len(body(tc.contract)))
			for _, piece := range []int{0, 1, 7} {
				stand := coretest.Fake{Stdout: body(tc.ours), Piece: piece}
				s, _ := fake(t, stand, rawMax(size))
				assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: "x", Path: tc.path}).Matches, 2)
				s, _ = fake(t, stand, rawMax(size-1))
				e := grepError(t, s, root, search.GrepRequest{Pattern: "x", Path: tc.path})
				assert.Equal(t, search.RawOutputOverflow, e.Code)
				assert.Equal(t, 2, e.Details.Found)
			}
		})
	}
}

// Rule: ripgrep is stopped as soon as the outcome is known.
func TestOverflowStopsTheSidecar(t *testing.T) {
	root := coretest.Tree(t)
	endless := coretest.Fake{Stdout: begin("./a") + strings.Repeat(hit("./a", 1, "x"), 1000), Repeat: 1 << 30}
	within(t, 30*time.Second, func() {
		s, _ := fake(t, endless, rawMax(1_000_000))
		e := grepError(t, s, root, search.GrepRequest{Pattern: "x"})
		assert.Equal(t, search.RawOutputOverflow, e.Code)
		assert.Greater(t, e.Details.Found, 1000)
		assert.Contains(t, e.Message, fmt.Sprintf("(%d results found until then)", e.Details.Found))
	})
	// A line that never ends is not collected beyond the budget.
	within(t, 30*time.Second, func() {
		s, _ := fake(t, coretest.Fake{Stdout: strings.Repeat("x", 1<<16), Repeat: 1 << 30}, rawMax(1_000_000))
		assert.Equal(t, search.RawOutputOverflow, grepError(t, s, root, search.GrepRequest{Pattern: "x"}).Code)
		assert.Equal(t, search.RawOutputOverflow, globError(t, s, root, "x", "").Code)
	})
}
