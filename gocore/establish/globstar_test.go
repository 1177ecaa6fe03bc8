package establish

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// `**` goes down through directories and not through links; with something
// before it bash takes a link as one more directory.
func TestGlobstar(t *testing.T) {
	w := execenvtest.New().File("/r/a.go").File("/r/d/b.go").File("/r/d/e/c.go").File("/r/.h/x.go").Link("/r/d/l", "/out").File("/out/o.go").Dir("/home/u")
	for spelling, want := range map[string][]string{
		"**/*.go":    {"/r/a.go", "/r/d/b.go", "/r/d/e/c.go"},
		"d/**/*.go":  {"/r/d/b.go", "/r/d/e/c.go", "/out/o.go"},
		"**/c.go":    {"/r/d/e/c.go"},
		"**/**/*.go": {"/r/a.go", "/r/d/b.go", "/r/d/e/c.go"},
		"**/e/":      {"/r/d/e"},
		"d/**":       {"/r/d", "/r/d/b.go", "/r/d/e", "/r/d/e/c.go", "/out"},
		"a**":        {"/r/a.go"},
	} {
		r := one(t, w, read(spelling, globbing(shellplan.GlobStar)))
		var got []string
		for _, l := range r.Landings {
			if !l.Listed && l.Tail == "" {
				got = append(got, l.Path)
			}
		}
		assert.ElementsMatch(t, want, got, spelling)
	}
}
