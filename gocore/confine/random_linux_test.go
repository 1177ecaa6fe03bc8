package confine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// probeWord makes this executable try to open files, and say which it could.
const probeWord = "confine-probe"

func probe(files []string) int {
	for _, name := range files {
		can := ""
		for _, way := range []struct {
			letter string
			flag   int
		}{{"r", os.O_RDONLY}, {"w", os.O_WRONLY}} {
			if f, err := os.OpenFile(name, way.flag, 0); err == nil {
				can += way.letter
				_ = f.Close()
			}
		}
		fmt.Println(can + ":" + name)
	}
	return 0
}

// randomTree makes folders, files and links, also to what is above and to what is
// not there, and returns the names of files through all that.
func randomTree(t *testing.T, r *rand.Rand, at string, user uint32) (dirs, files []string) {
	t.Helper()
	dirs = []string{at}
	own := func(name string) { require.NoError(t, os.Lchown(name, int(user), int(user))) }
	for i := range 12 {
		in := dirs[r.IntN(len(dirs))]
		name := filepath.Join(in, "n"+strconv.Itoa(i))
		switch r.IntN(4) {
		case 0, 1:
			require.NoError(t, os.Mkdir(name, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(name, "f"), nil, 0o644))
			own(filepath.Join(name, "f"))
			dirs = append(dirs, name)
		case 2:
			require.NoError(t, os.WriteFile(name, nil, 0o644))
		default:
			target := dirs[r.IntN(len(dirs))]
			real, err := filepath.EvalSymlinks(in)
			require.NoError(t, err)
			if relative, err := filepath.Rel(real, target); err == nil && r.IntN(2) == 0 {
				target = relative
			}
			require.NoError(t, os.Symlink(target, name))
			dirs = append(dirs, name)
		}
		own(name)
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				files = append(files, name)
			}
		}
	}
	return dirs, files
}

// expected is what the policy says of a file: where the name leads decides.
func expected(t *testing.T, plan *Plan, name string) string {
	t.Helper()
	l, err := land(HostTree{}, name)
	require.NoError(t, err)
	for _, m := range plan.Masks {
		for _, link := range l.links {
			if under(link, m.Path) {
				return "" // covered with the folder that it lies in
			}
		}
	}
	switch {
	case underAny(l.path, plan.Denied):
		return ""
	case underAny(l.path, plan.Write):
		return "rw"
	case underAny(l.path, plan.Read):
		return "r"
	}
	return ""
}

// Random policies over random trees of links: what can be opened is what the
// policy says, and nothing else. CONFINE_PROBES asks for more than the few of a
// run of the tests.
func TestRandomPoliciesOverRandomTrees(t *testing.T) {
	wanted := 400
	if text := os.Getenv("CONFINE_PROBES"); text != "" {
		var err error
		wanted, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for _, level := range []Level{LevelNS, LevelLL} {
		for name, b := range benches(t, level) {
			probed, allowed, notStarted := 0, 0, 0
			for seed := uint64(0); probed < wanted; seed++ {
				r := rand.New(rand.NewPCG(seed, 1))
				base := filepath.Join(b.dir, fmt.Sprint("tree", level, seed))
				require.NoError(t, os.Mkdir(base, 0o755))
				require.NoError(t, os.Chown(base, int(b.user), int(b.user)))
				dirs, files := randomTree(t, r, base, b.user)
				pick := func() []string { return []string{dirs[r.IntN(len(dirs))]} }
				policy := Policy{Roots: pick(), WriteRoots: pick(), Level: level, Tmp: filepath.Join(base, "own-tmp"), Cache: filepath.Join(base, "own-cache")}
				if r.IntN(2) == 0 && len(files) > 0 {
					policy.DenyPaths = []string{files[r.IntN(len(files))]}
				} else {
					policy.DenyPaths = pick()
				}
				for _, own := range []string{policy.Tmp, policy.Cache} {
					require.NoError(t, os.Mkdir(own, 0o700))
					require.NoError(t, os.Chown(own, int(b.user), int(b.user)))
				}
				policy.Roots = append(policy.Roots, filepath.Dir(b.exe)+"/exe")
				plan, err := Compile(policy, World{Tree: HostTree{}, Env: []string{"PATH=/usr/bin:/bin"}, Cwd: b.dir, UID: b.user}, level)
				status, said := b.run(t, start{Policy: policy, Argv: append([]string{b.exe, probeWord}, files...)})
				if err != nil {
					assert.Equal(t, StatusNotStarted, status, said)
					notStarted++
					if notStarted > wanted {
						require.Fail(t, "hardly any policy can be held")
					}
					continue
				}
				require.Equal(t, 0, status, "seed %d: %s", seed, said)
				lines := strings.Split(strings.TrimSpace(said), "\n")
				for i, file := range files {
					want := expected(t, plan, file)
					assert.Equal(t, want+":"+file, lines[i], "seed %d, level %s, %s, policy %+v", seed, level, name, policy)
					probed++
					allowed += min(len(want), 1)
				}
				require.False(t, t.Failed(), "the first difference is enough")
			}
			t.Logf("%s, level %s: %d probes, %d of them opened, %d policies not started", name, level, probed, allowed, notStarted)
		}
	}
}
