package establish

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv/execenvtest"
	"github.com/hydraharness/harness-runtime/gocore/planner"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// A segment does not run where a change of directory must have failed that is
// sure to work, unless the text itself may have seen to it that it fails.
func TestADirectoryBehindAFailedChange(t *testing.T) {
	w := execenvtest.New().File("/r/a").File("/r/src/a").File("/r/file").Link("/r/dangle", "/nowhere").Link("/r/l", "/r/src").
		Dir("/r/shut/x").NoSearch("/r/shut").File("/out/a").Dir("/home/u")
	for text, want := range map[string][]string{
		"cd src || cat /out/a":                            nil,
		"cd src || cat ../out/a":                          nil,
		"cd src || cd ../out; cat a":                      {"/r/src/a"},
		"cd src; cat a":                                   {"/r/src/a"},
		"cd l; cat a":                                     {"/r/src/a"},
		"cd file || cat ../out/a":                         {"/out/a"},
		"cd dangle || cat ../out/a":                       {"/out/a"},
		"cd nope || cat ../out/a":                         {"/out/a"},
		"cd shut || cat ../out/a":                         {"/out/a"},
		"rm -r src; cd src || cat ../out/a":               {"/out/a"},
		"chmod 0 src; cd src || cat ../out/a":             {"/out/a"},
		"cd src > nope/x || cat ../out/a":                 {"/out/a"},
		"cd src 3>&9 || cat ../out/a":                     {"/out/a"},
		"cd -@ src || cat ../out/a":                       {"/out/a"},
		"ulimit -n 4; cd src 2>/dev/null || cat ../out/a": {"/out/a"},
		"cd src 2>&1 || cat ../out/a":                     nil,
		"exec cat a; cat ../out/a":                        {"/r/a"},
		"exec cat a < nope; cat ../out/a":                 {"/out/a"},
		"readonly PWD; cd src || cat ../out/a":            nil, // the directory is not known
		"while ! cd src; do cat ../out/a; done":           {"/out/a"},
		"cd src && cd nope || cat ../a":                   {"/r/a"},
	} {
		p := planner.Build(text, planner.Options{
			Dialect: shellplan.DialectBash, Version: 502, Cwd: "/r", EnvComplete: true,
			Env: map[string]string{"PATH": "/bin", "HOME": "/home/u"},
		})
		e, err := New(w, Boundary{ReadRoots: []string{"/r"}, Home: "/home/u", Cwd: "/r"})
		require.NoError(t, err)
		found, err := e.Establish(context.Background(), p)
		require.NoError(t, err, text)
		var got []string
		for i := range found.Segments {
			if p.Segments[i].Command != "cat" {
				continue
			}
			for _, r := range found.Segments[i].Resolutions {
				for _, l := range r.Landings {
					if l.Tail == "" && p.Segments[i].Candidates[r.Candidate].Access == shellplan.AccessRead {
						got = append(got, l.Path)
					}
				}
			}
		}
		if want == nil {
			assert.Empty(t, got, text)
			continue
		}
		assert.Subset(t, got, want, text)
		if len(want) == 1 && want[0] == "/r/src/a" {
			assert.Equal(t, want, got, text)
		}
	}
}
