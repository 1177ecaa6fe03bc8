package planner

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// Rule: what was started beside the text sees all that the text does later, also
// when a loop or a group lies between.
func TestWhatRunsOnSeesLaterEffects(t *testing.T) {
	for _, text := range []string{
		"cat b & ln -sf x b",
		"for i in 1; do (sleep 1; cat b) & done; ln -sf x b",
		"while read l; do cat b & done; ln -sf x b",
		"for ((i=0; i<2; i++)); do cat b & done; ln -sf x b",
		"coproc { cat b; }; ln -sf x b",
		"{ cat b & }; ln -sf x b",
		"exec 3< <(cat b); ln -sf x b",
	} {
		p := Build(text, options(shellplan.DialectBash))
		reads, sees := -1, false
		for i, s := range p.Segments {
			if s.Command == "cat" {
				reads = i
			}
			for _, e := range s.Effects {
				sees = sees || e.Kind == shellplan.EffectLink && reads >= 0 && e.VisibleFrom <= reads
			}
		}
		assert.True(t, sees, "%s", text)
	}
}

// Rule: a here-document that bash would write to a file is not silent.
func TestALongHereDocument(t *testing.T) {
	long := make([]byte, maxPipedText+1)
	for i := range long {
		long[i] = 'x'
	}
	for _, text := range []string{"cat <<E\n" + string(long) + "\nE\n", "cat <<'E'\n" + string(long) + "\nE\n", "cat <<< '" + string(long) + "'"} {
		assert.True(t, Build(text, options(shellplan.DialectBash)).IsOpaque(), "%.20s", text)
	}
}
