package search_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: the folder of saved results is never searched: a path in it is refused,
// however it is reached, and a search above it passes it by.
func TestTheWithheldFolder(t *testing.T) {
	root := coretest.Tree(t, "a.txt: needle", "state/spill/session-1/x.txt: needle", "state/spill2/b.txt: needle", "state/[spill/c.txt: needle")
	require.NoError(t, os.Symlink("state/spill/session-1/x.txt", filepath.Join(root, "link.txt")))
	require.NoError(t, os.Symlink("state/spill", filepath.Join(root, "dir")))
	config := search.DefaultConfig()
	config.Withheld = filepath.Join(root, "dir") // a link to it will do
	s := search.New(sidecar(t), runner(), config, environment(t))

	for _, path := range []string{"state/spill", "state/spill/session-1", "state/spill/session-1/x.txt", "dir", "dir/session-1", "link.txt", filepath.Join(root, "state/spill")} {
		_, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: "needle", Path: path})
		assert.ErrorContains(t, err, "lies in the folder of saved results, which is never searched", path)
	}
	_, err := s.Glob(t.Context(), root, search.GlobRequest{Pattern: "state/spill/**"})
	assert.ErrorContains(t, err, "never searched")
	_, err = s.Glob(t.Context(), filepath.Join(root, "state/spill"), search.GlobRequest{Pattern: "*"})
	assert.ErrorContains(t, err, "never searched")

	for _, path := range []string{"", "state", root} {
		found, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: "needle", Path: path, Include: "*.txt"})
		require.NoError(t, err)
		for _, m := range found.Matches {
			assert.NotContains(t, m.Path, "spill/session-1")
		}
		assert.Len(t, found.Matches, map[string]int{"": 3, "state": 2, root: 3}[path], path)
	}
	listed, err := s.Glob(t.Context(), root, search.GlobRequest{Pattern: "**/*.txt"})
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"a.txt", "state/spill2/b.txt", "state/[spill/c.txt"}, listed.Paths)

	require.NoError(t, os.RemoveAll(filepath.Join(root, "state/spill")))
	found, err := s.Grep(t.Context(), root, search.GrepRequest{Pattern: "needle"})
	require.NoError(t, err, "a folder that is not there holds nothing")
	assert.Len(t, found.Matches, 3)
}
