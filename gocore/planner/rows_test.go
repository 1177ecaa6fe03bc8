package planner

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

func named(t *testing.T, text, raw string) *shellplan.Candidate {
	t.Helper()
	p := Build(text, options(shellplan.DialectBash))
	require.False(t, p.IsOpaque(), text)
	for i := range p.Segments {
		for j := range p.Segments[i].Candidates {
			if c := &p.Segments[i].Candidates[j]; string(c.Raw) == raw {
				return c
			}
		}
	}
	return nil
}

// Where the text says where temporary files go, that is written in.
func TestTemporaryFilesOfTheText(t *testing.T) {
	for _, text := range []string{"TMPDIR=../o sort a", "export TMPDIR=../o; sort -m -o a a b", "env TMPDIR=../o sort a", "TMPDIR=../o bash -c 'sort a'"} {
		p := Build(text, options(shellplan.DialectBash))
		for len(p.Nested) > 0 {
			p = &p.Nested[0].Plan
		}
		found := false
		for _, s := range p.Segments {
			for _, c := range s.Candidates {
				found = found || string(c.Raw) == "../o/sortXXXXXX" && c.Access == shellplan.AccessWrite
			}
		}
		assert.True(t, found, text)
	}
	assert.NotNil(t, named(t, "TMPDIR=o tac a", "o/tacXXXXXX"))
	for _, text := range []string{"sort a", "TMPDIR= sort a", "TMPDIR=../o; sort a", "TMPDIR=../o cat a"} {
		p := Build(text, options(shellplan.DialectBash))
		for _, s := range p.Segments {
			for _, c := range s.Candidates {
				assert.NotContains(t, string(c.Raw), "XXXXXX", text)
			}
		}
	}
}

// The value of a test of find may be several names, the second of which could be an
// action; that of an option of jq may bring files.
func TestAPatternAsAValue(t *testing.T) {
	c := named(t, "find . -name *.go", "*.go")
	require.NotNil(t, c)
	assert.False(t, c.OptionSafe)
	assert.Nil(t, named(t, "find . -name '*.go'", "*.go"))
	assert.True(t, Build("jq . --arg f *", options(shellplan.DialectBash)).IsOpaque())
	assert.False(t, Build("jq . --arg f '*'", options(shellplan.DialectBash)).IsOpaque())
}

// tar compares what it has written with what is there: every member of the archive.
func TestTarVerifies(t *testing.T) {
	for text, opaque := range map[string]bool{"tar -uf a.tar -W b": true, "tar --verify -rf a.tar b": true, "tar -rf a.tar b": false} {
		assert.Equal(t, opaque, Build(text, options(shellplan.DialectBash)).IsOpaque(), text)
	}
}
