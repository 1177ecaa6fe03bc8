package ripgrep_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// One that comes with a package is known to be ripgrep, and any other when it has
// shown so, as long as it stays what it is.
func TestSidecarIsProven(t *testing.T) {
	runtimePath := wheel(t, "")
	assert.True(t, ripgrep.Locate(runtimePath).Proven())
	assert.True(t, at(runtimePath).Proven(), "as a package names it")
	other := filepath.Join(filepath.Dir(runtimePath), "rg")
	require.NoError(t, os.Symlink(runtimePath+ripgrep.Suffix, other))
	s := ripgrep.At(other)
	require.NoError(t, s.Check())
	assert.False(t, s.Proven())
	s.Prove()
	assert.True(t, s.Proven())
	require.NoError(t, os.Chmod(other, 0o700))
	require.NoError(t, s.Check())
	assert.False(t, s.Proven())
}

func TestAdviceGoesToWhoeverNamedIt(t *testing.T) {
	const reinstall, correct = "reinstall the package", "correct the path that names it (--ripgrep)"
	assert.Equal(t, reinstall, ripgrep.Locate("/nowhere/runtime").Advice())
	assert.Equal(t, reinstall, ripgrep.At("/nowhere/runtime-rg").Advice(), "as a package names it")
	assert.Equal(t, correct, ripgrep.At("/nowhere/rg").Advice())
	p := problem(t, ripgrep.At("/nowhere/rg").Check())
	assert.Equal(t, "the ripgrep sidecar /nowhere/rg is missing: "+correct+" (a host rg is never used)", p.Error())
	p = ripgrep.At("/bin/true").NotRipgrep("true 9")
	assert.Equal(t, "not-ripgrep", p.Code)
	assert.Equal(t, `the ripgrep sidecar /bin/true is not ripgrep (asked for its version, it says "true 9"): `+correct, p.Error())
}
