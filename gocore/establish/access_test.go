package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// What happens at the last component depends on the access: writes follow it, entries
// do not, a slash follows with every access.
func TestDefaultDenied(t *testing.T) {
	for _, tt := range []struct {
		c    shellplan.Candidate
		want string
	}{
		{read("link-out"), "/out/secret.txt"},
		{write("link-out"), "/out/secret.txt"},
		{word("link-out", shellplan.AccessExec), "/out/secret.txt"},
		{stat("link-out"), "/out/secret.txt"},
		{stat("link-out", noFollow), "/r/link-out"},
		{read("link-out", noFollow), "/r/link-out"},
		{entry("link-out"), "/r/link-out"},
		{entry("dlink-out"), "/r/dlink-out"},
		{entry("dlink-out/"), "/out/d"},
		{entry("dlink-out/."), "/out/d"},
		{entry("dlink-out/.."), "/out"},
		{entry("dlink-out/s.txt"), "/out/d/s.txt"},
		{entry("."), "/r"},
		{entry(".."), "/"},
		{entry("/"), "/"},
		{read("/"), "/"},
		{read("//r//a.txt"), "/r/a.txt"},
		{read("../../../../r/a.txt"), "/r/a.txt"},
	} {
		r := one(t, world(), tt.c)
		assert.Equal(t, tt.want, r.Target(), "%s at %s", tt.c.Raw, tt.c.Access)
		assert.Equal(t, Canonical, r.State, "%s at %s", tt.c.Raw, tt.c.Access)
	}
	r := one(t, world(), read("loop1"))
	assert.Equal(t, LinkHops, r.Reason)
	assert.Equal(t, "/r/loop1", one(t, world(), entry("loop1")).Target())
}

// The destination of cp, mv, ln and install: a word that leads to a directory
// means the source's name in it.
func TestInto(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cands []shellplan.Candidate
		want  []string // landings of the last candidate
	}{
		{"onto a file", []shellplan.Candidate{read("a.txt"), write("b.txt", into(false, 0))}, []string{"/r/b.txt"}},
		{"through a link", []shellplan.Candidate{read("a.txt"), write("link-out", into(false, 0))}, []string{"/out/secret.txt"}},
		{"a link to a directory", []shellplan.Candidate{entry("a.txt"), entry("dlink-out", into(false, 0))}, []string{"/out/d/a.txt"}},
		{"ln -n", []shellplan.Candidate{entry("dlink-out", noFollow, into(false)), entry("dlink-out", noFollow, into(false, 0))}, []string{"/r/dlink-out"}},
		{"a path of a source", []shellplan.Candidate{read("src/sub/deep.txt"), write("src", into(false, 0))}, []string{"/r/src/deep.txt"}},
		{"a source with slashes", []shellplan.Candidate{read("src/sub//"), entry("dlink-out", into(false, 0))}, []string{"/out/d/sub"}},
		{"a source that is a dot", []shellplan.Candidate{read("src/."), entry("dlink-out", into(false, 0))}, []string{"/out/d"}},
		{"an existing link inside", []shellplan.Candidate{read("/x/loop"), write("src", into(false, 0))}, []string{"/r"}},
		{"an existing link inside, as an entry", []shellplan.Candidate{entry("/x/loop"), entry("src", into(false, 0))}, []string{"/r/src/loop"}},
		{"a missing one", []shellplan.Candidate{read("a.txt"), write("new", into(false, 0))}, []string{"/r/new"}},
		{"a tree to a missing one", []shellplan.Candidate{read("src", copyR), word("new", shellplan.AccessTree, into(false, 0))},
			[]string{"/r/new", "/r/new/.env", "/r/new/loop", "/r/new/main.go", "/r/new/sub", "/r/new/sub/deep.txt", "/r/new/util.go"}},
		{"a tree into a directory", []shellplan.Candidate{read("src/sub", copyR), word("dlink-out", shellplan.AccessTree, into(false, 0))},
			[]string{"/out/d/sub", "/out/d/sub/deep.txt"}},
		{"each match of a pattern", []shellplan.Candidate{read("*.txt"), write("dlink-out", into(true, 0))}, []string{"/out/d/a.txt", "/out/d/b.txt"}},
		{"names alone", []shellplan.Candidate{entry("src", func(c *shellplan.Candidate) {
			c.Into = &shellplan.Into{Names: [][]byte{[]byte("../x/target")}}
		})}, []string{"/r/src/target"}},
	} {
		e := establishIn(t, world(), simple(tt.cands...))
		r := e.Segments[0].Resolutions[len(tt.cands)-1]
		assert.Equal(t, tt.want, pathsOf(r), tt.name)
	}
	// A missing destination may be a directory by then, made by an earlier
	// segment.
	two := establishIn(t, world(), plan(segment(entry("new")), segment(read("a.txt"), write("new", into(false, 0)))))
	assert.Equal(t, []string{"/r/new", "/r/new/a.txt"}, pathsOf(two.Segments[1].Resolutions[1]))
	e := establishIn(t, world().NoRead("/r/src"), simple(read("src/*"), write("dlink-out", into(true, 0))))
	assert.Equal(t, UnreadableDir, e.Segments[0].Resolutions[1].Reason, "the names are not known, so neither are the targets")
}

