package ripgrep_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// What a manifest lists is known to be ripgrep, and the rest when it has shown so.
func TestSidecarIsProven(t *testing.T) {
	for name, tc := range map[string]struct {
		open     func(runtimePath string) *ripgrep.Sidecar
		manifest string
		want     bool
	}{
		"located, listed":              {ripgrep.Locate, manifestOf(t, 0, ""), true},
		"located, nothing lists it":    {ripgrep.Locate, "", false},
		"named, listed":                {at, manifestOf(t, 0, ""), true},
		"named, another one is listed": {at, manifestOf(t, 1, ""), false},
		"named, nothing lists it":      {at, "", false},
		"named, a broken manifest":     {at, "{", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := tc.open(wheel(t, tc.manifest))
			require.NoError(t, s.Check())
			assert.Equal(t, tc.want, s.Proven())
			s.Prove()
			assert.True(t, s.Proven())
		})
	}
}

// A file that takes its place has to show it again.
func TestSidecarIsProvenAsItIs(t *testing.T) {
	s := ripgrep.Locate(wheel(t, ""))
	require.NoError(t, s.Check())
	s.Prove()
	require.NoError(t, os.Chtimes(s.Path(), time.Time{}, time.Unix(1, 0)))
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
