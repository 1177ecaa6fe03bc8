package search_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Each test of a case rebuilds what public reports about tools of this kind
// describe. The rules have tests of their own; these hold the reports' inputs.

// anthropics/claude-code#74263, #37046, #47042, #14276, #43178;
// anthropics/claude-agent-sdk-typescript#386; github/copilot-cli#4271;
// code-yeongyu/oh-my-openagent#2204; BurntSushi/ripgrep#3070.
func TestCaseS1SlashPatternWithAPath(t *testing.T) {
	root := coretest.Tree(t, "src/c.ts", "sub/b.ts", "sub/src/a.ts")
	s := pinned(t)
	assert.Equal(t, []string{"sub/src/a.ts"}, glob(t, s, root, "src/*.ts", "sub").Paths)
	assert.Equal(t, []string{"sub/src/a.ts"}, glob(t, s, root, "src/*.ts", root+"/sub").Paths)
	t.Chdir(t.TempDir())
	assert.Equal(t, []string{"sub/src/a.ts"}, glob(t, s, root, "src/*.ts", "sub").Paths)
	assert.Equal(t, []string{root + "/sub/src/a.ts"}, glob(t, s, "", "src/*.ts", root+"/sub").Paths)
}

// anthropics/claude-code#13502, #14880, #10337.
func TestCaseS3AbsolutePattern(t *testing.T) {
	root := coretest.Tree(t, "sub/b.ts", "sub/src/a.ts", "c.ts")
	s := pinned(t)
	assert.Equal(t, []string{"sub/b.ts"}, glob(t, s, root, root+"/sub/*.ts", "").Paths)
	assert.Equal(t, []string{"sub/b.ts", "sub/src/a.ts", "c.ts"}, glob(t, s, root, root+"/**/*.ts", "").Paths)
	assert.Equal(t, []string{root + "/sub/b.ts"}, glob(t, s, t.TempDir(), root+"/sub/*.ts", "").Paths)
}

// anomalyco/opencode#10906; BurntSushi/ripgrep#388, #1442.
func TestCaseS5DirectoriesAreNotFiles(t *testing.T) {
	root := coretest.Tree(t, "dir/foo/x", "dir/readme.md", "sub/y")
	s := pinned(t)
	r := glob(t, s, root, "dir/*", "")
	assert.Equal(t, []string{"dir/readme.md"}, r.Paths)
	assert.Equal(t, []string{"DIRECTORIES_MATCH 1 directory also matches (dir/foo/); glob lists files only"}, notes(r.Report))
	for _, pattern := range []string{"sub", "sub/"} {
		r := glob(t, s, root, pattern, "")
		assert.Empty(t, r.Paths)
		assert.Equal(t, []string{"IS_DIRECTORY sub is a directory and glob lists files only; use sub/** for what is in it"}, notes(r.Report))
	}
	assert.Equal(t, []string{"sub/y"}, glob(t, s, root, "sub/**", "").Paths, "what the note advises")
}

// The syntax of ignore files leaked into patterns: a comment matched everything.
func TestCaseS7IgnoreFileSyntax(t *testing.T) {
	root := coretest.Tree(t, "d0/a.txt", "d0/b.txt ", "!x.ts")
	s := pinned(t)
	assert.Empty(t, glob(t, s, root, "#a.txt", "").Paths)
	assert.Equal(t, []string{"d0/b.txt "}, glob(t, s, root, "*.txt ", "").Paths)
	_, err := s.Glob(t.Context(), root, search.GlobRequest{Pattern: "!*.ts"})
	assert.Equal(t, `pattern: a glob that starts with "!" excludes and finds nothing by itself; write the files to find (for a name that starts with "!", write \! instead of it)`, argumentError(t, err).Error())
	assert.Equal(t, []string{"!x.ts"}, glob(t, s, root, `\!*.ts`, "").Paths, "what the error advises")
}

// cline/cline#860; Aider-AI/aider#5530, #2616.
func TestCaseS9BracketsInNames(t *testing.T) {
	root := coretest.Tree(t, "[id]/page.tsx: x", "[id]/other.tsx: x", "(group)/p.tsx: x")
	s := pinned(t)
	assert.Equal(t, []string{"[id]/page.tsx"}, glob(t, s, root, "[id]/page.tsx", "").Paths)
	assert.Equal(t, []string{"[id]/page.tsx"}, glob(t, s, root, `\[id\]/page.tsx`, "").Paths)
	assert.Equal(t, []string{"[id]/page.tsx", "[id]/other.tsx"}, glob(t, s, root, "*", "[id]").Paths)
	assert.Equal(t, []string{"(group)/p.tsx"}, glob(t, s, root, "(group)/*.tsx", "").Paths)
	assert.Equal(t, []string{"[id]/page.tsx"}, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "[id]/page.tsx"})))
	r := glob(t, s, root, "[id]/*.tsx", "")
	assert.Equal(t, []string{"[id]/page.tsx", "[id]/other.tsx"}, r.Paths)
}

