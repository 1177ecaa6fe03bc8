package pattern

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oracleWords is how many generated components each shell is asked about;
// PATTERN_ORACLE_WORDS raises it.
func oracleWords(t *testing.T) int {
	if s := os.Getenv("PATTERN_ORACLE_WORDS"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	return 1500
}

func shellOrSkip(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s on this machine: the pattern oracle needs it", name)
	}
	return path
}

// expand asks a real shell what each spelling becomes in dir.
func expand(t *testing.T, shell, locale, dir string, spellings []string) [][]string {
	var script bytes.Buffer
	for _, s := range spellings {
		script.WriteString("printf '%s\\0' " + s + " /\n")
	}
	args := []string{}
	if filepath.Base(shell) == "bash" {
		args = append(args, "--norc", "--noprofile")
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
		if f == "/" {
			all, one = append(all, one), nil
			continue
		}
		one = append(one, f)
	}
	require.Len(t, all, len(spellings), stderr.String())
	return all
}

func mkdirOf(t *testing.T, names []string) string {
	dir := t.TempDir()
	for _, n := range names {
		if n == "." || n == ".." {
			continue
		}
		require.NoError(t, os.WriteFile(dir+"/"+n, nil, 0o600))
	}
	return dir
}

// quote writes a component so that a shell reads the same raw bytes and mask.
func quote(raw, mask []byte) string {
	var b strings.Builder
	for i, c := range raw {
		if mask[i] == 0 || strings.IndexByte(" \t\n'\"\\$`&;<>()|#~{}", c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// TestTableAgainstShells runs the table through the real shells: a name that
// the table says matches must be among what the shell expands to, and one that
// it says does not must not.
func TestTableAgainstShells(t *testing.T) {
	for _, tt := range table {
		if strings.ContainsAny(tt.pattern, "(") {
			continue // a syntax error unless it comes from an expansion
		}
		shell, locale := shellOrSkip(t, "bash"), "C"
		if tt.dialect == Dash {
			shell = shellOrSkip(t, "dash")
		}
		if tt.utf8 {
			locale = "C.UTF-8"
		}
		raw, mask := word(tt.pattern)
		dir := mkdirOf(t, append(slices.Clone(tt.yes), tt.not...))
		got := expand(t, shell, locale, dir, []string{quote(raw, mask)})[0]
		for _, n := range tt.yes {
			if n != "." && n != ".." {
				assert.Contains(t, got, n, "%s %s", locale, tt.pattern)
			}
		}
		for _, n := range tt.not {
			if n != "." && n != ".." && !(len(got) == 1 && got[0] == string(raw)) {
				assert.NotContains(t, got, n, "%s %s", locale, tt.pattern)
			}
		}
	}
}

var nasty = []string{
	"a", "b", "c", "z", "A", "B", "Z", "0", "1", "9", "-", "_", "!", "^", "]", "[", ":", "=", ",", "~", "*", "?", "\\",
	"ab", "abc", "a-c", "a]", "b]", "[a", "[a]", "[]", "[!a]", "a:", ":]", "a.txt", "b.txt", "A.TXT", "-r", "-n.txt",
	".a", ".b.txt", "..x", "...", ".]", "é", "éa", "aé", "É", "à", "ü", "ß", "€", "€uro", "日本", "ñ", "n\u0303",
	"\xff", "a\xff", "\xc3", "é\xff", "\xa9", "sp ace", "new\nline", "tab\t", "+(a)", "a[b", "x]y", "alpha", "[:alpha:]",
	"p]", "h]", "l]", "n]", "[[", "]]", "a\\b", "č", "ж",
}

var pieces = []string{
	"*", "?", "[", "]", "!", "^", "-", ":", "a", "b", "c", "z", "A", "0", "9", ".", ",", "_", "é", "ü", "à", "ß", "€", "\xff", "\xc3", "č",
	"[a-c]", "[!a]", "[^a]", "[[:alpha:]]", "[[:digit:]]", "[[:upper:]]", "[[:nope:]]", "[[:alpha:]", "[:alpha:]", "[]a]", "[!]a]",
	"[a-", "a-c", "**", "*?", "[-a]", "[a-]", "[[:word:]]", "[[:alpha]]", "x]", "[à-ü]", "[é]", "\\",
}

// generate makes one component with random quoting.
func generate(r *rand.Rand) (raw, mask []byte) {
	for n := 1 + r.IntN(5); n > 0; n-- {
		p := pieces[r.IntN(len(pieces))]
		quoted := r.IntN(6) == 0
		for i := range len(p) {
			m := byte(1)
			if quoted || p[i] == '\\' || r.IntN(12) == 0 {
				m = 0
			}
			raw, mask = append(raw, p[i]), append(mask, m)
		}
	}
	// Half a character quoted is not something a text can spell.
	for i := range raw {
		if raw[i] >= 0x80 {
			mask[i] = 1
		}
	}
	return raw, mask
}

func TestRandomAgainstShells(t *testing.T) {
	dir := mkdirOf(t, nasty)
	for _, tt := range []struct {
		shell, locale string
		o             Options
	}{
		{"bash", "C", Options{Dialect: Bash}},
		{"bash", "C.UTF-8", Options{Dialect: Bash, UTF8: true}},
		{"dash", "C", Options{Dialect: Dash}},
		{"dash", "C.UTF-8", Options{Dialect: Dash}},
	} {
		shell := shellOrSkip(t, tt.shell)
		r := rand.New(rand.NewPCG(7, uint64(tt.o.Dialect)))
		words := oracleWords(t)
		var raws, masks [][]byte
		var spellings []string
		for range words {
			raw, mask := generate(r)
			raws, masks = append(raws, raw), append(masks, mask)
			spellings = append(spellings, quote(raw, mask))
		}
		over, unmodelled := 0, 0
		for i, got := range expand(t, shell, tt.locale, dir, spellings) {
			p, err := Compile(raws[i], masks[i], tt.o)
			if err != nil {
				unmodelled++
				continue
			}
			for _, n := range nasty {
				in := slices.Contains(got, n)
				literal := len(got) == 1 && got[0] == string(raws[i])
				switch m := p.Match(n); {
				case in && m == No && !(literal && n == string(raws[i])):
					t.Errorf("%s %s: %s matches %q, missed", tt.shell, tt.locale, spellings[i], n)
				case !in && m == Yes:
					t.Errorf("%s %s: %s does not match %q", tt.shell, tt.locale, spellings[i], n)
				case !in && m == Maybe:
					over++
				}
			}
		}
		t.Logf("%s %s: %d words, %d not modelled, %d names over-reported as maybe", tt.shell, tt.locale, words, unmodelled, over)
	}
}
