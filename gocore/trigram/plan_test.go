package trigram

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

// often is how many times a random test tries: a bounded number, and by hand as
// many as HYDRA_LONG says.
func often(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("HYDRA_LONG")); err == nil && n > 0 {
		return n
	}
	return usual
}

// describe writes a condition so that it can be read.
func describe(c *Condition) string {
	if c.All() {
		return "all"
	}
	var all []string
	for _, run := range c.tri {
		all = append(all, fmt.Sprintf("%q", []byte{byte(run >> 16), byte(run >> 8), byte(run)}))
	}
	for _, sub := range c.and {
		all = append(all, describe(sub))
	}
	var some []string
	for _, sub := range c.or {
		some = append(some, describe(sub))
	}
	if some != nil {
		all = append(all, "("+strings.Join(some, "|")+")")
	}
	return strings.Join(all, " ")
}

func TestMake(t *testing.T) {
	for pattern, want := range map[string]string{
		`needle`:            `"dle" "edl" "eed" "nee"`,
		`ab`:                `all`,
		`abc|xyz`:           `("abc"|"xyz")`,
		`a[bc]d`:            `("abd"|"acd")`,
		`func.*main`:        `"ain" "fun" "mai" "unc"`,
		`(?:foo)+`:          `"foo"`,
		`(?:foo)*`:          `all`,
		`(?:foo)?bar`:       `("bar"|"bar" "foo" "oba" "oob")`,
		`ab{3}`:             `"abb" "bbb"`,
		`foo\sbar`:          `"bar" "foo"`,
		`\bErr[A-Z]\w+ =`:   `"Err"`,
		`foo$`:              `"foo"`,
		`^foo\b`:            `"foo"`,
		`a.b`:               `all`,
		`\x66oo`:            `"foo"`,
		`\x{6b}it`:          `"kit"`,
		`foo[\w.]bar`:       `"bar" "foo"`,
		`[^\x00-\x5f\d]foo`: `"foo"`,
		`\<foo`:             `all`,
		`foo\>`:             `all`,
		`\b{start}foo`:      `all`,
		`foo{,5}`:           `all`,
		`foo{ 1 }`:          `all`,
		`foo{`:              `all`,
		`[a&&b]foo`:         `all`,
		`[a[bc]]foo`:        `all`,
		`(?x) f o o`:        `all`,
		`(?u:foo)`:          `all`,
		`\Qfoo`:             `all`,
		`(foo)\1`:           `all`,
		"foo\ufffdbar":      `all`,
		`foo(?=bar)`:        `all`,
		`foo\nbar`:          `"bar" "foo"`,
		`日本語`:               describe(ofText("日本語")),
		`foo(`:              `all`,
		``:                  `all`,
	} {
		assert.Equal(t, want, describe(Make(Pattern{Text: pattern}).Condition), pattern)
	}
	assert.Equal(t, `"(a|" "a|b" "|b)"`, describe(Make(Pattern{Text: "(a|b)", Literal: true}).Condition))
	assert.Equal(t, `("FOO"|"FOo"|"FoO"|"Foo"|"fOO"|"fOo"|"foO"|"foo")`, describe(Make(Pattern{Text: "foo", Insensitive: true}).Condition))
	assert.Equal(t, `("FOO"|"FOo"|"FoO"|"Foo"|"fOO"|"fOo"|"foO"|"foo")`, describe(Make(Pattern{Text: "(?i)foo"}).Condition))
	assert.True(t, Make(Pattern{Text: "(?i)foo"}).Folds)
	assert.False(t, Make(Pattern{Text: "foo"}).Folds)
	assert.True(t, Make(Pattern{Text: "(?i)[\u0264]foo"}).Folds)
	assert.True(t, Make(Pattern{Text: "\u0264\u0264", Insensitive: true, Literal: true}).All(), "two versions of Unicode fold it differently")
}

