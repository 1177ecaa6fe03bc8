package ripgrep_test

import (
	"bytes"
	"fmt"
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
)

// globTree has names that are hard for globs. The pinned ripgrep lists it for
// every pattern of these tests: it is the oracle.
var globTree = []string{
	"a.ts", "b.tsx", "c,d.js", "#h.txt", "sp ", "tab\t", "x-y", "[x].txt", "{a}.txt", "a*b", "back\\slash", "é.txt", "日本.md",
	"src/a.ts", "src/.hid.ts", "src/deep/er/c.ts", "src/deep/d.tsx", "lib/a.ts", "lib/src/e.ts", ".dot/f.ts", "a/b/c/d.ts", "a/b.ts", "!neg", "^c", "dir/dir/dir",
}

func listing(t testing.TB, rg, root string, args ...string) ([]string, bool) {
	cmd := exec.Command(rg, append([]string{"--no-config", "--files", "--null", "--no-ignore", "--hidden"}, append(args, "--", ".")...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && stderr.Len() > 0 {
		return nil, false
	}
	var paths []string
	list := ripgrep.List{Path: func(rel []byte) error { paths = append(paths, string(rel)); return nil }}
	_, err = list.Write(out)
	require.NoError(t, err)
	require.NoError(t, list.Close())
	slices.Sort(paths)
	return paths, true
}

func plant(t testing.TB) string {
	root := t.TempDir()
	for _, name := range globTree {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	return root
}

// checkGlob compares our reading of a pattern with ripgrep's.
func checkGlob(t testing.TB, rg, root string, all []string, pattern string) {
	clean := ripgrep.CleanGlob(pattern)
	want, accepted := listing(t, rg, root, "--glob="+clean)
	glob, err := ripgrep.ParseGlob(clean)
	if !accepted {
		assert.Error(t, err, "%q is rejected by ripgrep", pattern)
		return
	}
	if !assert.NoError(t, err, "%q is accepted by ripgrep", pattern) {
		return
	}
	var got []string
	for _, path := range all {
		if glob.Match(path) {
			got = append(got, path)
		}
	}
	assert.Equal(t, want, got, "pattern %q", pattern)
}

func TestGlobMatchesWhatRipgrepMatches(t *testing.T) {
	rg, root := coretest.Ripgrep(t), plant(t)
	all, ok := listing(t, rg, root)
	require.True(t, ok)
	for _, pattern := range []string{
		"*", "**", "*.ts", "a.ts", "/a.ts", "src/*.ts", "src/**", "**/src/**", "src/**/*.ts", "**/", "src/", "*.{ts,tsx}", "*.{t{s,sx},js}",
		"[ab].ts", "[!a].ts", "[^a].ts", "[a-c]*", "[]x]*", "[[]x[]].txt", `\{a\}.txt`, `a\*b`, "a*b", "#h.txt", "sp ", "tab\t", "??.txt", "?.txt", "[é].txt", "日*",
		"c,d.js", "{a,b}/**", "{a,}.ts", "{,a}.ts", "{}", "a{b", "a}", "[", "[z-a]", `a\`, "[a-]", "[-a]*", "x[-]y", "a/**/d.ts", "a**", "**a", "a**b", "a/**b", "**/**/a.ts", "dir/**/dir", "***", "{**/a.ts,x}", "{src,lib}/**",
		"{src/**,lib}", "/**/a.ts", "//a.ts", "a//b.ts", `\#h.txt`, `\!neg`, "[!!]neg", "[^", "f{1..3}", "back\\\\slash", "{a,b", "*.{ts,t{sx}", "**/{a,b}.ts*", "{**}", "a/{**,x}/d.ts", "é.txt", "/", "/*", "/**", `\/`, `a\/`, `src\/a.ts`, `src\\/`, `*\/`, `\\/`,
	} {
		checkGlob(t, rg, root, all, pattern)
	}
}

// A blank at the end of a class that is not closed closes nothing.
func TestCleanGlobOfBlanks(t *testing.T) {
	for pattern, want := range map[string]string{
		"x": "x", "x ": "x[ ]", "x  ": "x [ ]", "x\t": "x[\t]", `x\ `: `x\ `, `x\\ `: `x\\ `, `x\` + "\t": "x[\t]", "x\u00a0": "x[\u00a0]", "#x ": `\#x[ ]`,
		"[x ": "[x ", "[ ": "[ ", "[! ": "[! ", "[] ": "[] ", "[!] ": "[!] ", "[x] ": "[x][ ]", "[!]] ": "[!]][ ]", `\[x `: `\[x[ ]`, "[x[ ": "[x[ ", "[a][b ": "[a][b ", `[\] `: `[\][ ]`, "{a ": "{a[ ]",
	} {
		assert.Equal(t, want, ripgrep.CleanGlob(pattern), "%q", pattern)
	}
	for _, pattern := range []string{"[x ", "[ ", "[!] ", "[] ", "[a][b\t"} {
		_, err := ripgrep.ParseGlob(ripgrep.CleanGlob(pattern))
		assert.ErrorContains(t, err, `a "[" is not closed`, "%q", pattern)
	}
}

func TestGlobErrorsSayWhatToWrite(t *testing.T) {
	for pattern, want := range map[string]string{
		"*.{ts,tsx":               `the glob "*.{ts,tsx" is not valid: a "{" is not closed; close it, or write \{ for the character`,
		"a}":                      `the glob "a}" is not valid: a "}" closes no "{"; write \} for the character`,
		"[":                       `the glob "[" is not valid: a "[" is not closed; close it, or write \[ for the character`,
		"[z-a]":                   `the glob "[z-a]" is not valid: a range in brackets runs backwards; write the lower character first`,
		`a\`:                      `the glob "a\\" is not valid: it ends in a lone "\"; write \\ for the character`,
		strings.Repeat("[a", 500): fmt.Sprintf(`the glob %q... (1000 bytes) is not valid: a "[" is not closed; close it, or write \[ for the character`, strings.Repeat("[a", 60)),
	} {
		_, err := ripgrep.ParseGlob(pattern)
		assert.EqualError(t, err, want)
	}
}

// randomGlob composes patterns from the pieces that make a difference.
func randomGlob(r *rand.Rand) string {
	pieces := []string{"*", "**", "?", "/", "/", "{", "}", ",", "[", "]", "!", "^", "-", `\`, "a", "b", "ts", ".", "src", "lib", "dir", "é", " ", "#", "[a-c]", "{a,b}", "**/", "/**", ".ts"}
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func TestGlobMatchesWhatRipgrepMatchesOnRandomPatterns(t *testing.T) {
	rg, root := coretest.Ripgrep(t), plant(t)
	all, ok := listing(t, rg, root)
	require.True(t, ok)
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		pattern := randomGlob(r)
		if strings.HasPrefix(pattern, "!") || strings.TrimSpace(pattern) == "" {
			continue // refused before ripgrep sees them
		}
		checkGlob(t, rg, root, all, pattern)
	}
}

func FuzzGlobMatchesWhatRipgrepMatches(f *testing.F) {
	rg, root := coretest.Ripgrep(f), plant(f)
	all, _ := listing(f, rg, root)
	for _, seed := range []string{"*.ts", "src/**", "{a,b}", "[!a]", `\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if pattern == "" || strings.ContainsRune(pattern, 0) || strings.HasPrefix(pattern, "!") || strings.TrimSpace(pattern) == "" || len(pattern) > 200 || strings.ToValidUTF8(pattern, "") != pattern {
			t.Skip("refused before ripgrep sees it")
		}
		checkGlob(t, rg, root, all, pattern)
	})
}
