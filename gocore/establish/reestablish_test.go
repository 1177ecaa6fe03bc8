package establish

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Reestablish reports what leads elsewhere, and nothing else.
func TestReestablish(t *testing.T) {
	for _, tt := range []struct {
		name    string
		c       shellplan.Candidate
		change  func(*execenvtest.Tree)
		changed bool
	}{
		{"nothing", read("a.txt"), func(w *execenvtest.Tree) {}, false},
		{"an unrelated file", read("a.txt"), func(w *execenvtest.Tree) { w.File("/r/z") }, false},
		{"a file becomes a link", read("a.txt"), func(w *execenvtest.Tree) { w.Link("/r/a.txt", "/out/secret.txt") }, true},
		{"a directory link is re-pointed", read("dlink-in/main.go"), func(w *execenvtest.Tree) { w.Link("/r/dlink-in", "/out") }, true},
		{"to where the same is", read("dlink-in/main.go"), func(w *execenvtest.Tree) { w.Link("/r/dlink-in", "/r/src/.") }, false},
		{"a new inode", read("b.txt"), func(w *execenvtest.Tree) { w.Remove("/r/b.txt").File("/r/b.txt") }, false},
		{"absent, then there", write("new"), func(w *execenvtest.Tree) { w.File("/r/new") }, false},
		{"there, then absent", read("a.txt"), func(w *execenvtest.Tree) { w.Remove("/r/a.txt") }, false},
		{"a dangling target is made", write("dangle-in"), func(w *execenvtest.Tree) { w.File("/r/newfile.txt") }, false},
		{"a missing parent becomes a link", write("nd/f"), func(w *execenvtest.Tree) { w.Link("/r/nd", "/out/d") }, true},
		{"a match more", read("*.txt"), func(w *execenvtest.Tree) { w.File("/r/n.txt") }, true},
		{"a match less", read("*.txt"), func(w *execenvtest.Tree) { w.Remove("/r/a.txt") }, false},
		{"the only match gone", read("b*"), func(w *execenvtest.Tree) { w.Remove("/r/b.txt") }, true},
		{"a member more", read("src", grepR), func(w *execenvtest.Tree) { w.File("/r/src/sub/n") }, true},
		{"a link among the members", read("src", grepR), func(w *execenvtest.Tree) { w.Link("/r/src/main.go", "/out/secret.txt") }, false},
		{"a link that is followed", read("src", diffR), func(w *execenvtest.Tree) { w.Link("/r/src/n", "/etc") }, true},
		{"no answer any more", read("src/main.go"), func(w *execenvtest.Tree) { w.NoSearch("/r/src") }, true},
		{"a destination becomes a directory", write("b.txt", into(false)), func(w *execenvtest.Tree) {}, false},
	} {
		w := world()
		e, err := New(w, rootBoundary)
		require.NoError(t, err)
		before, err := e.Establish(t.Context(), simple(tt.c))
		require.NoError(t, err)
		// The earlier answer comes back over the wire.
		text, err := json.Marshal(before)
		require.NoError(t, err)
		var back Established
		require.NoError(t, json.Unmarshal(text, &back), tt.name)
		tt.change(w)
		c, err := e.Reestablish(t.Context(), &back)
		require.NoError(t, err, tt.name)
		assert.Equal(t, tt.changed, c.Any(), tt.name)
		assert.Empty(t, c.ChangedRoots, tt.name)
	}
}

func TestChangeJSON(t *testing.T) {
	w := world().Link("/ws", "/r")
	b := Boundary{ReadRoots: []string{"/ws"}, Home: "/home/u", Cwd: "/r"}
	e, err := New(w, b)
	require.NoError(t, err)
	p := simple(read("a.txt"))
	p.Segments[0].Checks = []shellplan.Check{{Kind: shellplan.CheckAbsent, Files: [][]byte{[]byte("/r/rc")}}}
	before, err := e.Establish(t.Context(), p)
	require.NoError(t, err)
	w.Link("/r/a.txt", "/out/\xff").Link("/ws", "/out").File("/r/rc")
	c, err := e.Reestablish(t.Context(), before)
	require.NoError(t, err)
	text, err := json.Marshal(c)
	require.NoError(t, err)
	assert.JSONEq(t, `{"changed":[{"segment":0,
		"before":{"candidate":0,"cwd":0,"state":"established","landings":[{"path":"/r/a.txt","access":"read"}]},
		"now":{"candidate":0,"cwd":0,"state":"absentTail","landings":[{"path":"/out/\\xff","pathBytes":"L291dC//","tail":"\\xff","tailBytes":"/w==","access":"read","hops":1}]}}],
		"changedRoots":[{"list":"readRoots","index":0,
			"before":{"spelling":"/ws","path":"/r","state":"established"},"now":{"spelling":"/ws","path":"/out","state":"established"}}],
		"changedChecks":[{"segment":0,"now":{"check":0,"state":"fails","detail":"/r/rc exists","files":["/r/rc"],"found":["/r/rc"]}}]}`, string(text))
}

// What had no answer is not compared; the root of a walk past the bounds is.
func TestReestablishUnestablished(t *testing.T) {
	w := world().NoRead("/r/src")
	e, err := New(w, rootBoundary)
	require.NoError(t, err)
	before, err := e.Establish(t.Context(), simple(read("src/*"), read("dlink-in", grepR)))
	require.NoError(t, err)
	w.Link("/r/src", "/out/d")
	c, err := e.Reestablish(t.Context(), before)
	require.NoError(t, err)
	require.Len(t, c.Changed, 1)
	assert.Equal(t, 1, c.Changed[0].Now.Candidate)
	assert.Equal(t, "/r/src", c.Changed[0].Before.Subtrees[0].Root)
}

