package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellword"
	"github.com/stretchr/testify/assert"
)

// The table itself: sorted, every name stands once, every specification parses.
func TestTheTableIsWellFormed(t *testing.T) {
	first := func(r *row) string { return strings.Fields(r.names)[0] }
	assert.True(t, slices.IsSortedFunc(rows, func(a, b *row) int { return strings.Compare(first(a), first(b)) }), "rows are sorted by their first name")
	seen := map[string]bool{}
	for _, r := range rows {
		for name := range strings.FieldsSeq(r.names) {
			assert.False(t, seen[name], "%s stands twice", name)
			seen[name] = true
		}
		assert.NotPanics(t, func() { shellword.ParseOptions(r.opts) }, r.names)
		assert.True(t, r.run != nil || r.args != "" || r.opts != "", "%s says nothing", r.names)
	}
	for name, g := range gitTable() {
		assert.NotPanics(t, func() { shellword.ParseOptions(g.opts) }, "git %s", name)
	}
	for _, d := range append(Describe(), DescribeGit()...) {
		assert.NotEmpty(t, d.Names)
		assert.True(t, d.Modelled || d.Note != "", "%v is opaque for no reason", d.Names)
	}
}
