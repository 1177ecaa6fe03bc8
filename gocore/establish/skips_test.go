package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func TestAWalkLeavesOutWhatItSkips(t *testing.T) {
	w := execenvtest.New().File("/r/a.o").File("/r/b/a.o").File("/r/b/c.c").File("/r/d/c.c").Link("/r/d/l", "/out")
	for _, tc := range []struct {
		skip shellplan.Skip
		dirs bool
		want []string
	}{
		{shellplan.Skip{Word: shellplan.Word{Raw: []byte("b")}, What: shellplan.SkipDir}, false, []string{"/r", "/r/a.o", "/r/d", "/r/d/c.c"}},
		{shellplan.Skip{Word: shellplan.Word{Raw: []byte("b")}, What: shellplan.SkipFile}, false, []string{"/r", "/r/a.o", "/r/b", "/r/b/a.o", "/r/b/c.c", "/r/d", "/r/d/c.c"}},
		{shellplan.Skip{Word: shellplan.Word{Raw: []byte("*.o"), Mask: []byte{1, 0, 0}, Pattern: true}, What: shellplan.SkipFile}, false, []string{"/r", "/r/b", "/r/b/c.c", "/r/d", "/r/d/c.c"}},
		{shellplan.Skip{Word: shellplan.Word{Raw: []byte("./b")}, What: shellplan.SkipBelow}, true, []string{"/r", "/r/d"}},
		{shellplan.Skip{Word: shellplan.Word{Raw: []byte("./b")}, What: shellplan.SkipBelow}, false, []string{"/r", "/r/a.o", "/r/b", "/r/d", "/r/d/c.c"}},
	} {
		walk := &shellplan.Traversal{FollowRoot: true, Links: shellplan.LinksSkip, Hidden: true, DirsOnly: tc.dirs, Skips: []shellplan.Skip{tc.skip}}
		r := one(t, w, read(".", func(c *shellplan.Candidate) { c.Traversal = walk }))
		var got []string
		for _, l := range r.Landings {
			if l.Access == shellplan.AccessRead && l.Path != "/r/d/l" {
				got = append(got, l.Path)
			}
		}
		assert.ElementsMatch(t, tc.want, got, "%s %s", tc.skip.What, tc.skip.Raw)
	}
}
