package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Property 4: no match is not a refusal: the literal word is handed over.
func TestNoMatch(t *testing.T) {
	for word, want := range map[string]string{
		"zz*": "/r/zz*", "zz*/a": "/r/zz*/a", "*/zz": "/r/*/zz", "[c-a].txt": "/r/[c-a].txt", "?hidden": "/r/?hidden",
		"nope/*": "/r/nope/*", "a.txt/*": "/r/a.txt", "dlink-out/zz*": "/out/d/zz*", "../zz?": "/zz?", "[x": "/r/[x",
	} {
		r := one(t, world(), read(word))
		assert.Equal(t, AbsentTail, r.State, word)
		assert.Equal(t, want, r.Target(), word)
	}
	r := one(t, world(), write("zz*"))
	assert.Equal(t, "/r/zz*", r.Target(), "a write creates a file of that name")
	r = one(t, world(), read("zz*", globbing(shellplan.GlobNull)))
	assert.Equal(t, "", r.Target(), "nullglob: the word vanishes")
	assert.Equal(t, Canonical, r.State)
}

// With readings that disagree the literal stands beside the matches of one.
func TestReadingsDisagree(t *testing.T) {
	w := world().File("/r/é.dat")
	p := simple(read("?.dat"))
	p.Shell.Locale = shellplan.LocaleUnknown
	assert.Equal(t, []string{"/r", "/r/?.dat", "/r/é.dat"}, pathsOf(establishIn(t, w, p).Segments[0].Resolutions[0]))
	p.Shell.Locale = shellplan.LocaleC
	assert.Equal(t, []string{"/r", "/r/?.dat"}, pathsOf(establishIn(t, w, p).Segments[0].Resolutions[0]))
	p.Shell.Locale = shellplan.LocaleUTF8
	assert.Equal(t, []string{"/r", "/r/é.dat"}, pathsOf(establishIn(t, w, p).Segments[0].Resolutions[0]))

	p = simple(read("[^a].txt"))
	p.Shell = shellplan.Shell{Dialect: shellplan.DialectPosix, Locale: shellplan.LocaleC}
	assert.Equal(t, []string{"/r", "/r/a.txt", "/r/b.txt"}, pathsOf(establishIn(t, w, p).Segments[0].Resolutions[0]), "bash negates, dash does not")
}
