package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Property 5: what it cannot enumerate is unestablishable, never silently
// vouched.
func TestCannotEnumerate(t *testing.T) {
	shut := func() *execenvtest.Tree { return world().Dir("/r/shut/in").NoRead("/r/shut") }
	for _, tt := range []struct {
		env    execenv.Env
		c      shellplan.Candidate
		reason Reason
		detail string
	}{
		{shut(), read("shut/*"), UnreadableDir, "/r/shut"},
		{shut(), read("*/*"), UnreadableDir, "/r/shut"},
		{shut(), read(".", grepR), UnreadableDir, "/r/shut"},
		{world().Fail("list", "/r/src", 0, execenv.NoAnswer), read("src/*"), UnreadableDir, "/r/src"},
		{world().Dir("/r/nox/in").NoSearch("/r/nox"), read("nox/x"), SearchDenied, "/r/nox"},
		{world().Dir("/r/nox/in").NoSearch("/r/nox"), read("*/x"), SearchDenied, "/r/nox"},
		{world(), read("+([a]).txt*", globbing(shellplan.GlobExt)), UnmodelledPattern, "an extended pattern in +([a]).txt*"},
		{world(), read("[[=a=]]*"), UnmodelledPattern, "a collating symbol or an equivalence class in [[=a=]]*"},
		{world().File("/r/-r"), read("*"), NameBecomesOption, "-r"},
		{world().Dir("/r/-d/x"), read("*/x"), NameBecomesOption, "-d/x"},
		{world().File("/r/a b.txt"), read("*.txt", func(c *shellplan.Candidate) { c.Resplit = true }), Dynamic, "a b.txt"},
	} {
		r := one(t, tt.env, tt.c)
		assert.Equal(t, Unestablishable, r.State, "%s", tt.c.Raw)
		assert.Equal(t, tt.reason, r.Reason, "%s", tt.c.Raw)
		assert.Equal(t, tt.detail, r.Detail, "%s", tt.c.Raw)
		assert.Empty(t, r.Landings, "%s: there are no partial answers", tt.c.Raw)
	}
	for _, c := range []shellplan.Candidate{read("*", safe), read("./*"), read("[-]r"), write("*", redirect(">", 1))} {
		r := one(t, world().File("/r/-r"), c)
		if string(c.Raw) == "[-]r" {
			assert.Equal(t, NameBecomesOption, r.Reason)
			continue
		}
		assert.NotEqual(t, NameBecomesOption, r.Reason, "%s", c.Raw)
	}
}

// The bounds are exact: 256 lists yes, 257 no; 8192 names yes, 8193 no; 65,536
// names looked through yes, one more no.
func TestBoundsExactly(t *testing.T) {
	lists := func(n int) *execenvtest.Tree {
		return execenvtest.New().Dir("/home/u").Dirs("/r/m", "d", n).File("/r/m/d00000/x")
	}
	r := one(t, lists(255), read("m/*/*"))
	assert.Equal(t, Canonical, r.State, "255 directories and their parent: 256 lists")
	r = one(t, lists(256), read("m/*/*"))
	assert.Equal(t, CapDirs, r.Reason, "257 lists")
	r = one(t, lists(300), read("m/*/x"))
	assert.Equal(t, Canonical, r.State, "a literal behind the pattern costs no list")
	assert.Equal(t, []string{"/r/m", "/r/m/d00000/x"}, pathsOf(r))
	r = one(t, lists(255), read("m", grepR))
	assert.Equal(t, Canonical, r.State)
	r = one(t, lists(256), read("m", grepR))
	assert.Equal(t, CapDirs, r.Reason)
	assert.Equal(t, []Subtree{{Root: "/r/m", Access: shellplan.AccessRead}}, r.Subtrees, "the root of the walk is known all the same")

	names := func(n int) *execenvtest.Tree { return execenvtest.New().Dir("/home/u").Files("/r/n", "f", n) }
	r = one(t, names(8192), read("n/*"))
	assert.Equal(t, Canonical, r.State)
	assert.Len(t, r.Landings, 8192+1)
	assert.Equal(t, CapMatches, one(t, names(8193), read("n/*")).Reason)
	r = one(t, names(8192), read("n", grepR))
	assert.Equal(t, Canonical, r.State)
	assert.Len(t, r.Landings, 8192+1)
	assert.Equal(t, CapMatches, one(t, names(8193), read("n", grepR)).Reason)
	assert.Equal(t, CapMatches, one(t, execenvtest.New().Dir("/home/u").Dirs("/r/n", "d", 8193), read("n/*/x")).Reason,
		"names between are held against the same number")

	r = one(t, names(65_536), read("n/f00000*"))
	assert.Equal(t, Canonical, r.State)
	assert.Equal(t, CapScan, one(t, names(65_537), read("n/f00000*")).Reason)
}

// Each operand has its own counters: two words may each use them up.
func TestBoundsArePerOperand(t *testing.T) {
	w := execenvtest.New().Dir("/home/u").Dirs("/r/m", "d", 255)
	e := establishIn(t, w, simple(read("m/*/*"), read("m/*/*"), read("m", grepR)))
	for _, r := range e.Segments[0].Resolutions {
		assert.NotEqual(t, CapDirs, r.Reason)
	}
	assert.Equal(t, 256*3, w.Count()["list"])
}

// A walk that stops at a bound, or goes on through links, says what is known
// of where it stays.
func TestSubtrees(t *testing.T) {
	follow := tree(shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksFollow, Hidden: true})
	r := one(t, world(), read("src", follow))
	require.Equal(t, AbsentTail, r.State, "some of the links dangle")
	assert.Contains(t, pathsOf(r), "/out/secret.txt", "src/loop leads back to /r, from where everything is followed")
	assert.Equal(t, []Subtree{{Root: "/r/src", Access: shellplan.AccessRead, FollowsLinks: true, Enumerated: true}}, r.Subtrees)
	r = one(t, world(), read("dlink-out", grepR))
	assert.Equal(t, []string{"/out/d", "/out/d/s.txt"}, pathsOf(r))
	r = one(t, world(), read("dlink-out", findP))
	assert.Equal(t, []string{"/r/dlink-out"}, pathsOf(r), "a root that is a link and not followed is one entry")
	assert.Empty(t, r.Subtrees)
	r = one(t, world(), read("dlink-out/", findP))
	assert.Equal(t, []string{"/out/d", "/out/d/s.txt"}, pathsOf(r), "a slash follows")
	r = one(t, world(), read("nope", grepR))
	assert.Equal(t, []Subtree{{Root: "/r/nope", Access: shellplan.AccessRead, Enumerated: true}}, r.Subtrees)
	r = one(t, world(), read("a.txt", grepR))
	assert.Empty(t, r.Subtrees)
	assert.Equal(t, []string{"/r/a.txt"}, pathsOf(r))
}
