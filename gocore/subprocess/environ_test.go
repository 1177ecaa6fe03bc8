package subprocess

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Rule: a child gets the variables that are listed, whole, and nothing else.
func TestKeep(t *testing.T) {
	names := []string{"PATH", "HOME", "LC_*"}
	assert.Equal(t, []string{"PATH=/bin", "LC_ALL=C", "HOME=", "LC_TIME=a=b"}, Keep([]string{
		"PATH=/bin", "PATHS=/x", "LC_ALL=C", "XLC_ALL=C", "home=/h", "HOME=", "LC_TIME=a=b",
		"AWS_SECRET_ACCESS_KEY=s", "RIPGREP_CONFIG_PATH=/rc", "LD_PRELOAD=/x.so", "no value", "=no name",
	}, names...))
	assert.Empty(t, Keep([]string{"A=1"}))
	assert.NotNil(t, Keep(nil, "A"), "nil would be no statement about the environment")
}
