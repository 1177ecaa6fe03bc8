package search_test

import (
	"context"
	"errors"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// oddTree has names that are hard for patterns.
var oddTree = []string{
	"a", "b.ts", "c,d", "#h", "sp ", "tab\t", "x-y", "[x]", "{a}", "a*b", `back\slash`, "é", "!neg", "^c", "~", "a}", "[", "..x", "a b/c", "line\nend",
	"src/a", "src/b.ts", "src/.hid", "src/deep/er/a", "src/deep/b.ts", "src/[x]", "lib/a", "lib/src/a", ".dot/f", "[d]/a", "[d]/[x]", "{a}x/b", "dir/dir/dir", "#d/a", "!d/b", "sq /x",
}

// plain writes a pattern the one way that ripgrep understands: without "./" at
// the start, and without empty and "." components among the literal directories
// at its start. It is written apart from the code under test.
func plain(pattern string) string {
	for strings.HasPrefix(pattern, "./") {
		pattern = strings.TrimLeft(pattern[2:], "/")
		if strings.HasPrefix(pattern, "!") {
			pattern = `\` + pattern
		}
	}
	if pattern == "" {
		return "."
	}
	parts := strings.Split(pattern, "/")
	kept := []string{}
	for i, part := range parts {
		if i == len(parts)-1 || strings.ContainsAny(part, `*?[{}`) || endsInBackslash(part) {
			kept = append(kept, parts[i:]...)
			break
		}
		if bare := strings.ReplaceAll(part, `\.`, "."); bare != "" && bare != "." {
			kept = append(kept, part)
		}
	}
	text := strings.Join(kept, "/")
	if len(kept) > 1 || len(kept) < len(parts) {
		text = "/" + text
	}
	return text
}

func endsInBackslash(s string) bool {
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// expected asks ripgrep itself, in the root and about everything, for what a
// pattern matches, and adds what it spells.
func expected(t *testing.T, root string, all []string, pattern string) (want []string, rejected bool) {
	text := plain(pattern)
	clean := ripgrep.CleanGlob(text)
	listed := func(glob string) ([]string, error) {
		return run(t, root, "--files", "--null", "--no-ignore", "--hidden", "--glob="+glob, "--", ".")
	}
	out, err := listed(clean)
	rejected = err != nil
	for _, spelled := range spelledAs(text) {
		more, _ := listed(ripgrep.CleanGlob(spelled))
		out = append(out, more...)
	}
	want = []string{}
	for _, name := range all {
		spelled := strings.TrimPrefix(text, "/") == name || !strings.Contains(text, "/") && !rejected && path.Base(name) == text
		if slices.Contains(out, name) || spelled {
			want = append(want, name)
		}
	}
	return want, rejected && len(want) == 0
}

// spelledAs are the other readings of a valid pattern, made by hand: brackets and
// braces of any choice of components as characters, and braces with an empty
// alternative left out.
func spelledAs(text string) (all []string) {
	if _, err := ripgrep.ParseGlob(ripgrep.CleanGlob(text)); err != nil || strings.HasSuffix(text, "/") {
		return nil
	}
	parts := strings.Split(text, "/")
	for choice := 1; choice < 1<<len(parts) && len(parts) < 8; choice++ {
		read := slices.Clone(parts)
		for i := range read {
			if choice>>i&1 == 1 {
				read[i] = regexp.MustCompile(`\\?[\[\]{}]|\\.`).ReplaceAllStringFunc(read[i], func(s string) string {
					if s[0] == '\\' {
						return s
					}
					return `\` + s
				})
			}
		}
		all = append(all, strings.Join(read, "/"))
	}
	for range 4 { // the innermost first
		text = regexp.MustCompile(`\{,*\}`).ReplaceAllString(text, "")
	}
	return append(all, text)
}

func checkHygiene(t *testing.T, s *search.Searcher, root string, all []string, pattern string) {
	t.Helper()
	if outside(pattern) {
		return // other tests lead out of the tree, where much may lie
	}
	r, err := s.Glob(context.Background(), root, search.GlobRequest{Pattern: pattern})
	var argument *search.ArgumentError
	if errors.As(err, &argument) {
		refused := strings.TrimSpace(pattern) == "" || strings.HasPrefix(pattern, "!") || strings.ContainsRune(pattern, 0) || !utf8.ValidString(pattern)
		assert.True(t, refused, "%q: %v", pattern, err)
		return
	}
	if strings.HasSuffix(pattern, "/") && strings.HasSuffix(strings.TrimRight(pattern, "/."), `\`) {
		// No file matches. ripgrep takes a backslash before the last slash away,
		// even one that is escaped itself, and then may reject what is left.
		if err == nil {
			assert.Empty(t, r.Paths, "%q", pattern)
		}
		return
	}
	want, rejected := expected(t, root, all, pattern)
	if rejected {
		if assert.Error(t, err, "%q is rejected by ripgrep", pattern) {
			assert.Equal(t, search.InvalidPattern, failure(t, err).Code, "%q: %v", pattern, err)
		}
		return
	}
	if !assert.NoError(t, err, "%q", pattern) {
		return
	}
	got := slices.Clone(r.Paths)
	slices.Sort(got)
	assert.Equal(t, want, got, "%q", pattern)
}

// outside reports whether a pattern may lead out of the tree, or somewhere that
// the plain form does not say.
func outside(pattern string) bool {
	parts := strings.Split(pattern, "/")
	if slices.ContainsFunc(parts, func(p string) bool { return strings.ReplaceAll(p, `\`, "") == ".." }) {
		return true
	}
	first := strings.TrimLeft(pattern, "./")
	if first, _, _ = strings.Cut(first, "/"); strings.HasPrefix(strings.TrimLeft(pattern, "."), "/") && first != "" {
		_, err := os.Lstat("/" + strings.ReplaceAll(first, `\`, ""))
		return err == nil
	}
	return false
}

func hygieneTree(t testing.TB) (root string, all []string) {
	root = coretest.Tree(t, oddTree...)
	all = slices.Clone(oddTree)
	slices.Sort(all)
	return root, all
}

func TestHygieneAgainstRipgrep(t *testing.T) {
	root, all := hygieneTree(t)
	s := pinned(t)
	for _, pattern := range []string{
		"*", "**", "a", "/a", "src/*", "src/**", "./src/*", "src/./a", "src//a", "/src/a", "//src//*", "[x]", "[d]/[x]", "[d]/a", `\[d\]/*`, "{a}", "a}", "{a}x/*", "[", "src/[", "src/[x]", "{src,lib}/a", "{src/deep,lib}/**",
		"#h", "#d/*", "!d", "./!d/*", "./!neg", `\!neg`, "sp ", "sq /*", "sq /x ", "~", "~/x", "..x", "x-y", `back\slash`, `back\\slash`, `src\/a`, `src/\a`, `s\rc/a`, "line\nend", "a b/c", "*/", "src/", ".", "./", "/", "//", "é", "?", "src/**/a", "**/deep/*", "a*b", `a\*b`,
		"src/*/er/a", "*/*/*/*", "?rc/a", "[!x]rc/a", "src[!x]a", "src/deep/../a", `\./a`, `src/\./a`, `\\/`, `src\/`,
	} {
		checkHygiene(t, s, root, all, pattern)
	}
}

func FuzzHygiene(f *testing.F) {
	root, all := hygieneTree(f)
	s := pinned(f)
	for _, seed := range []string{"*", "./!d/*", "src/./[x]", "{src,lib}/**", `s\rc/a`, "sq /*", "#d/?", "[d]/[x]", "//src//*", "a}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 200 {
			t.Skip("long patterns are slow to fuzz and no different")
		}
		checkHygiene(t, s, root, all, pattern)
	})
}
