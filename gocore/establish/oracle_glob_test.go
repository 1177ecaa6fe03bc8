//go:build unix

package establish

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/execenv"
	"github.com/hydraharness/harness-runtime/gocore/resolve"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// nastyTree is a tree of what patterns trip over: leading dots, brackets,
// dashes, bytes that are no characters, links in and out, up, to themselves and
// to nothing.
func nastyTree(t testing.TB) (root string) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root = base + "/r"
	for _, d := range []string{"src/sub", "src/.hd", "d1", "d2/.x", ".dot/..odd", "[ab]", "é", "a-b/c", "s[r"} {
		require.NoError(t, os.MkdirAll(root+"/"+d, 0o755))
	}
	require.NoError(t, os.MkdirAll(base+"/out/d", 0o755))
	for _, f := range []string{
		"a", "b", "c", "a.txt", "b.txt", "A.TXT", "1.txt", "-r", "-n.x", ".hidden", ".a.txt", "..x", "[x].txt", "[a]", "*", "?",
		"]", "^a", "!a", "sp ace", "new\nline", "é.dat", "€.dat", "\xff.dat", "a\xffb", "ж", "č", "n\u0303", "a\\b", "src/main.go",
		"src/.env", "src/a", "src/sub/deep.txt", "src/sub/a", "src/.hd/a", "d1/a", "d1/b", "d2/.x/a", "d2/c", ".dot/a", ".dot/..odd/a",
		"[ab]/a", "é/a", "a-b/c/a", "s[r/]c", "../out/secret", "../out/a", "../out/d/a", "../out/d/.h", "../out/d/s.txt",
	} {
		require.NoError(t, os.WriteFile(root+"/"+f, nil, 0o644), "%q", f)
	}
	for l, to := range map[string]string{
		"lo": "../out/d", "li": "src", "lf": "a.txt", "dang": "nowhere", "loop": "loop", "self": ".", "up": "src/sub",
		"src/back": "..", "d1/lo": "../../out", "d2/dang": "no/where", "abs": base + "/out", ".dl": "d1", "-l": "../out", "é/l": "../d1",
	} {
		require.NoError(t, os.Symlink(to, root+"/"+l))
	}
	return root
}

var globPieces = []string{
	"*", "?", "[", "]", "!", "^", "-", ".", "..", "a", "b", "c", "x", "d", "s", "é", "€", "\xff", "č", "1", "l",
	"[a-c]", "[!a]", "[^a]", "[[:alpha:]]", "[[:digit:]]", "[[:upper:]]", "[[:nope:]]", "[]a]", "[.]", "[-a]", "[a-", "[à-ü]",
	".*", "*.txt", "a*", "?*", "**", "src", "sub", "lo", "li", "up", "self", "d1", "d2", "abs", "dang", "[ls]*", ".[!.]*", "-*",
}

// globWord makes a word of up to four components with random quoting.
func globWord(r *rand.Rand, root string) shellplan.Word {
	var w shellplan.Word
	add := func(s string, quoted bool) {
		for i := range len(s) {
			m := shellplan.MaskActive
			if s[i] < 0x80 && (quoted || r.IntN(16) == 0) {
				m = shellplan.MaskQuoted
			}
			w.Raw, w.Mask = append(w.Raw, s[i]), append(w.Mask, m)
		}
	}
	if r.IntN(12) == 0 {
		add(root+"/", false)
	}
	for n := 1 + r.IntN(4); n > 0; n-- {
		for k := 1 + r.IntN(3); k > 0; k-- {
			add(globPieces[r.IntN(len(globPieces))], r.IntN(8) == 0)
		}
		if n > 1 || r.IntN(8) == 0 {
			add("/", false)
		}
		if r.IntN(12) == 0 {
			add("/", false)
		}
	}
	for i, c := range w.Raw {
		if w.Mask[i] == shellplan.MaskActive && strings.IndexByte("*?[", c) >= 0 {
			w.Pattern = true
		}
	}
	return w
}

