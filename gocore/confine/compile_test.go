package confine

import (
	"errors"
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn is a file system of a test: what lies where. A link has a target, a file
// its text; all above them are directories.
type drawn struct {
	links, files map[string]string
	dirs         []string
	unheld       string
}

func (d drawn) Kind(p string) Kind {
	if _, ok := d.links[p]; ok {
		return Link
	}
	if _, ok := d.files[p]; ok {
		return File
	}
	for _, name := range d.all() {
		if under(name, p) {
			return Dir
		}
	}
	return Missing
}

func (d drawn) all() []string {
	all := slices.Clone(d.dirs)
	for p := range d.files {
		all = append(all, p)
	}
	for p := range d.links {
		all = append(all, p)
	}
	return all
}

func (d drawn) Readlink(p string) (string, error) { return d.links[p], nil }

func (d drawn) List(dir string) ([]Entry, error) {
	if d.Kind(dir) != Dir {
		return nil, errors.New("no directory")
	}
	var out []Entry
	seen := map[string]bool{}
	for _, p := range d.all() {
		for p != dir && path.Dir(p) != dir && p != "/" {
			p = path.Dir(p)
		}
		if path.Dir(p) == dir && p != dir && !seen[p] {
			seen[p] = true
			out = append(out, Entry{path.Base(p), d.Kind(p)})
		}
	}
	return out, nil
}

func (d drawn) Read(p string) ([]byte, error) { return []byte(d.files[p]), nil }
func (d drawn) Owner(string) (uint32, bool)   { return 1000, true }
func (d drawn) Unheld(p string) string {
	if d.unheld != "" && under(p, d.unheld) {
		return "9P"
	}
	return ""
}

func compiled(t *testing.T, d drawn, p Policy, level Level, env ...string) *Plan {
	t.Helper()
	plan, err := Compile(p, World{Tree: d, Env: env, Cwd: "/w", UID: 1000}, level)
	require.NoError(t, err)
	return plan
}

func refused(t *testing.T, d drawn, p Policy, level Level) string {
	t.Helper()
	_, err := Compile(p, World{Tree: d, Cwd: "/w", UID: 1000}, level)
	require.Error(t, err)
	return err.Error()
}

// rightAt is what the rules of a plan allow at a path.
func rightAt(p *Plan, at string) Right {
	var most Right
	for _, r := range p.Rules {
		if r.Path == at || r.Right != List && under(at, r.Path) {
			most = max(most, r.Right)
		}
	}
	return most
}

func TestBesideADeniedPathIsReadable(t *testing.T) {
	d := drawn{dirs: []string{"/w"}, files: map[string]string{"/r/a": "", "/r/s/deep/key": "", "/r/s/other": "", "/r/b": ""}}
	plan := compiled(t, d, Policy{Roots: []string{"/r"}, DenyPaths: []string{"/r/s/deep"}}, LevelLL)
	assert.Equal(t, Read, rightAt(plan, "/r/a"))
	assert.Equal(t, Read, rightAt(plan, "/r/s/other"))
	assert.Zero(t, rightAt(plan, "/r/s/deep/key"))
	assert.Equal(t, List, rightAt(plan, "/r/s"))
	assert.Zero(t, rightAt(plan, "/elsewhere"))
}

func TestADeniedPathInAWriteRoot(t *testing.T) {
	d := drawn{files: map[string]string{"/w/a/.env": "", "/w/x": ""}, dirs: []string{"/w/a/keys"}}
	policy := Policy{WriteRoots: []string{"/w"}, DenyPaths: []string{"a/.env", "/w/a/keys"}}
	plan := compiled(t, d, policy, LevelNS)
	assert.ElementsMatch(t, []Mask{{"/w/a/.env", false}, {"/w/a/keys", true}}, plan.Masks)
	assert.Equal(t, []string{"/w/a"}, plan.Pins)
	assert.Contains(t, refused(t, d, policy, LevelLL), "without namespaces the kernel cannot take it out")
	policy.DenyPaths = []string{"/w/missing"}
	assert.Contains(t, refused(t, d, policy, LevelNS), "could be made")
	policy.DenyPaths = []string{"/"}
	assert.Contains(t, refused(t, d, policy, LevelNS), "lies in the denied path")
}

// A root is where it leads; a link in a write root is the program's to make.
func TestLinksOfRoots(t *testing.T) {
	d := drawn{dirs: []string{"/real/w", "/w", "/out"}, links: map[string]string{"/l": "real/w", "/w/to": "/out"}}
	plan := compiled(t, d, Policy{WriteRoots: []string{"/l"}}, LevelLL)
	assert.Equal(t, []string{"/real/w"}, plan.Write)
	text := refused(t, d, Policy{WriteRoots: []string{"/w"}, Roots: []string{"/w/to"}}, LevelLL)
	assert.Contains(t, text, "give it as /out")
	d.links["/loop"] = "/loop"
	assert.Contains(t, refused(t, d, Policy{Roots: []string{"/loop"}}, LevelLL), "too many links")
}

// The file .git of a worktree is believed only when what it names points back.
func TestTheCommonDirectoryOfAWorktree(t *testing.T) {
	d := drawn{
		dirs: []string{"/m/.git/objects", "/m/.git/refs", "/evil/objects"},
		files: map[string]string{
			"/w/.git": "gitdir: /m/.git/worktrees/w\n", "/m/.git/HEAD": "", "/m/.git/worktrees/w/gitdir": "/w/.git\n",
			"/evil/HEAD": "", "/evil/worktrees/w/gitdir": "/other/.git\n",
		},
	}
	assert.Equal(t, []string{"/m/.git", "/w"}, compiled(t, d, Policy{WriteRoots: []string{"/w"}}, LevelNS).Write)
	d.files["/w/.git"] = "gitdir: /evil/worktrees/w\n"
	assert.Equal(t, []string{"/w"}, compiled(t, d, Policy{WriteRoots: []string{"/w"}}, LevelNS).Write)
}

func TestGuardedPlaces(t *testing.T) {
	d := drawn{files: map[string]string{"/w/.git/hooks/x": "", "/w/.git/config": "", "/w/.claude/settings.json": ""}}
	plan := compiled(t, d, Policy{WriteRoots: []string{"/w"}}, LevelNS)
	assert.Equal(t, []string{"/w/.claude", "/w/.git/config", "/w/.git/hooks"}, plan.Guards)
	assert.Contains(t, plan.Watched, "/w/.codex", "what does not exist is looked for afterwards")
	assert.Empty(t, compiled(t, d, Policy{WriteRoots: []string{"/w"}}, LevelLL).Guards)
}

func TestEnvironmentInside(t *testing.T) {
	d := drawn{dirs: []string{"/w/go", "/tmp", "/h"}}
	plan := compiled(t, d, Policy{WriteRoots: []string{"/w"}, KeepEnv: []string{"MY_TOKEN"}, Tmp: "/w/go"}, LevelLL,
		"A=1", "API_TOKEN=x", "MY_TOKEN=y", "GOCACHE=/w/go", "GOTMPDIR=/tmp", "DBUS_SESSION_BUS_ADDRESS=z", "HOME=/h")
	assert.ElementsMatch(t, []string{"A=1", "MY_TOKEN=y", "GOCACHE=/w/go", "HOME=/h", "TMPDIR=/w/go", "HYDRA_CONFINED=ll"}, plan.Env)
	assert.Contains(t, plan.Notes, "taken out of the environment: API_TOKEN, DBUS_SESSION_BUS_ADDRESS")
}

// Neither a variable nor a folder on PATH opens the home.
func TestTheHomeIsNotReadable(t *testing.T) {
	d := drawn{dirs: []string{"/w"}, files: map[string]string{
		"/h/bin/x": "", "/h/secret": "", "/h/.local/bin/y": "", "/h/.local/share/k": "", "/h/tool/bin/z": "", "/h/tool/lib/l": "",
	}}
	plan := compiled(t, d, Policy{}, LevelLL, "HOME=/h", "PATH=/h/bin:/h/.local/bin:/h/tool/bin:bin", "GOROOT=/h", "JAVA_HOME=/")
	assert.Zero(t, rightAt(plan, "/h/secret"))
	assert.Zero(t, rightAt(plan, "/h/.local/share/k"))
	assert.Equal(t, Read, rightAt(plan, "/h/bin/x"))
	assert.Equal(t, Read, rightAt(plan, "/h/.local/bin/y"))
	assert.Equal(t, Read, rightAt(plan, "/h/tool/lib/l"))
}

func TestWhatIsNotHeld(t *testing.T) {
	d := drawn{dirs: []string{"/mnt/c/x"}, unheld: "/mnt/c"}
	assert.Contains(t, refused(t, d, Policy{WriteRoots: []string{"/mnt/c/x"}}, LevelNS), "9P")
	assert.Contains(t, refused(t, d, Policy{Net: "some"}, LevelNS), `net is none or all, not "some"`)
}

// The zero policy writes nowhere but where nothing lasts.
func TestTheZeroPolicy(t *testing.T) {
	plan := compiled(t, drawn{dirs: []string{"/w", "/usr"}}, Policy{}, LevelNS)
	assert.Empty(t, plan.Write)
	assert.Equal(t, NetNone, plan.Net)
	for _, r := range plan.Rules {
		assert.True(t, r.Right != Write || r.Path == sharedMemory, r.Path)
	}
}
