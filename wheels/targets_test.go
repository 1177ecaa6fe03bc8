package wheels

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTargetsAreDistinctAndConsistent(t *testing.T) {
	rows, err := Targets()
	require.NoError(t, err)
	require.NotEmpty(t, rows)

	names, packages, tags := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		assert.False(t, names[row.Name], "target %s is listed twice", row.Name)
		assert.False(t, packages[row.NPMPackage], "package %s serves two targets", row.NPMPackage)
		names[row.Name], packages[row.NPMPackage] = true, true

		_, machine, found := strings.Cut(row.Name, "-")
		require.True(t, found, "target %q has no machine part", row.Name)
		for _, tag := range row.PlatformTags {
			assert.False(t, tags[tag], "tag %s is listed twice", tag)
			tags[tag] = true
			assert.True(t, strings.HasSuffix(tag, "_"+machine), "tag %s of %s", tag, row.Name)
		}
		assert.Equal(t, row.GOOS == "darwin", row.MacOSMinimum != nil, "macosMinimum of %s", row.Name)
	}
}