// Rule: the condition is small enough to be asked, whatever the pattern.
func TestConditionsAreBounded(t *testing.T) {
	size := func(c *Condition) (n int) {
		var count func(c *Condition)
		count = func(c *Condition) {
			n += len(c.tri)
			for _, sub := range slices.Concat(c.and, c.or) {
				count(sub)
			}
		}
		count(c)
		return n
	}
	for _, pattern := range []string{
		strings.Repeat("(foo|bar|quux)", 100), strings.Repeat("[a-e]", 500), "(?i)" + strings.Repeat("abcdefgh", 1000), strings.Repeat("(a?b)", 1000), "((((abc){8}){8}){8}){8}", strings.Repeat("(?:", 300) + "abc" + strings.Repeat(")+", 300),
	} {
		assert.Less(t, size(Make(Pattern{Text: pattern}).Condition), 100*len(pattern)+20_000, "%.30s", pattern)
	}
}

// Rule: a text in which ripgrep finds a match fulfils the plan of the pattern.
func TestWhatMatchesIsACandidate(t *testing.T) {
	const files, perTree = 120, 60
	rg := coretest.Ripgrep(t)
	random := rand.New(rand.NewPCG(uint64(often(1)), 4))
	pairs, matched, told := 0, 0, 0
	for pairs < often(20_000) {
		dir := t.TempDir()
		names := make([]string, files)
		always := map[string]Text{}
		b := NewBuilder()
		numbered := []string{}
		for i := range names {
			names[i] = fmt.Sprintf("f%03d", i)
			text := randomText(random)
			require.NoError(t, os.WriteFile(dir+"/"+names[i], text, 0o600))
			_, is := b.Add(text)
			if is&Opaque == 0 {
				numbered = append(numbered, names[i])
			}
			always[names[i]] = is
		}
		s := b.Build()
		for range perTree {
			p, args := randomPattern(random), []string{"--no-config", "--files-with-matches", "--crlf", "--no-mmap"}
			if p.Insensitive {
				args = append(args, "--ignore-case")
			}
			if p.Literal {
				args = append(args, "--fixed-strings")
			}
			if strings.ContainsRune(p.Text, 0) {
				continue
			}
			cmd := exec.Command(rg, append(args, "--regexp="+p.Text, "--", ".")...)
			cmd.Dir = dir
			out, _ := cmd.Output()
			plan := Make(p)
			in := map[string]bool{}
			s.Match(plan.Condition).Each(func(n int) { in[numbered[n]] = true })
			for name, is := range always {
				if is&Opaque != 0 || plan.Folds && is&Folds != 0 {
					in[name] = true
				}
			}
			for path := range strings.Lines(string(out)) {
				name := strings.TrimPrefix(strings.TrimSpace(path), "./")
				matched++
				if !in[name] {
					text, _ := os.ReadFile(dir + "/" + name)
					require.Fail(t, "a match is no candidate", "%+v: %s: %q", p, describe(plan.Condition), text)
				}
			}
			pairs += files
			if !plan.All() {
				told++
			}
		}
		os.RemoveAll(dir)
	}
	assert.Positive(t, matched)
	assert.Positive(t, told)
	t.Logf("%d pairs, %d matches, %d plans that tell texts apart", pairs, matched, told)
}

