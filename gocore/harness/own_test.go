package harness

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// saved keeps a text for an owner.
func saved(t *testing.T, rt *Runtime, owner string) spill.Result {
	t.Helper()
	r, err := rt.Spill().SaveText(context.Background(), spill.Meta{Owner: owner, Name: "grep-results.txt"},
		func(w io.Writer) error { _, err := io.WriteString(w, "a\nb\n"); return err })
	require.NoError(t, err)
	return r
}

func decisionOf(t *testing.T, rt *Runtime, req GateRequest, command string) judge.Decision {
	t.Helper()
	req.Command = command
	g, err := rt.Gate(context.Background(), req)
	require.NoError(t, err)
	return g.Decision
}

// What a page tells a model to do with its saved result needs no approval, and only
// for the session that saved it.
func TestTheGateLetsAnOwnerReadItsSavedResults(t *testing.T) {
	root := coretest.Tree(t, "a.txt: a", "out/", "home/")
	rt, req := gated(t, root, "")
	req.Owner = "me"
	mine, theirs := saved(t, rt, "me").Locator, saved(t, rt, "them").Locator
	own := rt.options.RuntimePath
	for command, want := range map[string]judge.Decision{
		"sed -n 1,50p " + mine:                                   judge.Allow,
		"cd " + filepath.Dir(mine) + " && head -3 *":             judge.Allow,
		own + " spill read " + mine:                              judge.Allow,
		own + " spill read --line 2 --lines 1 " + mine:           judge.Allow,
		own + " spill stat --json " + mine:                       judge.Allow,
		"hydra-harness-runtime spill read " + mine:               judge.Allow,
		"python3 -I -m hydra_harness_runtime spill read " + mine: judge.Allow,

		"sed -n 1,50p " + theirs:                                judge.Ask,
		own + " spill read " + theirs:                           judge.Ask,
		"cat " + filepath.Dir(mine) + "/../*/*":                 judge.Ask,
		"ls " + filepath.Dir(filepath.Dir(mine)):                judge.Ask,
		"echo x > " + mine:                                      judge.Ask,
		"rm " + mine:                                            judge.Ask,
		own + " spill read session/short-name.txt # " + mine:    judge.Ask,
		own + " spill delete " + mine:                           judge.Ask,
		own + " spill read --config a.txt " + mine:              judge.Ask,
		"python3 -m hydra_harness_runtime spill read " + mine:   judge.Ask,
		"./hydra-harness-runtime spill read " + mine:            judge.Ask,
		"PYTHONPATH=. hydra-harness-runtime spill read " + mine: judge.Ask,
	} {
		assert.Equal(t, want, decisionOf(t, rt, req, command), command)
	}
	req.Owner = ""
	assert.Equal(t, judge.Ask, decisionOf(t, rt, req, "sed -n 1,50p "+mine), "nobody")
	req.Owner = "them"
	assert.Equal(t, judge.Ask, decisionOf(t, rt, req, "sed -n 1,50p "+mine), "another session")
}

// The second look holds the same boundary, and sees what was put in its place.
func TestConfirmKnowsTheSavedResults(t *testing.T) {
	root := coretest.Tree(t, "a.txt: a", "out/", "home/")
	rt, req := gated(t, root, "")
	req.Owner = "me"
	mine := saved(t, rt, "me").Locator
	req.Command = "cat " + mine
	g, err := rt.Gate(context.Background(), req)
	require.NoError(t, err)
	require.Equal(t, judge.Allow, g.Decision)
	confirm := func() judge.Decision {
		c, err := rt.Confirm(context.Background(), ConfirmRequest{GateRequest: req, Establishment: g.Establishment, Digest: g.Digest})
		require.NoError(t, err)
		return c.Decision
	}
	assert.Equal(t, judge.Allow, confirm())
	require.NoError(t, os.Remove(mine))
	require.NoError(t, os.Symlink("/etc/hostname", mine))
	assert.NotEqual(t, judge.Allow, confirm())
}

// A folder that is not the store's own is no root.
func TestAPlantedFolderOfSavedResultsIsNoRoot(t *testing.T) {
	outside := coretest.Tree(t, "secret.txt: s")
	root := coretest.Tree(t, "a.txt: a", "out/", "home/")
	rt, req := gated(t, root, "")
	saved(t, rt, "me")
	req.Owner = "other"
	link := rt.store.Root() + "/" + spill.FolderName("other")
	require.NoError(t, os.Symlink(outside, link))
	assert.Equal(t, judge.Ask, decisionOf(t, rt, req, "cat "+link+"/secret.txt"))
	_, ok := rt.store.Folder("other")
	assert.False(t, ok)
}

