package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// There is no probe at start: a sidecar that is not there is a fault of the
// calls that need it, and of those only.
func TestOpenWithoutASidecar(t *testing.T) {
	r := install(t).open(t)
	assert.Len(t, r.Tools(), 2)
	assert.NotEmpty(t, r.Guidance())
	assert.Equal(t, version, r.Version())
	ws := coretest.Tree(t, "a.txt: x")
	result := r.Call(t.Context(), tool.Session{Workdir: ws}, "grep", json.RawMessage(`{"pattern":"x"}`))
	require.NotNil(t, result.Failure)
	assert.Equal(t, "SEARCH_FAILED", result.Failure.Code)
	assert.Contains(t, result.Text, "is missing: reinstall the package (a host rg is never used)")
	_, err := r.Glob(t.Context(), ws, search.GlobRequest{Pattern: "*"})
	assert.ErrorIs(t, err, &search.Error{Code: search.Failed})
}

// A sidecar that is put right is used by the next call.
func TestASidecarMayComeLater(t *testing.T) {
	in := install(t)
	r := in.open(t)
	ws := coretest.Tree(t, "a.txt: x")
	_, err := r.Grep(t.Context(), ws, search.GrepRequest{Pattern: "x"})
	require.Error(t, err)
	in.real(t)
	found, err := r.Grep(t.Context(), ws, search.GrepRequest{Pattern: "x"})
	require.NoError(t, err)
	assert.Len(t, found.Matches, 1)
}

