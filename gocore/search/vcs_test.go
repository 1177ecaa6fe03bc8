package search_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: version-control metadata is never listed, wherever the root is.
func TestVersionControlIsNeverListed(t *testing.T) {
	for _, vcs := range []string{".git", ".svn", ".hg", ".bzr", ".jj", ".sl"} {
		t.Run(vcs, func(t *testing.T) {
			root := coretest.Tree(t, vcs+"/c: x", vcs+"/refs/deep: x", "sub/"+vcs+"/in/c: x", "keep: x", vcs+"ignore: x", "sub"+vcs+"/c: x", vcs+"hub/c: x", "x"+vcs+": x", "link -> "+vcs)
			s := pinned(t)
			want := []string{"keep", vcs + "ignore", "sub" + vcs + "/c", vcs + "hub/c", "x" + vcs}
			assert.Equal(t, want, glob(t, s, root, "*", "").Paths)
			assert.Equal(t, want, glob(t, s, root, "**", root).Paths)
			for _, call := range []struct{ pattern, path string }{
				{"*", vcs}, {"*", "./" + vcs + "/"}, {"*", root + "/" + vcs}, {"*", vcs + "/refs"}, {"c", "sub/" + vcs}, {"*", "link"},
				{vcs + "/**", ""}, {vcs + "/c", ""}, {"/" + vcs + "/c", ""}, {"**/" + vcs + "/**", ""}, {"sub/" + vcs + "/in/*", ""},
				{root + "/" + vcs + "/*", ""}, {"link/*", ""}, {"sub/../" + vcs + "/*", ""}, {"{" + vcs + ",x}/c", ""},
			} {
				assert.Empty(t, glob(t, s, root, call.pattern, call.path).Paths, "%+v", call)
			}
			// A workdir inside is a root inside.
			assert.Empty(t, glob(t, s, root+"/"+vcs+"/refs", "*", "").Paths)
			assert.Empty(t, glob(t, s, root+"/"+vcs+"/refs", "c", "..").Paths)
		})
	}
}

// The metadata of a worktree or a submodule is a file, and of some it is a link.
func TestMetadataThatIsNoDirectory(t *testing.T) {
	root := coretest.Tree(t, "w/.git: gitdir: x", "w/a: x", "l/.git -> ../w", "l/b: x")
	s := pinned(t)
	assert.Equal(t, []string{"w/a", "l/b"}, glob(t, s, root, "*", "").Paths)
	assert.Empty(t, glob(t, s, root, ".git", "").Paths)
	assert.Empty(t, glob(t, s, root, "w/.git", "").Paths)
}

func TestVersionControlIsExplained(t *testing.T) {
	root := coretest.Tree(t, ".git/c: x", "a/.hg/d: x", "link -> .git")
	s := pinned(t)
	never := "VERSION_CONTROL %s holds version-control metadata, which glob never lists"
	for _, tc := range []struct{ pattern, path, named string }{
		{".git/*", "", ".git"}, {"**/.git/**", "", ".git"}, {"*", ".git", ".git"}, {"*", "a/.hg", ".hg"}, {"*", "link", "the directory searched"}, {".git", "", ".git"}, {".svn/*", "", ".svn"},
	} {
		r := glob(t, s, root, tc.pattern, tc.path)
		assert.Equal(t, []string{sprintf(never, tc.named)}, notes(r.Report), "%+v", tc)
	}
	assert.Empty(t, notes(glob(t, s, root, "*.none", "").Report))
}

// The excludes are glob's: grep searches metadata when path names it, as the
// contract has it, and skips it as hidden otherwise.
func TestGrepInVersionControl(t *testing.T) {
	root := coretest.Tree(t, ".git/config: needle", "a: needle")
	s := pinned(t)
	assert.Equal(t, []string{"a"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle"})))
	assert.Equal(t, []string{".git/config"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: ".git"})))
}

func TestGlobIgnoresIgnoreFiles(t *testing.T) {
	root := coretest.Tree(t, ".gitignore: *", ".ignore: *", ".rgignore: *", "a.txt: x", ".hidden: x", "node_modules/m.js: x", ".git/info/exclude: *")
	require.NoError(t, os.WriteFile(root+"/sub.txt", nil, 0o600))
	assert.ElementsMatch(t, []string{".gitignore", ".ignore", ".rgignore", "a.txt", ".hidden", "node_modules/m.js", "sub.txt"}, glob(t, pinned(t), root, "*", "").Paths)
}
