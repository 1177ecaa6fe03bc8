//go:build linux

package world

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seen is what a tree holds.
func seen(t *testing.T, base string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			require.NoError(t, err)
			text += string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			require.NoError(t, err)
			text += target
		}
		out[p] = text
		return nil
	}))
	return out
}

func TestAWorldIsPutBack(t *testing.T) {
	base := t.TempDir()
	w, err := Build(base, &Spec{Tree: Merge([]Entry{F("a", "x"), L("l", "a"), D("d/e"), X("p", "#!/bin/sh\n")}, []Entry{F("a", "one\n")}), Setup: "mkfifo f && ln a h"})
	require.NoError(t, err)
	want := seen(t, base)
	assert.Contains(t, want[base+"/root/a"], "one\n")
	for _, text := range []string{
		"", "echo two >> a", "rm -rf *; rm -rf ../out", "mv d D; ln -s ../out d", "chmod 000 d; chmod 700 p", "rm l; ln -s b l", "rm a; mkdir a; touch a/b", "cp a b; mv b a", "rm f; echo > f",
		"mkdir -p n/m; chmod 000 n", "touch -r p a; printf 'ten\\n' > a; touch -r p a", "ln -f p h",
	} {
		require.NoError(t, w.Change(text))
		require.NoError(t, w.Restore())
		assert.Equal(t, want, seen(t, base), "%q", text)
	}
	v, err := w.Variant("echo more > more; false; rm l")
	require.NoError(t, err)
	with := seen(t, base)
	assert.Contains(t, with, base+"/root/more")
	require.NoError(t, w.Restore())
	assert.Equal(t, want, seen(t, base))
	require.NoError(t, v.Restore())
	assert.Equal(t, with, seen(t, base))
}

func TestPlaceholders(t *testing.T) {
	w, err := Build(t.TempDir(), &Spec{})
	require.NoError(t, err)
	for _, text := range []string{"{ROOT}/a {OUT}/b {BASE}/c {ROOT} {OUT} {BASE}", "{ROOT}/a"} {
		assert.Equal(t, text, w.Unfill(w.Fill(Entry{Path: place(text)}.Path)))
	}
}

func TestWhatACommandChanged(t *testing.T) {
	base := t.TempDir()
	w, err := Build(base, &Spec{Tree: []Entry{F("a", "one\n"), D("d"), F("d/b", "x"), F("{OUT}/s", "x")}})
	require.NoError(t, err)
	at := func(text string) string { return w.Fill(Entry{Path: place(text)}.Path) }
	for text, changed := range map[string][]string{
		"cat a": nil, "echo x > a": {"a"}, "mkdir d/n": {"d/n"}, "mkdir ../out/q; rmdir ../out/q": {"{OUT}/q"}, "touch ../out/s": {"{OUT}/s"}, "rm ../out/s": {"{OUT}/s"},
		"mkdir ../q; rmdir ../q": {"{BASE}/q"}, "chmod 700 d": {"d"},
	} {
		require.NoError(t, w.Change(text))
		for _, p := range changed {
			assert.True(t, w.Touched(at(p)), "%s: %s", text, p)
		}
		if changed == nil {
			for _, p := range []string{"a", "d/n", "{OUT}/s", "{OUT}/q", "{BASE}/q"} {
				assert.False(t, w.Touched(at(p)), "%s: %s", text, p)
			}
		}
		require.NoError(t, w.Restore())
	}
	assert.True(t, w.Touched("/tmp/elsewhere"))
}
