//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/engine"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

// A run that was cut off goes on where it was, and its counts with it.
func TestARunGoesOn(t *testing.T) {
	o := &settings{resume: filepath.Join(t.TempDir(), "done.json")}
	p := part{name: "effects", Options: family.Options{Seed: 7, Count: 100}}
	for round := range 2 {
		s, err := o.state(p, 2)
		require.NoError(t, err)
		assert.Equal(t, round == 1, s.isDone(0))
		assert.False(t, s.isDone(1))
		tally := newTally(o, p)
		require.NoError(t, tally.add(round, &engine.Result{Cases: 3, By: map[string]*engine.Counts{"x": {Gated: 3, Ran: 2}}}))
		require.NoError(t, s.done(round, tally))
		assert.Equal(t, 3*(round+1), s.now.Cases)
		assert.Equal(t, 2*(round+1), s.now.Ran)
	}
	_, err := o.state(p, 3)
	assert.ErrorContains(t, err, "begin a new file")
	p.Seed = 8
	other, err := o.state(p, 3)
	require.NoError(t, err)
	assert.False(t, other.isDone(0))
	require.NoError(t, os.WriteFile(o.resume, []byte("{"), 0o600))
	_, err = o.state(p, 2)
	assert.Error(t, err)
}

// A hit is written once, and can be read as a recorded case.
func TestAHitIsRecorded(t *testing.T) {
	o := &settings{out: filepath.Join(t.TempDir(), "hits.jsonl")}
	h := &engine.Hit{
		Record: engine.Record{ID: "ora-1", TreeRef: "t1", Tree: []world.Entry{world.F("a\xff", "x\n"), world.L("l", "../out/s")}},
		Line:   []byte(`{"id":"ora-1","command":"cat a\udcff","cwd":"{ROOT}","roots":["{ROOT}"],"write_roots":[],"tree_ref":"t1"}`),
	}
	require.NoError(t, o.record(h))
	require.NoError(t, o.record(h))
	cases, err := truth.Load(o.out)
	require.NoError(t, err)
	require.Len(t, cases, 1)
	assert.Equal(t, truth.Text("cat a\xff"), cases[0].Command)
	assert.Equal(t, truth.Text("{ROOT}/a\xff"), cases[0].Tree[0].Path)
	assert.NotNil(t, cases[0].WriteRoots)
	assert.Empty(t, cases[0].WriteRoots)
	text, err := os.ReadFile(o.out)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), "\n"))
}
