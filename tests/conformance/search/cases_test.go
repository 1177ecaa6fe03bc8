package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// call runs a tool with the pinned sidecar and the configuration of most.
func call(t *testing.T, dir, name, arguments string) tool.Result {
	t.Helper()
	rg, err := findRipgrep()
	require.NoError(t, err)
	config := harness.DefaultConfig(true)
	config.SpillRoot = t.TempDir()
	rt, err := harness.Open(harness.Options{RipgrepPath: rg, Config: config})
	require.NoError(t, err)
	return rt.Call(t.Context(), tool.Session{Workdir: dir, Owner: "me"}, name, json.RawMessage(arguments))
}

// Kilo-Org/kilocode#10617; anomalyco/opencode#2375: many long lines are bounded
// as a whole, and the rest is saved.
func TestCaseS33ThePageIsBoundedAsAWhole(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/f", []byte(strings.Repeat("needle "+strings.Repeat("x", 1990)+"\n", 250)), 0o600))
	r := call(t, dir, "grep", `{"pattern":"needle"}`)
	require.Nil(t, r.Failure)
	page := r.Page.(tool.GrepPage)
	assert.Less(t, len(r.Text), 52_000)
	assert.Equal(t, 250, page.Total)
	assert.Less(t, page.Shown, 30)
	saved, err := os.ReadFile(page.Locator)
	require.NoError(t, err)
	assert.Equal(t, 250, strings.Count(string(saved), "\nLine "))
}

// anthropics/claude-code#77638; mpfaffenberger/code_puppy#905: what a page leaves
// out can be reached, and equal calls have equal pages.
func TestCaseS37ThePageSaysWhereTheRestIs(t *testing.T) {
	dir := t.TempDir()
	for i := range 251 {
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/f%03d", dir, i), []byte("needle\n"), 0o600))
	}
	r := call(t, dir, "grep", `{"pattern":"needle"}`)
	page := r.Page.(tool.GrepPage)
	assert.Equal(t, 250, page.Shown)
	assert.Equal(t, 251, page.Total)
	assert.Contains(t, r.Text, "Showing 250 of 251 matches.")
	saved, err := os.ReadFile(page.Locator)
	require.NoError(t, err)
	for i := range 251 {
		assert.Contains(t, string(saved), fmt.Sprintf("f%03d\nLine 1: needle", i))
	}
	again := call(t, dir, "grep", `{"pattern":"needle"}`).Page.(tool.GrepPage)
	assert.Equal(t, page.Matches, again.Matches)
}
