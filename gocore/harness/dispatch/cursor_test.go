package dispatch

import (
	"strings"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNamesThatAreNotTextArePagedWithTheirBytes(t *testing.T) {
	// 40,000 names of bytes that are not UTF-8 take more than a page.
	r := &search.GlobResult{PathBytes: search.PathBytes{}}
	name := strings.Repeat("\xff", 200)
	size := 0
	for i := range 40_000 {
		r.Paths = append(r.Paths, strings.Repeat(`\xff`, 200))
		r.PathBytes[i] = []byte(name)
	}
	page, err := cut(cursor{}, len(r.Paths), func(i int) item { return item{text: []string{r.Paths[i]}, exact: r.PathBytes[i]} })
	require.NoError(t, err)
	text, err := Marshal(globPage{&search.GlobResult{Paths: r.Paths[:page.to], PathBytes: r.PathBytes.Slice(0, page.to)}, page.next})
	require.NoError(t, err)
	size = len(text)
	assert.Less(t, size, 8<<20)
	assert.NotEmpty(t, page.next)
}