// ls opens what is a directory and looks at what is none.
func TestDirOnly(t *testing.T) {
	assert.Equal(t, shellplan.AccessStat, one(t, world(), read("a.txt", dirOnly)).Landings[0].Access)
	assert.Equal(t, shellplan.AccessRead, one(t, world(), read("src", dirOnly)).Landings[0].Access)
	assert.Equal(t, shellplan.AccessRead, one(t, world(), read("dlink-out", dirOnly)).Landings[0].Access)
	assert.Equal(t, execenv.Dir, one(t, world(), read("src", dirOnly)).Landings[0].Kind)
}

func TestTreeAccessWritesThroughLinks(t *testing.T) {
	w := world().Link("/r/t/l", "/out/secret.txt").Link("/r/t/d", "/out/d").File("/r/t/f")
	r := one(t, w, word("t", shellplan.AccessTree))
	got := map[string]bool{}
	for _, l := range r.Landings {
		if !l.Listed {
			got[l.Path] = true
		}
	}
	assert.Equal(t, map[string]bool{"/r/t": true, "/r/t/f": true, "/out/secret.txt": true, "/out/d": true}, got)
}

// A link at the destination of a copied tree is written through or replaced.
func TestTreeAccessReplacesLinks(t *testing.T) {
	w := world().Link("/r/dst/sub/deep.txt", "/out/secret.txt")
	e := establishIn(t, w, simple(read("dlink-in", copyR), word("link-out", shellplan.AccessTree, into(false, 0))))
	assert.Equal(t, []string{"/out/secret.txt", "/r/link-out"}, pathsOf(e.Segments[0].Resolutions[1]))
	e = establishIn(t, w, simple(read("src/.", copyR), word("dst", shellplan.AccessTree, into(true, 0))))
	assert.Subset(t, pathsOf(e.Segments[0].Resolutions[1]), []string{"/out/secret.txt", "/r/dst/sub/deep.txt", "/r/dst/main.go"})
}

func TestSuffixes(t *testing.T) {
	bak := func(c *shellplan.Candidate) { c.Names = [][]byte{[]byte(".bak")} }
	r := one(t, world().Link("/r/b.txt.bak", "/out/x"), write("*.txt", bak))
	assert.Equal(t, []string{"/out/x", "/r", "/r/a.txt.bak"}, pathsOf(r))
	r = one(t, world(), write("src/sub", bak, findP))
	assert.Equal(t, []string{"/r/src/sub.bak", "/r/src/sub/deep.txt.bak"}, pathsOf(r))
}

func TestBeside(t *testing.T) {
	beside := func(c *shellplan.Candidate) {
		c.Kind, c.Names = shellplan.KindBeside, [][]byte{[]byte("sed*")}
	}
	r := one(t, world(), entry("link-out", beside))
	assert.Equal(t, []string{"/r/sed*"}, pathsOf(r), "in the link's own directory")
	r = one(t, world().Link("/r/src/sedx", "/out/x").Link("/r/src/other", "/out/y"), write("dlink-in/main.go", beside))
	assert.Equal(t, []string{"/out/x", "/r/src/sed*"}, pathsOf(r), "a link of such a name is written through")
	r = one(t, world(), entry("*/main.go", beside))
	assert.Equal(t, []string{"/r", "/r/src/sed*", "/r/src/sed*", "/r/src/sed*"}, pathsOf(r))
}

func TestParents(t *testing.T) {
	r := one(t, world(), entry("n/o/p", parents))
	assert.Equal(t, []string{"/r/n", "/r/n/o", "/r/n/o/p"}, pathsOf(r))
	r = one(t, world(), entry("nope/../../out/nd/e", parents))
	assert.Equal(t, []string{"/out/nd", "/out/nd/e", "/r/nope"}, pathsOf(r))
	assert.Equal(t, "/out/nd/e", r.Target())
}

func TestUpward(t *testing.T) {
	up := func(c *shellplan.Candidate) {
		c.Kind, c.Names = shellplan.KindUpward, [][]byte{[]byte(".ignore"), []byte(".gitignore")}
	}
	w := world().File("/.ignore").File("/r/src/.gitignore").Link("/r/.ignore", "/out/ign").File("/out/ign")
	for _, start := range []string{"src/sub", "src/sub/deep.txt", "up"} {
		assert.Equal(t, []string{"/.ignore", "/out/ign", "/r/src/.gitignore"}, pathsOf(one(t, w, read(start, up))), start)
	}
	r := one(t, world(), read(".", up))
	assert.Empty(t, r.Landings)
	assert.Equal(t, Canonical, r.State)
}
