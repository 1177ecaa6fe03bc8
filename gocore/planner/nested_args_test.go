package planner

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// The word behind the text of `sh -c` is $0 only if it is one word: what comes of a
// pattern or of xargs goes on in $1.
func TestTheFirstArgumentOfAShellMayBeMany(t *testing.T) {
	for _, text := range []string{`bash -c 'cat "$@"' *`, `sh -c 'cat "$1"' l*`, `cat l | xargs sh -c 'cat "$@"'`, `read x; bash -c 'cat "$@"' $x`, `bash -c 'for f; do cat "$f"; done' *`} {
		p := Build(text, options(shellplan.DialectBash))
		assert.True(t, p.IsOpaque(), text)
	}
	for _, text := range []string{`bash -c 'cat a "$@"'`, `bash -c 'cat "$1"' x a`, `bash -c 'cat "$@"' '*' a`} {
		p := Build(text, options(shellplan.DialectBash))
		assert.False(t, p.IsOpaque(), text)
	}
}
