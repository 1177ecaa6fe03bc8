package planner

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// options are those of a bash whose environment is known.
func options(d shellplan.Dialect) Options {
	return Options{
		Dialect: d, Version: 502, Sh: shellplan.DialectDash, Cwd: "/r", EnvComplete: true,
		Env: map[string]string{"HOME": "/home/u", "PATH": "/usr/bin:/bin", "inherited": "a b"},
	}
}

// Whatever the text: no panic, a plan that is valid, that survives its JSON
// form, and that never stays silent about a text it could not read.
func FuzzBuild(f *testing.F) {
	for _, s := range []string{
		"cat a.txt", "cd src && grep -rn foo . | head", "for f in *.txt; do cp \"$f\" \"$f.bak\"; done",
		"cat <<E > o\n$(cat x)\nE", "x=1; while [ $x -lt 3 ]; do x=$((x+1)); done", "find . -name '*.go' -exec cat {} +",
		"tar czf o.tgz -C d . && git add -A", "sed -i.bak 's/a/b/w out' f", "awk '{print > \"x\"}' f", "cat {a,b}{1..3} ~/x ~+/y $'\\x41'",
		"bash -c 'cat \"$1\"' _ z", "case $x in a*) cat b;; esac", "printf 'a\\0b' | xargs -0 -n1 cat", "a=(1 2); cat \"${a[@]:1}\" ${x%.b}",
		"eval \"cat $x\"; . ./f; cat y", "cat \xff\xfe", "[[ -f a && $(<b) == c ]] && ((i++))", "f() { cat \"$@\"; return 1; }; f a b || exit",
		"trap 'rm x' EXIT; set -- a; shift; shopt -s dotglob; cat *", "cp -t d a b; mv a b; ln -s x y; install -D a b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range []shellplan.Dialect{shellplan.DialectBash, shellplan.DialectDash, shellplan.DialectPosix} {
			start := processorTime(t)
			p := Build(text, options(d))
			if took := processorTime(t) - start; took > 20*time.Second {
				t.Fatalf("%v for %d bytes", took, len(text))
			}
			require.NoError(t, p.Validate())
			data, err := json.Marshal(p)
			require.NoError(t, err)
			var back shellplan.Plan
			require.NoError(t, json.Unmarshal(data, &back))
			again, err := json.Marshal(back)
			require.NoError(t, err)
			assert.Equal(t, string(data), string(again))
		}
	})
}
