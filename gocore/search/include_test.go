package search_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// Rule: include narrows, never widens.
func TestIncludeNarrows(t *testing.T) {
	root := coretest.Tree(t, ".git/", ".gitignore: ignored/\n*.log\n!keep.log\n", "a.go: x", "b.py: x", "ignored/c.go: x", "d.log: x", "keep.log: x",
		".hidden.go: x", ".github/w.yml: x", "sub/.ignore: *.go\n!.shown.go\n!e.txt\n", "sub/f.go: x", "sub/.shown.go: x", "sub/e.txt: x", "sub/g.md: x", "deep/a/b/h.go: x", "deep/i.md: x",
		"nested/.git/", "nested/.gitignore: *.go", "nested/j.go: x", "nested/k.py: x")
	s := pinned(t)
	for include, want := range map[string][]string{
		"*":                            {"a.go", "b.py", "deep/a/b/h.go", "deep/i.md", "keep.log", "nested/k.py", "sub/.shown.go", "sub/e.txt", "sub/g.md"},
		"**":                           {"a.go", "b.py", "deep/a/b/h.go", "deep/i.md", "keep.log", "nested/k.py", "sub/.shown.go", "sub/e.txt", "sub/g.md"},
		"*.go":                         {"a.go", "deep/a/b/h.go", "sub/.shown.go"},
		"c.go":                         {}, // ignored
		"ignored/**":                   {},
		"*.log":                        {"keep.log"},
		"d.log":                        {},
		".hidden.go":                   {},
		".*":                           {"sub/.shown.go"},
		".github/**":                   {},
		"*.yml":                        {},
		"*.txt":                        {"sub/e.txt"},
		"*.md":                         {"deep/i.md", "sub/g.md"}, // though the repository's own file brings e.txt back
		"deep/**":                      {"deep/a/b/h.go", "deep/i.md"},
		"/deep/*":                      {"deep/i.md"},
		"./deep/*":                     {"deep/i.md"},
		"deep/*/b/*":                   {"deep/a/b/h.go"},
		"**/b/*":                       {"deep/a/b/h.go"},
		"{deep/a,sub}/**":              {"deep/a/b/h.go", "sub/.shown.go", "sub/e.txt", "sub/g.md"},
		"deep//a/./b/*.go":             {"deep/a/b/h.go"},
		".//deep/*":                    {"deep/i.md"},
		"//a.go":                       {"a.go"},
		"*.{py,md}":                    {"b.py", "deep/i.md", "nested/k.py", "sub/g.md"},
		"j.go":                         {},
		"deep":                         {},
		"deep/":                        {},
		"../*":                         {},
		root + "/deep/*":               {"deep/i.md"},
		root + "/*.go":                 {"a.go"},
		"/" + root + "/deep/a/**":      {"deep/a/b/h.go"},
		filepath.Dir(root) + "/*/a.go": {},
	} {
		assert.Equal(t, want, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Include: include})), include)
	}
	// A root that lies in what is hidden or ignored is searched as it is asked for.
	assert.Equal(t, []string{".github/w.yml"}, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: ".github", Include: "*.yml"})))
	assert.Equal(t, []string{"ignored/c.go"}, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "ignored", Include: "*.go"})))
	// A worktree's metadata is a file, and its ignore files count all the same.
	require.NoError(t, os.RemoveAll(root+"/nested/.git"))
	require.NoError(t, os.WriteFile(root+"/nested/.git", []byte("gitdir: elsewhere\n"), 0o600))
	assert.Equal(t, []string{"nested/k.py"}, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "nested"})))
	assert.Empty(t, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "nested", Include: "*.go"})))
}

// A file that path names is searched whatever include says, and told.
func TestIncludeWithAFile(t *testing.T) {
	root := coretest.Tree(t, "a.go: x", "[a].go: x")
	s := pinned(t)
	g := grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "a.go", Include: "*.py"})
	assert.Equal(t, []string{"a.go"}, files(g))
	assert.Equal(t, []string{"INCLUDE_NOT_APPLIED path names a file, which was searched although include does not match it"}, notes(g.Report))
	for _, include := range []string{"*.go", "a.go", "*", "./a.go", "/a.go"} {
		assert.Empty(t, notes(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "a.go", Include: include}).Report), include)
	}
	assert.Empty(t, notes(grep(t, s, root, search.GrepRequest{Pattern: "x", Path: "[a].go", Include: "[a].go"}).Report))
}

