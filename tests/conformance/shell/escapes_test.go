//go:build linux

package shell_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/grade"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// openEscapes are the recorded escapes that are still allowed, one id a line.
// The list only gets shorter: a case in it that is not allowed any more fails
// the test until it is taken out.
const openEscapes = "shell-escapes-open.txt"

// Commands that were allowed once and left the roots under strace: none is
// allowed now.
func TestEscapesAreNotAllowed(t *testing.T) {
	text, err := os.ReadFile(openEscapes)
	require.NoError(t, err)
	open := map[string]bool{}
	for id := range strings.FieldsSeq(string(text)) {
		open[id] = true
	}
	list := cases(t, "shell-escapes.jsonl")
	dir := t.TempDir()
	stages := map[string]*truth.Stage{} // looking changes nothing, so a tree serves every case in it
	defer func() {
		for _, s := range stages {
			s.Remove()
		}
	}()
	ran := 0
	for _, c := range list {
		t.Run(c.ID, func(t *testing.T) {
			if gone := c.Lacks(); len(gone) > 0 {
				t.Skipf("its tree is made by %v, not installed here", gone)
			}
			key := c.TreeRef + "\x00" + string(c.Setup)
			if c.Between != "" {
				key += "\x00" + c.ID // its tree is changed
			}
			if stages[key] == nil {
				s, err := truth.Build(dir, c)
				stages[key] = s
				require.NoError(t, err)
			}
			d, err := grade.Decide(context.Background(), c, stages[key], grade.Recorded)
			require.NoError(t, err)
			ran++
			if c.Between == "" { // the doors of the runtime do not say which version of a shell it is
				unsaid, err := grade.Decide(context.Background(), c, stages[key], grade.Options{})
				require.NoError(t, err)
				d.Decision = max(d.Decision, unsaid.Decision)
			}
			if open[c.ID] {
				assert.Equal(t, judge.Allow, d.Decision, "%s is closed: take it out of %s", c.ID, openEscapes)
				delete(open, c.ID)
				return
			}
			assert.NotEqual(t, judge.Allow, d.Decision, "%s: %s %q left the roots: reads %q, writes %q", c.Kind, c.Shell, c.Command, c.Reads, c.Writes)
		})
	}
	if ran == len(list) {
		assert.Empty(t, open, "no such case")
	}
}