var words = []string{
	"foo", "Foo", "FOO", "needle", "kelvin", "\u212aelvin", "ſtraße", "straSSe", "STRASSE", "İstanbul", "ı", "ɤ\ua7cb", "func main()",
	"x{,5}", "a{2", "<foo>", "{start}", "日本語", "é", "É", "e\u0301", "0123", "٣٤٥", "a&&b", "a--b", "[a]", "tab\tx", "\u00a0", "\u2028", "\ufffd",
	"\xff\xfe", "\xc3", "\x80abc", "foo\rbar", "_id", "Ǆ", "ǅ", "ß", "ẞ", "Ω", "ω", "\u2126", "abc", "abd", "abcabcabc", "aaaa", "kk", "SS", "ss", "ſſ",
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// randomText is a file: mostly words of patterns, some of it not UTF-8, some UTF-16.
func randomText(r *rand.Rand) []byte {
	var b bytes.Buffer
	size := r.IntN(400)
	if r.IntN(60) == 0 {
		size = r.IntN(80_000)
	}
	for b.Len() < size {
		switch r.IntN(6) {
		case 0, 1, 2:
			b.WriteString(pick(r, words...))
		case 3:
			const junk = "abcfksoxKSFO019 _-.(){}[]<>\\\"'#&~/"
			b.WriteByte(junk[r.IntN(len(junk))])
		case 4:
			b.WriteString(pick(r, " ", "\n", "\r\n", "\n\n", "\r"))
		case 5:
			b.WriteByte(byte(1 + r.IntN(255)))
		}
	}
	text := b.Bytes()
	wide := func(mark string, high, low int) []byte {
		out := []byte(mark)
		for _, c := range string(text) {
			if c < 0x10000 {
				out = append(out, byte(c>>high), byte(c>>low))
			}
		}
		return out
	}
	switch r.IntN(12) {
	case 0:
		return wide("\xff\xfe", 0, 8)
	case 1:
		return wide("\xfe\xff", 8, 0)
	case 2:
		return append([]byte("\xef\xbb\xbf"), text...)
	case 3:
		return append(append(text, 0), "foo needle"...)
	}
	return text
}

func randomPattern(r *rand.Rand) Pattern {
	p := Pattern{Text: expression(r, 1+r.IntN(3)), Insensitive: r.IntN(3) == 0}
	if r.IntN(6) == 0 {
		p.Text, p.Literal = word(r), true
	}
	return p
}

func word(r *rand.Rand) string {
	w := []rune(pick(r, words...))
	from := r.IntN(len(w))
	return strings.ToValidUTF8(string(w[from:from+1+r.IntN(len(w)-from)]), "f")
}

func expression(r *rand.Rand, depth int) string {
	text := func() string {
		if w := word(r); r.IntN(4) == 0 {
			return w
		} else {
			return regexp.QuoteMeta(w)
		}
	}
	if depth <= 0 {
		return text()
	}
	sub := func() string { return expression(r, depth-1-r.IntN(2)) }
	switch r.IntN(20) {
	case 0, 1, 2:
		return sub() + sub()
	case 3, 4:
		return sub() + pick(r, ".*", ".", ".+?", `\s+`, `\w+`, `\d`, `\W`, `[a-z]+`, `[^x]`, `\b`, `\B`, "") + sub()
	case 5:
		return "(?:" + sub() + "|" + sub() + ")"
	case 6:
		return "(" + sub() + "|" + sub() + "|" + sub() + ")"
	case 7:
		return "(?:" + sub() + ")" + pick(r, "*", "+", "?", "{2}", "{0,1}", "{1,}", "{,2}", "{3,4}", "*?", "+?", "{ 1 , 2 }", "{0}")
	case 8:
		return pick(r, "(?i:", "(?-u:", "(?s-i:", "(?x:", "(?U:", "(?m:") + sub() + ")"
	case 9:
		return pick(r, "(?i)", "(?x)", "(?R)", "(?i-u)") + sub()
	case 10:
		return pick(r, `[kK]`, `[a-c]`, `[ks]`, `[\x{212a}z]`, `[a&&b]`, `[a-z&&[^b]]`, `[a[bc]]`, `[a--b]`, `[^\W]`, `[\d_]`, `[[:alpha:]]`, `[[:digit:]x]`, `[]a]`, `[^]a]`, `[a\]b]`, `[ɤ]`,
			`[ſ]`, `[~~]`, `[a~~b]`, `[-a]`, `[\-a]`, `[\pL]`, `[\x{ff}é]`, `[^\x00-\x5f\x7b-\x{10ffff}\d]`, `[\p{Greek}é]`, `[a-b\s]`) + sub()
	case 11:
		return pick(r, `\<`, `\b{start}`, `\b{end-half}`, `\bf`, `^`, `\A`, `(?m)^`, `(?s).`, `\Q`, `(?P<n>f)`, `(?<m>o)`) + sub()
	case 12:
		return sub() + pick(r, `\>`, `\b{end}`, `$`, `\z`, `\b`, `(?m)$`)
	case 13:
		return pick(r, `\x66oo`, `\x{6b}`, `\u0066`, `\u{6f}`, `\U0000006b`, `\t`, `\x{2028}`, `\xff`, `\xe9`, `\x80`, `\p{Greek}`, `\pN`, `\PL`, `\p{Lu}`, `\-`, `\ `, `\_`, `\/`, `\"`, `\&`, `\#`, `\~`) + sub()
	case 14:
		return "(?:" + sub() + "|)" + sub()
	case 15:
		return "(?i)" + pick(r, "k", "s", "kelvin", "strasse", "straße", "STRASSE", "ɤ", "ss", "foo|kk", "[k-s]{3}", "é", "ω", "ǆ", "istanbul")
	}
	return text() + text()
}
