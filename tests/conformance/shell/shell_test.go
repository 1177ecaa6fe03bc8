//go:build linux

// Package shell_test holds the planner, the establishment and the judge against
// recorded and generated truth. Run by root it gives up root first.
package shell_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/command"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/grade"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/oracle"
	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

var drop = sync.OnceValue(truth.Unprivileged)

// cases loads a file and then gives up root, which later files need no more.
func cases(t *testing.T, file string) []*truth.Case {
	t.Helper()
	list, err := truth.Load(file)
	require.NoError(t, err)
	require.NoError(t, drop())
	return list
}

// Every bar of the recorded corpora.
func TestRecordedCommands(t *testing.T) {
	for _, file := range []string{"shell.jsonl", "shell-everyday.jsonl"} {
		t.Run(file, func(t *testing.T) {
			list := cases(t, file)
			score, err := grade.All(context.Background(), t.TempDir(), list, grade.Recorded)
			require.NoError(t, err)
			var table strings.Builder
			score.Table(&table)
			t.Log("\n" + table.String())
			for _, b := range score.Bars() {
				assert.True(t, b.Met(), "%s", b)
			}
			if t.Failed() {
				var details strings.Builder
				score.Details(&details)
				t.Log("\n" + details.String())
			}
		})
	}
}

// Commands made to get past the gate, or to be asked about without need: nothing
// the kernel saw is missing, and nothing that leaves the roots is allowed.
func TestCommandsMadeToDeceive(t *testing.T) {
	list := cases(t, "shell-more.jsonl")
	score, err := grade.All(context.Background(), t.TempDir(), list, grade.Recorded)
	require.NoError(t, err)
	inside, allowed := 0, 0
	for _, r := range score.Results {
		assert.Empty(t, r.Misses, "%s %q", r.Case.ID, r.Case.Command)
		assert.False(t, r.Unsafe(), "%s %q", r.Case.ID, r.Case.Command)
		if !r.Case.EscapesExplicitly() {
			inside++
			if r.Ruling.Decision == judge.Allow {
				allowed++
			}
		}
	}
	t.Logf("%d commands, %d of %d that stay inside are allowed", len(list), allowed, inside)
	assert.GreaterOrEqual(t, allowed*4, inside*3, "three of four: they were written to be hard to read")
}

// Without the version of bash and the make of sh the answers stay sound.
func TestRecordedCommandsWithAShellOfUnknownVersion(t *testing.T) {
	list := cases(t, "shell.jsonl")
	score, err := grade.All(context.Background(), t.TempDir(), list, grade.Options{})
	require.NoError(t, err)
	for _, r := range score.Results {
		assert.Empty(t, r.Misses, "%s %q", r.Case.ID, r.Case.Command)
		assert.False(t, r.Unsafe(), "%s %q", r.Case.ID, r.Case.Command)
	}
}

// generatedInCI is how many generated commands run here; more are run by hand
// with the generate command.
const generatedInCI = 300

// Generated commands, run under strace: nothing the kernel saw is missing from
// an answer that claims to be complete, and no allow leaves the roots.
func TestGeneratedCommands(t *testing.T) {
	if why := oracle.Available(); why != "" {
		t.Skip("no oracle: " + why)
	}
	require.NoError(t, drop())
	o := grade.Recorded
	o.Run = oracle.Run
	g := oracle.New(1)
	opaque, failed := 0, 0
	for i := range generatedInCI {
		c := g.Case()
		if i%4 == 3 {
			c = g.Sequence()
		}
		r, err := grade.Grade(context.Background(), t.TempDir(), c, o)
		if err != nil {
			t.Log(err) // a command that waits for input or a reader
			failed++
			continue
		}
		assert.Empty(t, r.Misses, "%s %s in %s: %q", c.ID, c.Shell, c.Cwd, c.Command)
		assert.False(t, r.Escaped(), "%s %s in %s: %q", c.ID, c.Shell, c.Cwd, c.Command)
		if len(r.Opaque) > 0 {
			opaque++
		}
	}
	t.Logf("%d commands, %d of them opaque, %d not run", generatedInCI, opaque, failed)
	assert.Less(t, failed, generatedInCI/20)
	assert.Less(t, opaque, generatedInCI/3)
}

// Every row of the table is proved by commands that really ran.
func TestEveryRowAgainstTheKernel(t *testing.T) {
	if why := oracle.Available(); why != "" {
		t.Skip("no oracle: " + why)
	}
	require.NoError(t, drop())
	o := grade.Recorded
	o.Run = oracle.Run
	g := oracle.New(2)
	for _, row := range oracle.Rows() {
		t.Run(row, func(t *testing.T) {
			if _, err := exec.LookPath(row); err != nil {
				t.Skip("not installed: " + row)
			}
			proved := 0
			for _, s := range oracle.Specimens(row) {
				c := g.Of(row, s)
				r, err := grade.Grade(context.Background(), t.TempDir(), c, o)
				if err != nil {
					t.Log(err)
					continue
				}
				assert.Empty(t, r.Misses, "%s %s in %s: %q", c.ID, c.Shell, c.Cwd, c.Command)
				assert.False(t, r.Escaped(), "%s: %q", c.ID, c.Command)
				proved++
			}
			assert.Positive(t, proved, "no specimen ran")
		})
	}
}

// A specimen per row that the planner models.
func TestEveryRowHasSpecimens(t *testing.T) {
	covered := oracle.Covered()
	for _, row := range command.Describe() {
		if slices.Contains(row.Names, "hydra-harness-runtime") {
			continue // it is not on PATH here; its own package tries it
		}
		if row.Modelled {
			assert.True(t, slices.ContainsFunc(row.Names, func(n string) bool { return slices.Contains(covered, n) }), "no specimen runs %v", row.Names)
		}
	}
}