// Rule: the machine's own ignore files change nothing, the repository's do.
func TestGlobalIgnoreFiles(t *testing.T) {
	root := coretest.Tree(t, ".git/info/exclude: excluded", "a.secret: needle", "b.txt: needle", "excluded: needle", ".gitignore: ignored", "ignored: needle")
	home := coretest.Tree(t, ".config/git/ignore: *.secret\nb.txt", ".gitconfig: [core]\nexcludesFile = ~/extra", "extra: *", ".rgignore: *", "ripgreprc: --hidden")
	s := search.New(ripgrep.At(coretest.Ripgrep(t)), runner(), search.DefaultConfig(), []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/.config", "RIPGREP_CONFIG_PATH=" + home + "/ripgreprc"})
	assert.Equal(t, []string{"a.secret", "b.txt"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle"})))
	assert.Equal(t, []string{"a.secret"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Include: "*.secret"})))
	assert.Contains(t, glob(t, s, root, "*", "").Paths, "a.secret")
}

// A slip in a repository's ignore file is no unreadable path.
func TestIgnoreFilesWithSlips(t *testing.T) {
	root := coretest.Tree(t, ".ignore: a{b\nskip", "a: x", "skip: x", "locked/")
	s := pinned(t)
	g := grep(t, s, root, search.GrepRequest{Pattern: "x"})
	assert.Equal(t, []string{"a"}, files(g))
	assert.Empty(t, g.Warnings)
}

// Where nobody reads the pipe, include still narrows.
func TestIncludeThatRipgrepIsNotTold(t *testing.T) {
	root := coretest.Tree(t, "a.go: x", "b.py: x", ".c.go: x")
	long := "{*.go," + strings.Repeat("y", 20_000) + "}"
	s, path := fake(t, coretest.Fake{Stdout: hit("./a.go", 1, "x") + hit("./b.py", 1, "x") + summary})
	assert.Equal(t, []string{"a.go"}, files(grep(t, s, root, search.GrepRequest{Pattern: "x", Include: long})))
	seen, err := coretest.ReadSeen(path)
	require.NoError(t, err)
	assert.NotContains(t, strings.Join(seen.Args, " "), "--ignore-file")
	assert.Equal(t, []string{"a.go"}, files(grep(t, pinned(t), root, search.GrepRequest{Pattern: "x", Include: long})))
}

// run asks ripgrep itself and returns the paths that it prints. The error is what
// it says when it rejects the question.
func run(t *testing.T, root string, args ...string) (paths []string, err error) {
	t.Helper()
	cmd := exec.Command(coretest.Ripgrep(t), append([]string{"--no-config"}, args...)...)
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // status 1 is none
	if stderr.Len() > 0 {
		err = errors.New(stderr.String())
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			paths = append(paths, strings.TrimPrefix(name, "./"))
		}
	}
	return paths, err
}

// searched asks ripgrep which files a search of the tree opens.
func searched(t *testing.T, root string, args ...string) []string {
	t.Helper()
	all, _ := run(t, root, append([]string{"--no-ignore-global", "--no-ignore-messages", "--files-with-matches", "--null", "x"}, append(args, "--", ".")...)...)
	slices.Sort(all)
	return all
}

// On random trees, a search with include finds just the files that ripgrep
// searches without it and that its own --glob matches.
func TestIncludeAgainstRipgrep(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	names := []string{"a.go", "b.go", "c.py", "d.txt", ".h.go", ".env", "src", "lib", ".hid", "build", "keep"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	rules := []string{"*.go", "*.py", "build", "build/", "/src", "src/*", "!keep", "!*.go", "!.h.go", "!.hid", "!.hid/", "**/lib", "*", "!*/", "a.*", "!src/a.go", ".env", "lib/**", "!lib/**", "#x", "\\!x", "[ab].go"}
	includes := []string{"*.go", "*", "**", "src/*", "src/**", "**/src/*.go", ".*", "*.{go,py}", "/a.go", "{src,lib}/**", "[ab].go", "keep", "*/a.go", "**/.hid/**", ".hid/*", "lib/**/*.py", "!x"[1:], "a*", "src", "build/**"}
	s := pinned(t)
	for round := range 60 {
		root := coretest.Tree(t)
		for range 25 {
			parts := []string{}
			for range 1 + r.IntN(3) {
				parts = append(parts, pick([]string{"src", "lib", ".hid", "build", "keep", "deep"}))
			}
			file := strings.Join(append(parts[:r.IntN(len(parts)+1)], pick(names)), "/")
			if os.MkdirAll(filepath.Dir(root+"/"+file), 0o755) == nil {
				_ = os.WriteFile(root+"/"+file, []byte("x"), 0o600) // a directory may be in the way
			}
		}
		if r.IntN(2) == 0 {
			_ = os.Mkdir(root+"/.git", 0o755)
		}
		for _, where := range []string{"", "src/", ".hid/", "deep/"} {
			for _, kind := range []string{".gitignore", ".ignore", ".rgignore"} {
				if r.IntN(3) == 0 {
					_ = os.WriteFile(root+"/"+where+kind, []byte(pick(rules)+"\n"+pick(rules)+"\n"), 0o600)
				}
			}
		}
		all := searched(t, root)
		for range 6 {
			include := pick(includes)
			matching := searched(t, root, "--no-ignore", "--hidden", "--glob="+include)
			want := []string{}
			for _, name := range all {
				if slices.Contains(matching, name) {
					want = append(want, name)
				}
			}
			got := files(grep(t, s, root, search.GrepRequest{Pattern: "x", Include: include}))
			if !assert.Equal(t, want, got, "round %d, include %q", round, include) {
				logTree(t, root)
				return
			}
		}
	}
}

func logTree(t *testing.T, root string) {
	_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := os.ReadFile(path)
			t.Logf("%s: %q", strings.TrimPrefix(path, root), text)
		}
		return nil
	})
}
