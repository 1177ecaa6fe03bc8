package pattern

import (
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExtendedPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no []string
	}{
		{"@(a|b).txt", []string{"a.txt", "b.txt"}, []string{"c.txt", ".txt", "ab.txt"}},
		{"?(a).txt", []string{"a.txt"}, []string{"aa.txt", "b.txt"}},
		{"+(a|b)", []string{"a", "ab", "bba"}, []string{"c", "abc"}},
		{"x*(ab)", []string{"x", "xab", "xabab"}, []string{"xa", "xaba"}},
		{"!(a|b)", []string{"c", "ab"}, []string{"a", "b", ".c"}},
		{"!(*.o)", []string{"a", "a.c"}, []string{"a.o", ".a"}},
		{"@(.a|b)", []string{"b"}, []string{"a"}},
		{"?(x).a", []string{"x.a"}, []string{"y.a"}},
		{"+(?|b)c", []string{"ac", "abc"}, []string{"c", ".c"}},
	} {
		mask := slices.Repeat([]byte{1}, len(tt.pattern))
		p, err := Compile([]byte(tt.pattern), mask, Options{Dialect: Bash, Extended: true})
		require.NoError(t, err, tt.pattern)
		assert.True(t, p.HasMeta(), tt.pattern)
		for _, n := range tt.yes {
			assert.Equal(t, Yes, p.Match(n), "%s %s", tt.pattern, n)
		}
		for _, n := range tt.no {
			assert.Equal(t, No, p.Match(n), "%s %s", tt.pattern, n)
		}
	}
	for _, w := range []string{"@(.a|b)", "?(x).a"} {
		p, err := Compile([]byte(w), slices.Repeat([]byte{1}, len(w)), Options{Dialect: Bash, Extended: true})
		require.NoError(t, err)
		assert.Equal(t, Maybe, p.Match(".a"), "%s: bash decides about leading dots", w)
	}
	hard := "+(+(+(+(a|aa)|aaa)|a)|+(a))b"
	p, err := Compile([]byte(hard), slices.Repeat([]byte{1}, len(hard)), Options{Dialect: Bash, Extended: true})
	require.NoError(t, err)
	assert.NotEqual(t, Yes, p.Match(strings.Repeat("a", 200)), "it ends, and claims nothing")
}

// Extended patterns are compared with bash's own expansion.
func TestExtendedAgainstBash(t *testing.T) {
	shell := shellOrSkip(t, "bash")
	names := []string{"a", "b", "c", "aa", "ab", "ba", "abc", "a.t", "b.t", ".a", ".b", ".t", "..x", "a.b.t", "-r", "x", "xab", "ta"}
	dir := mkdirOf(t, names)
	parts := []string{"a", "b", ".", "t", "*", "?", "x", "ab", ".t", ".a"}
	ops := "?*+@!"
	r := rand.New(rand.NewPCG(11, 3))
	var one func(depth int) string
	one = func(depth int) string {
		var b strings.Builder
		for n := 1 + r.IntN(2); n > 0; n-- {
			if depth < 3 && r.IntN(3) == 0 {
				b.WriteByte(ops[r.IntN(len(ops))])
				b.WriteByte('(')
				for k := 1 + r.IntN(3); k > 0; k-- {
					b.WriteString(one(depth + 1))
					if k > 1 {
						b.WriteByte('|')
					}
				}
				b.WriteByte(')')
			} else {
				b.WriteString(parts[r.IntN(len(parts))])
			}
		}
		return b.String()
	}
	var words []string
	for len(words) < oracleWords(t) {
		if w := one(0); strings.Contains(w, "(") {
			words = append(words, w)
		}
	}
	var script strings.Builder
	script.WriteString("shopt -s extglob nullglob\n")
	for _, w := range words {
		script.WriteString("printf '%s\\0' " + w + " /\n")
	}
	cmd := exec.Command(shell, "--norc", "--noprofile")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(script.String()), []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	require.NoError(t, err)
	answers := strings.Split(string(out), "/\x00")
	require.Len(t, answers, len(words)+1)
	over := 0
	for i, w := range words {
		got := strings.Split(answers[i], "\x00")
		p, err := Compile([]byte(w), slices.Repeat([]byte{1}, len(w)), Options{Dialect: Bash, Extended: true})
		if strings.Contains(w[1:], "!(") && err != nil {
			continue
		}
		require.NoError(t, err, w)
		for _, n := range names {
			switch in := slices.Contains(got, n); {
			case in && p.Match(n) == No:
				t.Errorf("%s matches %q, missed", w, n)
			case !in && p.Match(n) != No:
				over++
			}
		}
	}
	t.Logf("%d words, %d names over-reported", len(words), over)
	assert.Less(t, over, len(words)/2, "names with a leading dot, which nested operators may let through")
}
