package life

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rule: an entry that cannot be read is a warning, also where ripgrep does not
// say which one it is: the kernel's own listings have such entries.
func TestAComplaintWithoutAPath(t *testing.T) {
	const listing = "/proc/1/map_files"
	if _, err := os.ReadDir(listing); err != nil {
		t.Skipf("%v: only root may list it", err)
	}
	s := serve(t, built, listing, nil)
	r, err := s.Tool("glob", map[string]any{"pattern": "no-such-name"})
	require.NoError(t, err)
	assert.False(t, r.IsError, r.Text())
	assert.Contains(t, r.Text(), "No files found")
	assert.Contains(t, r.Text(), "could not be read: one that ripgrep did not name (Permission denied)")
}
