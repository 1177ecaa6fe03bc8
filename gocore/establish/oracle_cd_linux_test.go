package establish

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// cd against the real shells: wherever they end up after two changes of
// directory is among the directories we say, through links, missing parts and
// both ways to read `..`.
func TestOracleCd(t *testing.T) {
	total := oracleCount(t, "ESTABLISH_ORACLE_CD", 400)
	const perTree = 2000
	r := rand.New(rand.NewPCG(oracleSeed(t), 21))
	for _, tt := range []struct {
		name    string
		dialect shellplan.Dialect
		pwd     bool
	}{{"bash", shellplan.DialectBash, true}, {"bash", shellplan.DialectBash, false}, {"dash", shellplan.DialectDash, true}, {"dash", shellplan.DialectDash, false}} {
		shell, err := exec.LookPath(tt.name)
		if err != nil {
			t.Skipf("no %s on this machine: the oracle of cd needs it", tt.name)
		}
		reached, wide := 0, 0
		for done := 0; done < total; {
			base, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			root := base + "/r"
			require.NoError(t, os.Mkdir(root, 0o755))
			names := linkedDirs(t, r, root)
			require.NoError(t, os.MkdirAll(root+"/start/deep", 0o755))
			require.NoError(t, os.Symlink("r/start/deep", base+"/in"))
			var script bytes.Buffer
			var cases [][]shellplan.CwdStep
			for range min(perTree, total-done) {
				done++
				var steps []shellplan.CwdStep
				line := ""
				for range 2 {
					s := shellplan.CwdStep{Word: shellplan.Word{Raw: []byte(randomPath(r, names, []string{root}, root, 5))}}
					cd := "cd -- "
					if r.IntN(5) == 0 {
						s.Mode, cd = shellplan.CwdPhysical, "cd -P -- "
					}
					steps = append(steps, s)
					line += cd + "'" + string(s.Raw) + "' >/dev/null 2>&1 && "
				}
				cases = append(cases, steps)
				script.WriteString("( " + line + "pwd -P ) ; printf '\\0'\n")
			}
			cmd := exec.Command(shell)
			cmd.Dir, cmd.Stdin = base+"/in", &script
			cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
			if tt.pwd {
				cmd.Env = append(cmd.Env, "PWD="+base+"/in")
			}
			out, err := cmd.Output()
			require.NoError(t, err)
			ends := strings.Split(string(out), "\x00")
			require.Len(t, ends, len(cases)+1)
			run := newRun(context.Background(), execenv.Host{}, &Boundary{Cwd: base + "/in"}, defaultBounds)
			sh := &shellplan.Shell{Dialect: tt.dialect}
			for i, steps := range cases {
				end := strings.TrimSuffix(ends[i], "\n")
				if end == "" {
					continue // the cd failed
				}
				reached++
				cwds, err := run.directories(steps, sh, nil)
				require.NoError(t, err)
				got := map[string]bool{}
				for _, s := range cwds {
					got[s.Path()] = true
				}
				if len(got) > 2 {
					wide++
				}
				if !got[end] {
					t.Fatalf("%s: cd %s; cd %s ends in %s, we say %v", tt.name, steps[0].Raw, steps[1].Raw, end, got)
				}
			}
			require.NoError(t, os.RemoveAll(base))
		}
		t.Logf("%s (PWD handed over: %v): %d pairs of changes, %d reached a directory, %d with more than two answers", tt.name, tt.pwd, total, reached, wide)
		assert.Positive(t, reached)
	}
}

// linkedDirs makes a tree in which nearly every name is a directory or leads to
// one: each directory holds a few more and links to others.
func linkedDirs(t *testing.T, r *rand.Rand, root string) []string {
	names := []string{"a", "b", "c", "l", "m"}
	dirs := []string{root}
	for i := 0; i < len(dirs) && len(dirs) < 40; i++ {
		for _, n := range names[:3] {
			d := dirs[i] + "/" + n
			require.NoError(t, os.Mkdir(d, 0o755))
			dirs = append(dirs, d)
		}
	}
	for _, d := range dirs {
		for _, n := range names[3:] {
			to := dirs[r.IntN(len(dirs))]
			if rel, err := filepath.Rel(d, to); err == nil && r.IntN(2) == 0 {
				to = rel
			}
			require.NoError(t, os.Symlink(to, d+"/"+n))
		}
	}
	return names
}