// shellText spells a word so that a shell reads the same bytes and quoting.
func shellText(w shellplan.Word) string {
	var b strings.Builder
	for i, c := range w.Raw {
		if w.Mask[i] == shellplan.MaskQuoted || strings.IndexByte(" \t'\"\\$`&;<>()|#~{}", c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// askShell expands words in a real shell.
func askShell(t *testing.T, shell, locale, dir string, words []shellplan.Word) [][]string {
	var script bytes.Buffer
	for _, w := range words {
		script.WriteString("printf '%s\\0' " + shellText(w) + " //\n")
	}
	args := []string{}
	if strings.HasSuffix(shell, "bash") {
		args = []string{"--norc", "--noprofile"}
	}
	cmd := exec.Command(shell, args...)
	cmd.Dir, cmd.Stdin = dir, &script
	cmd.Env = []string{"LC_ALL=" + locale, "PATH=/usr/bin:/bin"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var all [][]string
	var one []string
	for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if f == "//" {
			all, one = append(all, one), nil
			continue
		}
		one = append(one, f)
	}
	require.Len(t, all, len(words), stderr.String())
	return all
}

// Expansion against the real shells: every name that the shell hands a command
// is among ours and leads where the kernel says.
func TestOracleExpansion(t *testing.T) {
	total := oracleCount(t, "ESTABLISH_ORACLE_WORDS", 1500)
	for _, tt := range []struct {
		shell, locale string
		profile       shellplan.Shell
	}{
		{"bash", "C", shellplan.Shell{Dialect: shellplan.DialectBash, Version: 502, Locale: shellplan.LocaleC}},
		{"bash", "C.UTF-8", shellplan.Shell{Dialect: shellplan.DialectBash, Version: 502, Locale: shellplan.LocaleUTF8}},
		{"dash", "C", shellplan.Shell{Dialect: shellplan.DialectDash, Locale: shellplan.LocaleC}},
		{"dash", "C.UTF-8", shellplan.Shell{Dialect: shellplan.DialectDash, Locale: shellplan.LocaleUTF8}},
		// What is not known takes every reading.
		{"bash", "C", shellplan.Shell{Dialect: shellplan.DialectPosix}},
		{"bash", "C.UTF-8", shellplan.Shell{Dialect: shellplan.DialectPosix}},
		{"dash", "C", shellplan.Shell{Dialect: shellplan.DialectPosix}},
	} {
		shell, err := exec.LookPath(tt.shell)
		if err != nil {
			t.Skipf("no %s on this machine: the expansion oracle needs it", tt.shell)
		}
		exact := tt.profile.Dialect != shellplan.DialectPosix
		n := total
		if !exact {
			n = total / 5
		}
		root := nastyTree(t)
		r := rand.New(rand.NewPCG(oracleSeed(t), uint64(tt.profile.Dialect)))
		var stats oracleStats
		for done := 0; done < n; {
			var words []shellplan.Word
			for len(words) < 2000 && done < n {
				if w := globWord(r, root); w.Pattern {
					words = append(words, w)
					done++
				}
			}
			for i, got := range askShell(t, shell, tt.locale, root, words) {
				compareExpansion(t, root, words[i], &tt.profile, got, &stats)
				if t.Failed() {
					t.Fatalf("%s %s: %s", tt.shell, tt.locale, shellText(words[i]))
				}
			}
		}
		t.Logf("%s %s as %s: %d words, %d names handed over, 0 missed; %d words without an answer, %d names too many in %d words",
			tt.shell, tt.locale, tt.profile.Dialect, n, stats.names, stats.unanswered, stats.over, stats.overWords)
		if exact && tt.profile.Locale == shellplan.LocaleC {
			assert.LessOrEqual(t, stats.overWords*200, n, "nearly every answer is exact")
		}
	}
}

type oracleStats struct{ names, unanswered, over, overWords int }

func compareExpansion(t *testing.T, root string, w shellplan.Word, sh *shellplan.Shell, want []string, stats *oracleStats) {
	run := newRun(context.Background(), execenv.Host{}, &Boundary{}, defaultBounds)
	from := resolve.Dir{Base: root, State: Canonical}
	b := budget{bounds: defaultBounds}
	ex, f, err := run.expand(&from, &w, sh, resolve.Options{Follow: true}, &b, nil)
	require.NoError(t, err)
	if f != nil {
		stats.unanswered++
		return
	}
	places := map[string]resolve.Place{}
	for _, m := range ex.found {
		places[oneSlash(m.spelled)] = m.place
	}
	if ex.literal {
		p, err := run.resolve(&from, string(w.Raw), resolve.Options{Follow: true})
		require.NoError(t, err)
		if raw := oneSlash(string(w.Raw)); places[raw].Path == "" {
			places[raw] = p
		}
	}
	for _, name := range want {
		stats.names++
		name = oneSlash(name)
		p, ok := places[name]
		if !ok {
			t.Errorf("the shell hands over %q, we have %q", name, slices.Sorted(keysOf(places)))
			return
		}
		kernel, kerr := execenv.Host{}.CanonicalPath(context.Background(), absoluteIn(root, name))
		if kerr == nil && (p.Path != kernel || p.State != Canonical) {
			t.Errorf("%q is at %q, we say %+v", name, kernel, p)
		}
		delete(places, name)
	}
	if len(places) > 0 {
		stats.over += len(places)
		stats.overWords++
	}
}

// oneSlash makes runs of slashes one: shells differ on how many they hand over,
// and it is the same path.
func oneSlash(s string) string {
	for strings.Contains(s, "//") {
		s = strings.ReplaceAll(s, "//", "/")
	}
	return s
}

func absoluteIn(root, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return root + "/" + name
}

func keysOf(m map[string]resolve.Place) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
