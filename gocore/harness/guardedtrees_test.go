package harness

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/judge"
)

// guardedNames are the places whose content the test compares.
var guardedNames = []string{".claude/settings.json", ".git/hooks/pre-commit"}

// guardedTree is a repository with guarded files and with what would overwrite
// them.
func guardedTree(t *testing.T) string {
	root := coretest.Tree(t, ".claude/settings.json: good", "evil/settings.json: evil", "hooksrc/hooks/pre-commit: evil",
		"whole/.claude/settings.json: evil", "src/a.txt: a", "plain/b.txt: b", "home/", "patch.diff: --- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-good\n\\ No newline at end of file\n+evil\n")
	shell(t, root, "git init -q . && git config user.email a@b && git config user.name a && git add .claude evil src && git commit -qm one && "+
		"git checkout -q -b other && echo evil > .claude/settings.json && git commit -qam two && git checkout -q -")
	shell(t, root, "tar cf t.tar -C whole .claude && tar cf plain.tar -C plain b.txt")
	return root
}

func shell(t *testing.T, dir, text string) {
	t.Helper()
	cmd := exec.Command("bash", "-c", text)
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir + "/home", "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func guardedState(root string) string {
	var all []string
	for _, name := range guardedNames {
		text, _ := os.ReadFile(filepath.Join(root, name))
		all = append(all, string(text))
	}
	return strings.Join(all, "\x00")
}

// What really changes a guarded file is never a plain allow; the programs
// themselves say what does.
func TestTreesThatReachGuardedFiles(t *testing.T) {
	for _, command := range []string{
		"cp -rT evil .claude", "cp -r evil/. .claude", "cp -a evil/. .claude/", "cp -rT whole .", "cp -r whole/. .", "cp -r whole/.claude .",
		"git mv -f evil/settings.json .claude/", "git checkout -q other -- .claude/settings.json", "git checkout -q other", "git restore -s other .claude",
		"git reset -q --hard other", "git apply patch.diff", "tar xf t.tar", "tar -C . -xf t.tar", "cp -r hooksrc/hooks .git/",
		"mv evil/settings.json .claude/", "install -D evil/settings.json .claude/settings.json", "dd if=evil/settings.json of=.claude/settings.json status=none",
		"tee .claude/settings.json < evil/settings.json", "cat evil/settings.json > .claude/settings.json", "sed -i s/good/evil/ .claude/*",
		"ln -sf ../evil/settings.json .claude/settings.json", "find evil -name '*.json' -exec cp {} .claude ';'", "ls evil/settings.json | xargs -I{} cp {} .claude/",
		"git merge -q other", "git stash -q; git checkout -q other",
	} {
		t.Run(command, func(t *testing.T) {
			root := guardedTree(t)
			decision := decided(t, root, command)
			before := guardedState(root)
			cmd := exec.Command("bash", "-c", command)
			cmd.Dir, cmd.Env = root, []string{"PATH=/usr/bin:/bin", "HOME=" + root + "/home", "LC_ALL=C"}
			out, _ := cmd.CombinedOutput()
			require.NotEqual(t, before, guardedState(root), "the command changes nothing, so it shows nothing: %s", out)
			assert.NotEqual(t, judge.Allow, decision)
		})
	}
}

// What cannot reach one stays an allow.
func TestTreesBesideGuardedFiles(t *testing.T) {
	root := guardedTree(t)
	for _, command := range []string{"cp -r src copy", "cp -r src/. plain", "mv src/a.txt src/c.txt", "git add src", "git status -s"} {
		assert.Equal(t, judge.Allow, decided(t, root, command), command)
	}
}

func decided(t *testing.T, root, command string) judge.Decision {
	t.Helper()
	rt, req := gated(t, root, command)
	req.Boundary.WriteRoots = []string{root}
	g, err := rt.Gate(context.Background(), req)
	require.NoError(t, err)
	return g.Decision
}
