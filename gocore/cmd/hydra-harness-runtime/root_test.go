package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOwnPath(t *testing.T) {
	noProc := errors.New("readlink /proc/self/exe: no such file or directory")
	for name, tc := range map[string]struct {
		said  string
		err   error
		argv0 string
		want  string
	}{
		"the system knows":         {"/opt/real", nil, "/bin/alias", "/opt/real"},
		"no /proc, whole path":     {"", noProc, "/bin/../bin/runtime", "/bin/runtime"},
		"no /proc, found on PATH":  {"", noProc, "runtime", ""},
		"no /proc, relative path":  {"", noProc, "./runtime", ""},
		"no /proc, no name at all": {"", noProc, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ownPath(func() (string, error) { return tc.said, tc.err }, tc.argv0)
			assert.Equal(t, tc.want, got)
			if tc.want == "" {
				assert.ErrorIs(t, err, noProc)
				assert.ErrorContains(t, err, "start it by its absolute path, or mount /proc")
			} else {
				assert.NoError(t, err)
			}
		})
	}
}