// A runtime that the command may replace is an unknown program.
func TestAnExecutableThatMayBeWrittenIsUnknown(t *testing.T) {
	root := coretest.Tree(t, "a.txt: a", "out/", "home/")
	rt, req := gated(t, root, "")
	read := rt.options.RuntimePath + " grep x a.txt"
	assert.Equal(t, judge.Allow, decisionOf(t, rt, req, read))
	for _, roots := range [][]string{{root}, {root + "/"}, {"/"}, {root + "/out", root}} {
		req.Boundary.WriteRoots = roots
		assert.Equal(t, judge.Ask, decisionOf(t, rt, req, read), "%v", roots)
	}
	link := coretest.Tree(t) + "/link"
	require.NoError(t, os.Symlink(root, link))
	req.Boundary.WriteRoots = []string{link}
	assert.Equal(t, judge.Ask, decisionOf(t, rt, req, read), "by a link")
}

// Our own searches are judged by what they read.
func TestTheGateKnowsOurOwnSearches(t *testing.T) {
	outside := coretest.Tree(t, "secret.txt: s")
	root := coretest.Tree(t, "a.txt: a", "src/b.txt: b", "out/", "home/", "away -> "+outside, "**/x: x", "far/[a] -> "+outside)
	rt, req := gated(t, root, "")
	for command, want := range map[string]judge.Decision{
		"OWN grep TODO": judge.Allow,
		"OWN grep --include '*.go' --json TODO src":      judge.Allow,
		"OWN grep --path src TODO":                       judge.Allow,
		"OWN grep --workdir src TODO ..":                 judge.Allow,
		"OWN glob '*.go'":                                judge.Allow,
		"OWN glob '**/*.{ts,tsx}'":                       judge.Allow,
		"OWN glob --no-sample --workdir=src '**/*.go' .": judge.Allow,
		"OWN glob 'src/**/*.go'":                         judge.Allow,
		"OWN version; OWN --help; OWN grep --help":       judge.Allow,
		"OWN grep x -- a.txt":                            judge.Allow,
		"OWN glob '../*.txt'":                            judge.Ask,
		"OWN glob '/etc/*'":                              judge.Ask,
		"OWN glob 'away/**'":                             judge.Ask,
		"OWN glob './away/*'":                            judge.Ask,
		"OWN glob '{away,}/*'":                           judge.Ask,
		"OWN glob '*.c,away/*'":                          judge.Ask,
		"OWN glob '\"away/*\"'":                          judge.Ask,
		"OWN glob 'far/[a]/*'":                           judge.Ask,
		"OWN glob 'a\\way/*'":                            judge.Ask,
		"OWN glob '@(away|b)/*'":                         judge.Ask,
		"OWN glob '*' away":                              judge.Ask,
		"OWN glob '*' " + outside:                        judge.Ask,
		"OWN glob --path away '*'":                       judge.Ask,
		"OWN grep --workdir src --workdir .. x":          judge.Ask,
		"OWN grep --workdir /etc --workdir= x":           judge.Allow, // the last one is none
		"OWN grep --path /etc --path src x":              judge.Allow,
		"OWN grep --path src x --path=/etc":              judge.Ask,
		"OWN glob --workdir / '*'":                       judge.Ask,
		"OWN grep x away":                                judge.Ask,
		"OWN grep x ../" + filepath.Base(outside):        judge.Ask,
		"OWN grep --workdir " + outside + " x":           judge.Ask,
		"OWN grep --ripgrep ./rg x":                      judge.Ask,
		"OWN --ripgrep ./rg grep x":                      judge.Ask,
		"OWN grep --config a.txt x":                      judge.Ask,
		"OWN grep --nosuch x":                            judge.Ask,
		"OWN grep x $(cat a.txt)":                        judge.Ask,
		"OWN grep x ~/.ssh":                              judge.Deny,
		"OWN serve --sample":                             judge.Ask,
		"OWN doctor":                                     judge.Ask,
		"XDG_STATE_HOME=$PWD/out OWN grep x":             judge.Ask,
		"HYDRA_HARNESS_RUNTIME=./x OWN grep x":           judge.Ask,
		"export HOME=/; OWN grep x":                      judge.Ask,
		"OWN grep x | head -3":                           judge.Allow,
		"bash -c 'OWN grep x src'":                       judge.Allow,
		"timeout 5 OWN grep x src":                       judge.Allow,
		"env -C / OWN grep x":                            judge.Ask,
		"find . -exec OWN grep x {} \\;":                 judge.Ask,
	} {
		for _, own := range []string{"hydra-harness-runtime", rt.options.RuntimePath} {
			assert.Equal(t, want, decisionOf(t, rt, req, strings.ReplaceAll(command, "OWN", own)), "%s (%s)", command, own)
		}
	}
}