func TestRipgrepPathNamesTheSidecar(t *testing.T) {
	r := install(t).open(t, func(o *Options) { o.RipgrepPath = coretest.Ripgrep(t) })
	listed, err := r.Glob(t.Context(), coretest.Tree(t, "a.txt: x"), search.GlobRequest{Pattern: "*"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.txt"}, listed.Paths)
}

// The configuration reaches every part.
func TestTheConfigurationIsInForce(t *testing.T) {
	in := install(t).real(t)
	ws := coretest.Tree(t, "a/1: hit", "a/2: hit", "b: hit hit hit")
	spillRoot := filepath.Join(coretest.Tree(t), "kept")
	r := in.open(t, func(o *Options) {
		o.Config.GlobMaxResults, o.Config.GrepMaxMatches, o.Config.GrepMaxLineBytes = 2, 2, 3
		o.Config.GlobOrder = search.OrderPath
		o.Config.SpillRoot = spillRoot
		o.Config.Tools = []string{"glob"}
	})
	session := tool.Session{Workdir: ws, Owner: "me"}
	result := r.Call(t.Context(), session, "glob", json.RawMessage(`{"pattern":"*"}`))
	require.Nil(t, result.Failure, result.Text)
	require.NoError(t, result.SpillErr)
	page := result.Page.(tool.GlobPage)
	assert.Equal(t, []string{"a/1", "b"}, page.Paths)
	text, err := os.ReadFile(page.Locator)
	require.NoError(t, err)
	assert.Equal(t, "a/1\na/2\nb", string(text))
	rel, err := filepath.Rel(spillRoot, page.Locator)
	require.NoError(t, err)
	assert.True(t, filepath.IsLocal(rel), page.Locator)
	assert.Contains(t, r.Tools()[0].Description, "path order")
	assert.Len(t, r.Tools(), 1)
	assert.NotNil(t, r.Call(t.Context(), session, "grep", json.RawMessage(`{"pattern":"hit"}`)).Failure)
	assert.Equal(t, 2, r.Config().GlobMaxResults)
	assert.Equal(t, spillRoot, r.store.Root())
}

// A spill folder that cannot be used does not keep the runtime from searching.
func TestOpenWithoutASpillFolder(t *testing.T) {
	file := filepath.Join(coretest.Tree(t, "file: x"), "file")
	r := install(t).real(t).open(t, func(o *Options) {
		o.Config.SpillRoot = file
		o.Config.GlobMaxResults = 1
	})
	session := tool.Session{Workdir: coretest.Tree(t, "a: x", "b: x"), Owner: "me"}
	result := r.Call(t.Context(), session, "glob", json.RawMessage(`{"pattern":"*"}`))
	require.Nil(t, result.Failure)
	assert.Contains(t, result.Text, "The complete result could not be saved, because the spill folder "+file+" is a symbolic link or no directory; configure the directory itself; narrow path or pattern")

	require.NoError(t, os.Remove(file), "what is mended works with the next call")
	result = r.Call(t.Context(), session, "glob", json.RawMessage(`{"pattern":"*"}`))
	require.NoError(t, result.SpillErr)
	assert.FileExists(t, result.Page.(tool.GlobPage).Locator)
}

func TestWhereResultsAreSavedByDefault(t *testing.T) {
	c := DefaultConfig(true)
	assert.Equal(t, "/state/hydra-harness/spill", c.spillRoot([]string{"XDG_STATE_HOME=/old", "HOME=/home/me", "XDG_STATE_HOME=/state"}))
	assert.Equal(t, "/home/me/.local/state/hydra-harness/spill", c.spillRoot([]string{"HOME=/home/me", "TMPDIR=/scratch"}))
	c.SpillRoot = "/mine"
	assert.Equal(t, "/mine", c.spillRoot([]string{"XDG_STATE_HOME=/state"}))
}

func TestInfo(t *testing.T) {
	in := install(t).real(t)
	r := in.open(t, func(o *Options) { o.Config.Roots = []string{"/srv"} })
	info := r.Info(t.Context())
	assert.Equal(t, version, info.Version)
	assert.Equal(t, APIVersion, info.API)
	assert.Equal(t, []string{"/srv"}, info.Roots)
	assert.Equal(t, r.Guidance(), info.Guidance)
	assert.Equal(t, Limits{GlobMaxResults: 100, GrepMaxMatches: 250, GrepMaxLineBytes: 2000, InlineMaxBytes: 50_000, RawOutputMaxBytes: 20_000_000, TimeoutMs: 30_000}, info.Limits)
	assert.Equal(t, in.sidecar(), info.Ripgrep.Path)
	assert.Equal(t, "15.0.0", info.Ripgrep.Version)
	assert.Regexp(t, "^[0-9a-f]{64}$", info.Ripgrep.SHA256)
	assert.Empty(t, info.Ripgrep.Problem)

	text, err := json.Marshal(in.open(t).Info(t.Context()))
	require.NoError(t, err)
	assert.Contains(t, string(text), `"roots":[]`, "a list is never null")
}

func TestInfoOfASidecarThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		name    string
		fake    *coretest.Fake
		problem string
	}{
		{"missing", nil, "is missing: reinstall the package"},
		{"failing", &coretest.Fake{Exit: 3}, "--version ended with status 3: reinstall the package"},
		{"killed", &coretest.Fake{Signal: "KILL"}, "--version was ended by a signal (killed): reinstall the package"},
		{"something else", &coretest.Fake{Stdout: "grep (GNU grep) 3.8\n"}, `is not ripgrep: it says "grep (GNU grep) 3.8\n"`},
		{"silent", &coretest.Fake{}, `is not ripgrep: it says ""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := install(t)
			if c.fake != nil {
				require.NoError(t, c.fake.Install(in.sidecar()))
			}
			info := in.open(t).Info(t.Context())
			assert.Contains(t, info.Ripgrep.Problem, c.problem)
			assert.Equal(t, in.sidecar(), info.Ripgrep.Path)
			assert.Empty(t, info.Ripgrep.Version)
			assert.Empty(t, info.Ripgrep.SHA256)
			assert.Equal(t, version, info.Version, "the rest is told all the same")
		})
	}
}

func TestWorkdir(t *testing.T) {
	base := coretest.Tree(t, "root/sub/f: x", "rootless/", "out/", "root/inner -> sub", "root/escape -> ../out", "entry -> root", "dangling -> none", "loop -> loop")
	in := install(t)
	r := in.open(t, func(o *Options) { o.Config.Roots = []string{base + "/root", base + "/none"} })
	for _, dir := range []string{"/root", "/root/", "/root/sub", "/root/inner", "/entry", "/entry/sub", "/out/../root", "/root/escape/../root"} {
		got, err := r.Workdir(base + dir)
		assert.NoError(t, err, dir)
		assert.Equal(t, base+dir, got, "as it was spelled")
	}
	for dir, says := range map[string]string{
		base + "/out":               "lies outside the roots of this runtime (" + base + "/root, " + base + "/none); start it with --root for that directory",
		base + "/root/..":           "lies outside the roots",
		base + "/root/escape":       "lies outside the roots",
		base + "/rootless":          "lies outside the roots",
		base:                        "lies outside the roots",
		base + "/root/none":         "cannot be resolved (no such file or directory); give a directory that exists",
		base + "/none":              "cannot be resolved (no such file or directory)",
		base + "/dangling":          "cannot be resolved (no such file or directory)",
		base + "/loop":              "cannot be resolved (EvalSymlinks: too many links)",
		base + "/root/sub/f":        "is not a directory; give one",
		base + "/root/sub/f/deeper": "cannot be resolved (not a directory)",
		"root":                      `"root" is not an absolute path; give one`,
		"":                          `"" is not an absolute path; give one`,
		"/a\x00b":                   "it holds a NUL character",
		"/" + string(make([]byte, search.MaxPathBytes)): "it has 4096 bytes, a path has at most 4095",
	} {
		_, err := r.Workdir(dir)
		var bad *tool.ArgumentError
		require.ErrorAs(t, err, &bad, dir)
		assert.Equal(t, "workdir", bad.Argument)
		assert.Contains(t, bad.Message, says)
	}
	_, err := in.open(t).Workdir(base)
	assert.ErrorContains(t, err, "this runtime has no roots; start it with --root")

	everywhere := in.open(t, func(o *Options) { o.Config.Roots = []string{"/"} })
	_, err = everywhere.Workdir(base + "/out")
	assert.NoError(t, err)
	linked := in.open(t, func(o *Options) { o.Config.Roots = []string{base + "/entry"} })
	_, err = linked.Workdir(base + "/root/sub")
	assert.NoError(t, err, "a root that is a link is where it leads")
}