func TestReestablishRoots(t *testing.T) {
	w := world().Link("/ws", "/r").Link("/key", "/home/u/.ssh").Dir("/home/u/.ssh").Dir("/q")
	b := Boundary{ReadRoots: []string{"/ws", "/r"}, WriteRoots: []string{"/ws/src"}, DenyPaths: []string{"/key"}, Home: "/home/u", HomeViews: []string{"/ws/.hid"}, Cwd: "/r"}
	e, err := New(w, b)
	require.NoError(t, err)
	before, err := e.Establish(t.Context(), simple(read("/r/a.txt")))
	require.NoError(t, err)
	assert.Equal(t, Root{"/ws", "/r", Canonical, NoReason}, before.ReadRoots[0])
	assert.Equal(t, Root{"/ws/src", "/r/src", Canonical, NoReason}, before.WriteRoots[0])
	assert.Equal(t, Root{"/key", "/home/u/.ssh", Canonical, NoReason}, before.DenyPaths[0])
	assert.Equal(t, []Root{{"/home/u", "/home/u", Canonical, NoReason}, {"/ws/.hid", "/r/.hid", Canonical, NoReason}}, before.Homes)
	w.Link("/ws", "/q")
	again, err := e.Establish(t.Context(), simple(read("/r/a.txt")))
	require.NoError(t, err)
	assert.Equal(t, before.ReadRoots, again.ReadRoots, "resolved once per instance")
	c, err := e.Reestablish(t.Context(), before)
	require.NoError(t, err)
	assert.Empty(t, c.Changed)
	var moved []string
	for _, m := range c.ChangedRoots {
		moved = append(moved, m.List+" "+m.Before.Path+" "+m.Now.Path)
	}
	assert.Equal(t, []string{"readRoots /r /q", "writeRoots /r/src /q/src", "homes /r/.hid /q/.hid"}, moved)
}

// A root may be anything: each has a defined answer.
func TestRoots(t *testing.T) {
	b := rootBoundary
	b.ReadRoots = []string{"/", "/r/a.txt", "/r/nope/x/", "/r/dlink-out", "/r/loop1", "/r//src/../", "/r/a.txt/x"}
	e := establishAt(t, world(), b, simple(read("a.txt")))
	assert.Equal(t, []Root{
		{"/", "/", Canonical, NoReason}, {"/r/a.txt", "/r/a.txt", Canonical, NoReason},
		{"/r/nope/x/", "/r/nope/x", AbsentTail, NoReason}, {"/r/dlink-out", "/out/d", Canonical, NoReason},
		{"/r/loop1", "/r/loop1", Unestablishable, LinkHops}, {"/r//src/../", "/r", Canonical, NoReason},
		{"/r/a.txt/x", "/r/a.txt", AbsentTail, NotDirectory},
	}, e.ReadRoots)
	b.RootsCanonical = true
	w := world()
	e = establishAt(t, w, b, simple())
	assert.Equal(t, Root{"/r/nope/x/", "/r/nope/x", Canonical, NoReason}, e.ReadRoots[2])
	assert.Equal(t, map[string]int{"canonical": 2}, w.Count(), "the roots are not asked for: the home and the directory are")
}

func TestReestablishMisuse(t *testing.T) {
	e, err := New(world(), rootBoundary)
	require.NoError(t, err)
	ok, err := e.Establish(t.Context(), simple(read("a.txt")))
	require.NoError(t, err)
	for name, prev := range map[string]*Established{
		"nil": nil, "no plan": {}, "another boundary": {Plan: ok.Plan, Segments: ok.Segments},
		"another shape":     {Plan: ok.Plan, Boundary: rootBoundary},
		"another candidate": {Plan: ok.Plan, Boundary: rootBoundary, Segments: []Segment{{Resolutions: []Resolution{{Candidate: 7}}}}},
		"no roots":          {Plan: ok.Plan, Boundary: rootBoundary, Segments: ok.Segments},
	} {
		_, err := e.Reestablish(t.Context(), prev)
		var own *Error
		require.ErrorAs(t, err, &own, name)
		assert.Contains(t, []Code{CodeBadEstablished, CodeBadBoundary}, own.Code, name)
	}
}

// Establishing again asks again: nothing of the first answer is kept.
func TestNoMemo(t *testing.T) {
	w := world()
	e, err := New(w, rootBoundary)
	require.NoError(t, err)
	p := simple(read("link-in"), read("*.txt"), read("src", grepR))
	_, err = e.Establish(t.Context(), p)
	require.NoError(t, err)
	w.Reset()
	_, err = e.Establish(t.Context(), p)
	require.NoError(t, err)
	second := w.Count()
	w.Reset()
	w.Link("/r/link-in", "/out/secret.txt")
	third, err := e.Establish(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, second, w.Count())
	assert.Equal(t, "/out/secret.txt", third.Segments[0].Resolutions[0].Target())
}

func TestReestablishIsolated(t *testing.T) {
	caps := execenv.Capabilities{Isolated: true}
	e, err := New(execenvtest.Untouchable{Caps: caps}, rootBoundary)
	require.NoError(t, err)
	before, err := e.Establish(t.Context(), simple(read("a.txt")))
	require.NoError(t, err)
	c, err := e.Reestablish(t.Context(), before)
	require.NoError(t, err)
	assert.False(t, c.Any())
}