// BurntSushi/ripgrep#1233.
func TestCaseS11LineEndInAName(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{"a\nb.txt": "needle", "c.txt": "needle"})
	s := pinned(t, orderBy(search.OrderPath))
	assert.Equal(t, []string{"a\nb.txt", "c.txt"}, glob(t, s, root, "*.txt", "").Paths)
	assert.Equal(t, []string{"a\nb.txt", "c.txt"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle"})))
}

// BurntSushi/ripgrep#936, #270.
func TestCaseS13PatternsThatLookLikeOptions(t *testing.T) {
	root := coretest.Tree(t, "f: a -- b\n- c\n-e d\n--pre=x\n")
	s := pinned(t)
	for pattern, want := range map[string][]string{
		"--": {"f:1:a -- b", "f:4:--pre=x"}, "-": {"f:1:a -- b", "f:2:- c", "f:3:-e d", "f:4:--pre=x"}, "-e": {"f:3:-e d"}, "--pre=x": {"f:4:--pre=x"}, "--hidden": {},
	} {
		assert.Equal(t, want, lines(grep(t, s, root, search.GrepRequest{Pattern: pattern})), pattern)
		assert.Empty(t, glob(t, s, root, pattern, "").Paths)
	}
}

// anthropics/claude-code#77488, #22379, #23488, #16043; github/copilot-cli#2985.
func TestCaseS27PrefixWalksOnlyItsSubtree(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	var entries []string
	for i := range 10 {
		entries = append(entries, fmt.Sprintf("p%d/a/f7.ts", i), fmt.Sprintf("p%d/f7.ts", i), fmt.Sprintf("p%d/closed/", i))
	}
	root := coretest.Tree(t, entries...)
	for i := range 10 {
		coretest.Lock(t, fmt.Sprintf("%s/p%d/closed", root, i), 0) // whoever walks there says so
	}
	s := pinned(t)
	r := glob(t, s, root, "p3/**/f7.ts", "")
	assert.Equal(t, glob(t, s, root, "f7.ts", "p3").Paths, r.Paths)
	assert.Equal(t, []string{"p3/a/f7.ts", "p3/f7.ts"}, r.Paths)
	assert.Equal(t, []string{"UNREADABLE 1 path could not be read: p3/closed"}, warnings(r.Report))
	assert.Empty(t, glob(t, s, root, "p3/*.ts", "").Warnings)
	require.Len(t, glob(t, s, root, "f7.ts", "").Warnings, 1)
	assert.Equal(t, 10, glob(t, s, root, "f7.ts", "").Warnings[0].Count)
}

// anthropics/claude-code#23916; langchain-ai/langchain#37369.
func TestCaseS35Order(t *testing.T) {
	root := coretest.Tree(t, "f0", "f1", "f2", "f3", "f4")
	s, newest := pinned(t), pinned(t, orderBy(search.OrderModifiedDesc))
	assert.Equal(t, []string{"f0", "f1", "f2", "f3", "f4"}, glob(t, s, root, "f*", "").Paths)
	assert.Equal(t, []string{"f4", "f3", "f2", "f1", "f0"}, glob(t, newest, root, "f*", "").Paths)
	ties := coretest.Tree(t, "b", "d", "c", "a")
	for _, name := range []string{"a", "b", "c", "d"} {
		touch(t, ties+"/"+name, 1_000_000, 5)
	}
	assert.Equal(t, []string{"a", "b", "c", "d"}, glob(t, s, ties, "*", "").Paths)
	assert.Equal(t, []string{"a", "b", "c", "d"}, glob(t, newest, ties, "*", "").Paths)
	touch(t, ties+"/c", -1000, 0)
	touch(t, ties+"/b", 0, 0)
	touch(t, ties+"/a", 4102444800, 0) // 2100-01-01
	assert.Equal(t, []string{"c", "b", "d", "a"}, glob(t, s, ties, "*", "").Paths)
	assert.Equal(t, []string{"a", "d", "b", "c"}, glob(t, newest, ties, "*", "").Paths)
}

// anomalyco/opencode#9676, #5220; microsoft/vscode#40480; BurntSushi/ripgrep#1553.
func TestCaseS43LinksAreNotFollowed(t *testing.T) {
	base := coretest.Tree(t, "tree/loop -> .", "tree/dangling -> nope", "tree/out -> ../outside", "tree/a: needle", "outside/o: needle")
	s := pinned(t)
	r := glob(t, s, base+"/tree", "*", "")
	assert.Equal(t, []string{"a"}, r.Paths)
	assert.Empty(t, r.Warnings)
	g := grep(t, s, base+"/tree", search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, []string{"a"}, files(g))
	assert.Empty(t, g.Warnings)
	// One that the call names is entered.
	assert.Equal(t, []string{"out/o"}, glob(t, s, base+"/tree", "out/*", "").Paths)
	assert.Equal(t, []string{"out/o"}, files(grep(t, s, base+"/tree", search.GrepRequest{Pattern: "needle", Path: "out"})))
}

// anomalyco/opencode#31994, #45911, #4694; anthropics/claude-code#25143, #16936;
// google-gemini/gemini-cli#18946.
func TestCaseS49HiddenFiles(t *testing.T) {
	root := coretest.Tree(t, ".github/w.yml: needle", ".flightops/A.md: needle", "a: x")
	s := pinned(t)
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle", Include: ".github/**"})
	assert.Empty(t, g.Matches)
	assert.Equal(t, []string{`HIDDEN_NOT_SEARCHED hidden files (.github) are not searched; to search there, pass path ".github"`}, notes(g.Report))
	assert.Equal(t, []string{".github/w.yml"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: ".github"})), "what the note advises")
	assert.Equal(t, []string{".flightops/A.md"}, glob(t, s, root, ".flightops/A.md", "").Paths)
	assert.Equal(t, []string{".github/w.yml"}, glob(t, s, root, "*.yml", "").Paths)
}

// anthropics/claude-code#83326. That a file was left out is known for free only
// when none was searched.
func TestCaseS51IgnoredSecrets(t *testing.T) {
	root := coretest.Tree(t, ".git/", ".env: SECRET", ".gitignore: .env")
	s := pinned(t)
	g := grep(t, s, root, search.GrepRequest{Pattern: "SECRET"})
	assert.Empty(t, g.Matches)
	assert.Equal(t, []string{"NOTHING_SEARCHED no file was searched: there is none, or all are hidden or ignored; such files are searched when path names them"}, notes(g.Report))
	assert.Equal(t, []string{".env:1:SECRET"}, lines(grep(t, s, root, search.GrepRequest{Pattern: "SECRET", Path: ".env"})), "what the note advises")
	g = grep(t, s, root, search.GrepRequest{Pattern: "SECRET", Include: ".env"})
	assert.Equal(t, []string{`HIDDEN_NOT_SEARCHED hidden files (.env) are not searched; to search there, pass path ".env"`}, notes(g.Report))
}

// BurntSushi/ripgrep#3179.
func TestCaseS53GlobalIgnoreFile(t *testing.T) {
	root := coretest.Tree(t, ".git/", "a.secret: needle")
	home := coretest.Tree(t, ".config/git/ignore: *.secret")
	for _, environ := range [][]string{{"HOME=" + home}, {"HOME=/nonexistent"}, nil} {
		s := search.New(sidecar(t), runner(), search.DefaultConfig(), environ)
		assert.Equal(t, []string{"a.secret"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle"})))
	}
}

// BurntSushi/ripgrep#2492; anthropics/claude-code#77488.
func TestCaseS55NestedWorktrees(t *testing.T) {
	root := coretest.Tree(t, ".git/HEAD: x", "a.txt: x", ".worktrees/w1/.git: gitdir: x", ".worktrees/w1/a.txt: x", ".claude/worktrees/w2/.git: gitdir: x", ".claude/worktrees/w2/d/a.txt: x", "src/worktrees/plain/a.txt: x")
	s := pinned(t)
	r := glob(t, s, root, "a.txt", "")
	assert.Equal(t, []string{"a.txt", ".worktrees/w1/a.txt", ".claude/worktrees/w2/d/a.txt", "src/worktrees/plain/a.txt"}, r.Paths)
	assert.Equal(t, []string{"NESTED_WORKTREE 2 of 4 paths are in nested worktrees, which hold copies of the tree: .worktrees/w1, .claude/worktrees/w2"}, notes(r.Report))
	// Whoever works in one is not told.
	assert.Empty(t, notes(glob(t, s, root+"/.worktrees/w1", "a.txt", "").Report))
	assert.Empty(t, notes(glob(t, s, root, "a.txt", ".worktrees/w1").Report))
	// grep skips them as hidden.
	assert.Equal(t, []string{"a.txt", "src/worktrees/plain/a.txt"}, files(grep(t, s, root, search.GrepRequest{Pattern: "x"})))
	require.NoError(t, os.RemoveAll(root+"/.claude"))
	assert.Equal(t, []string{"NESTED_WORKTREE 1 of 3 paths is in nested worktrees, which hold copies of the tree: .worktrees/w1"}, notes(glob(t, s, root, "a.txt", "").Report))
}
