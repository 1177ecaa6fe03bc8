package pattern

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// word reads a test spelling: a byte after a backslash is quoted, everything
// else is not.
func word(spelling string) (raw, mask []byte) {
	for i := 0; i < len(spelling); i++ {
		m := byte(1)
		if spelling[i] == '\\' && i+1 < len(spelling) {
			i, m = i+1, 0
		}
		raw, mask = append(raw, spelling[i]), append(mask, m)
	}
	return raw, mask
}

// table holds patterns in the spelling a shell reads them from, the names that
// match and those that do not. oracle_test.go asks the real shells the same.
var table = []struct {
	dialect  Dialect
	utf8     bool
	pattern  string
	yes, not []string
}{
	{Bash, false, `*`, []string{"a", "a.b", "-r", "[x]"}, []string{".a", "..a"}},
	{Bash, false, `?`, []string{"a", "-"}, []string{".", "ab", "é"}},
	{Bash, true, `?`, []string{"a", "é", "€", "𝛼"}, []string{".", "ab", "éa"}},
	{Bash, false, `??`, []string{"ab", "é"}, []string{"a", "€"}},
	{Dash, false, `??`, []string{"ab", "é"}, []string{"a", "€"}},
	{Bash, true, `?`, []string{"\xff"}, []string{"é\xff"}},
	{Bash, true, `??\é`, []string{"abé"}, []string{"aé"}},
	{Bash, false, `.*`, []string{".a", "..", "."}, []string{"a"}},
	{Bash, false, `\.*`, []string{".a"}, []string{"a"}},
	{Dash, false, `\.*`, []string{".a"}, []string{"a"}},
	{Bash, false, `[.]a`, nil, []string{".a", "a"}},
	{Bash, false, `[!x]a`, []string{"ya"}, []string{".a", "xa"}},
	{Bash, false, `*.txt`, []string{"a.txt"}, []string{".txt", "a.txt.b"}},
	{Bash, false, `**a`, []string{"a", "ba"}, []string{"ab"}},
	{Bash, false, `*?*`, []string{"a", "ab"}, []string{".a"}},
	{Bash, false, `a*b*c`, []string{"abc", "axbxbyc", "abcbc"}, []string{"ab", "acb"}},

	{Bash, false, `[ab]`, []string{"a", "b"}, []string{"c", "ab"}},
	{Bash, false, `[!ab]`, []string{"c", "^"}, []string{"a", "b"}},
	{Bash, false, `[^ab]`, []string{"c", "!"}, []string{"a", "b"}},
	{Dash, false, `[^ab]`, []string{"a", "b", "^"}, []string{"c", "!"}},
	{Dash, false, `[!ab]`, []string{"c", "^"}, []string{"a", "b"}},
	{Bash, false, `[\!a]`, []string{"!", "a"}, []string{"b"}},
	{Dash, false, `[\!a]`, []string{"!", "a"}, []string{"b"}},
	{Bash, false, `[\^a]`, []string{"^", "a"}, []string{"b"}},
	{Bash, false, `[a-c]`, []string{"a", "b", "c"}, []string{"d", "-", "B"}},
	{Bash, false, `[a\-c]`, []string{"a", "-", "c"}, []string{"b"}},
	{Dash, false, `[a\-c]`, []string{"a", "-", "c"}, []string{"b"}},
	{Bash, false, `[\a-\c]`, []string{"a", "b", "c"}, []string{"-"}},
	{Dash, false, `[\a-\c]`, []string{"a", "b", "c"}, []string{"-"}},
	{Bash, false, `[c-a]`, nil, []string{"a", "b", "c", "-", "[c-a]x"}},
	{Bash, false, `[c-ax]`, []string{"x"}, []string{"a", "b", "c", "-"}},
	{Bash, false, `[a-]`, []string{"a", "-"}, []string{"b", "]"}},
	{Bash, false, `[-a]`, []string{"a", "-"}, []string{"b"}},
	{Bash, false, `[--0]`, []string{"-", "0"}, []string{"1", "a"}},
	{Bash, false, `a[-,]c`, []string{"a-c", "a,c"}, []string{"abc"}},
	{Bash, false, `[]a]`, []string{"]", "a"}, []string{"[", "b"}},
	{Dash, false, `[]a]`, []string{"]", "a"}, []string{"[", "b"}},
	{Bash, false, `[!]a]`, []string{"[", "b"}, []string{"]", "a"}},
	{Bash, false, `[\]a]`, []string{"]", "a"}, []string{"b"}},
	{Bash, false, `[a\]b]`, []string{"]", "a", "b"}, []string{"ab]"}},
	{Bash, false, `[x`, []string{"[x"}, []string{"x"}},
	{Dash, false, `[x`, []string{"[x"}, []string{"x"}},
	{Bash, false, `[x*`, []string{"[x", "[xy"}, []string{"x"}},
	{Bash, false, `[]`, []string{"[]"}, []string{"]", "["}},
	{Bash, false, `[!]`, []string{"[!]"}, []string{"a"}},
	{Bash, false, `[a\]`, []string{"[a]"}, []string{"a"}},
	{Dash, false, `[a\]`, []string{"[a]"}, []string{"a"}},

	{Bash, false, `[[:alpha:]]`, []string{"a", "Z"}, []string{"1", ":", "["}},
	{Dash, false, `[[:alpha:]]`, []string{"a", "Z"}, []string{"1", ":", "["}},
	{Bash, false, `[![:alpha:]]`, []string{"1", ":"}, []string{"a", "."}},
	{Bash, false, `[[:digit:]x]`, []string{"1", "x"}, []string{"y", "d"}},
	{Bash, false, `[x[:digit:]]`, []string{"1", "x"}, []string{"y", "d"}},
	{Bash, false, `[[:word:]]`, []string{"_", "a", "0"}, []string{"-"}},
	{Bash, false, `[[:ascii:]]`, []string{"-", "a"}, nil},
	{Bash, false, `[[:nope:]]`, nil, []string{"n", ":", "]", "[[:nope:]]"}},
	{Dash, false, `[[:nope:]]`, []string{"n]", ":]", "[]"}, []string{"n", "[[:nope:]]"}},
	{Dash, false, `[[:word:]]`, []string{"w]"}, []string{"w", "_"}},
	{Bash, false, `[[:nope:]x]`, []string{"x"}, []string{"n"}},
	{Bash, false, `[[:alpha]]`, []string{"a]", ":]", "h]"}, []string{"a", "z]", "[]"}},
	{Dash, false, `[[:alpha]]`, []string{"a]", ":]", "[]"}, []string{"a", "z]"}},
	{Bash, false, `[[:al\pha:]]`, []string{"a"}, []string{"1"}},
	{Bash, false, `[[\:alpha:]]`, []string{"a]", "[]"}, []string{"a"}},
	{Dash, false, `[[=a=]]`, []string{"a]", "=]", "[]"}, []string{"a"}},
	{Bash, true, `[[:digit:]]`, []string{"1"}, []string{"é", "٣"}},
	{Bash, true, `[à-ü]`, []string{"é"}, []string{"a"}},
	{Bash, false, `[à-ü]x`, []string{"\xc3x", "\xa0x", "\xb0x"}, []string{"éx"}},
	{Bash, true, `[é]*`, []string{"éa", "\xc3"}, []string{"\xc4"}},

	{Bash, false, `\*`, []string{"*"}, []string{"a"}},
	{Bash, false, `\[a]`, []string{"[a]"}, []string{"a"}},
	{Bash, false, `a\?*`, []string{"a?", "a?b"}, []string{"ab"}},
	{Bash, false, `+(a)`, []string{"+(a)"}, []string{"a"}},
}

func TestTable(t *testing.T) {
	for _, tt := range table {
		raw, mask := word(tt.pattern)
		p, err := Compile(raw, mask, Options{Dialect: tt.dialect, UTF8: tt.utf8})
		require.NoError(t, err, tt.pattern)
		for _, n := range tt.yes {
			assert.Equal(t, Yes, p.Match(n), "%d utf8=%v %s must match %q", tt.dialect, tt.utf8, tt.pattern, n)
		}
		for _, n := range tt.not {
			assert.Equal(t, No, p.Match(n), "%d utf8=%v %s must not match %q", tt.dialect, tt.utf8, tt.pattern, n)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		o       Options
		pattern string
		name    string
		want    Result
	}{
		{Options{Dialect: Bash, Dot: true}, `*`, ".a", Yes},
		{Options{Dialect: Bash, Dot: true}, `[.]a`, ".a", Yes},
		{Options{Dialect: Bash, NoCase: true}, `A.t*`, "a.TXT", Yes},
		{Options{Dialect: Bash, NoCase: true}, `[A-C]`, "b", Yes},
		{Options{Dialect: Bash, NoCase: true}, `[A-C]`, "D", No},
		{Options{Dialect: Bash, NoCase: true}, `[!a]`, "A", No},
		{Options{Dialect: Bash, NoCase: true}, `[[:upper:]]`, "a", Maybe},
		{Options{Dialect: Bash, NoCase: true, UTF8: true}, `É*`, "éa", Maybe},
		{Options{Dialect: Bash, Collate: true}, `[a-c]`, "B", Maybe},
		{Options{Dialect: Bash, Collate: true}, `[a-c]`, "b", Yes},
		{Options{Dialect: Bash, Collate: true}, `[!a-c]`, "b", No},
		{Options{Dialect: Bash, Collate: true}, `[0-9]`, "a", No},
		{Options{Dialect: Bash, UTF8: true}, `[a-z]`, "č", Maybe},
		{Options{Dialect: Bash, UTF8: true}, `[!a-z]`, "č", Maybe},
		{Options{Dialect: Bash, UTF8: true}, `[a-z]`, "é", No},
		{Options{Dialect: Bash, UTF8: true}, `[[:alpha:]]`, "é", Maybe},
		{Options{Dialect: Bash, UTF8: true}, `[![:alpha:]]`, "é", Maybe},
		{Options{Dialect: Bash, UTF8: true}, `[[:alpha:]é]`, "é", Yes},
		{Options{Dialect: Dash}, "[a-\xff]", "z", Maybe},
	} {
		raw, mask := word(tt.pattern)
		p, err := Compile(raw, mask, tt.o)
		require.NoError(t, err, tt.pattern)
		assert.Equal(t, tt.want, p.Match(tt.name), "%+v %s %q", tt.o, tt.pattern, tt.name)
	}
}

func TestNotModelled(t *testing.T) {
	long := make([]byte, MaxComponent)
	for i := range long {
		long[i] = 'a'
	}
	for _, tt := range []struct {
		o       Options
		pattern string
	}{
		{Options{Dialect: Bash}, `[[=a=]]`},
		{Options{Dialect: Bash}, `[[.a.]]`},
		{Options{Dialect: Bash}, `[[.hyphen.]-c]`},
		{Options{Dialect: Bash}, `[a-[.c.]]`},
		{Options{Dialect: Bash}, `[z[:alpha]x:]`},
		{Options{Dialect: Bash, Extended: true}, `!([a])`},
		{Options{Dialect: Bash, Extended: true}, `+(a`},
		{Options{Dialect: Dash}, `*[a-`},
		{Options{Dialect: Bash}, string(long) + "*"},
	} {
		raw, mask := word(tt.pattern)
		_, err := Compile(raw, mask, tt.o)
		assert.ErrorIs(t, err, &Error{Code: CodeNotModelled}, tt.pattern)
	}
	_, err := Compile([]byte(`a\b`), []byte{1, 1, 1}, Options{Dialect: Bash})
	assert.ErrorIs(t, err, &Error{Code: CodeNotModelled}, "a backslash that an expansion left")
	_, err = Compile([]byte("ab"), []byte{1}, Options{Dialect: Bash})
	var e *Error
	require.True(t, errors.As(err, &e))
	assert.Equal(t, CodeBadMask, e.Code)
	raw, mask := word(`\+\(a\)*`)
	_, err = Compile(raw, mask, Options{Dialect: Bash, Extended: true})
	assert.NoError(t, err, "quoted operators are characters")
}

func TestMeta(t *testing.T) {
	for pat, want := range map[string]bool{
		`a`: false, `*`: true, `[a]`: true, `[a`: false, `\*`: false, `[a\]`: false, `a?`: true, ``: false, `]`: false,
	} {
		raw, mask := word(pat)
		p, err := Compile(raw, mask, Options{Dialect: Bash, UTF8: true})
		require.NoError(t, err)
		assert.Equal(t, want, p.HasMeta(), pat)
		assert.Equal(t, string(raw), p.Literal())
	}
	p, err := Compile([]byte("*"), nil, Options{Dialect: Bash})
	require.NoError(t, err)
	assert.False(t, p.HasMeta(), "no mask: every byte is quoted")
	assert.Equal(t, Yes, p.Match("*"))
	assert.Equal(t, No, p.Match("a"))
}

func TestSplit(t *testing.T) {
	var got []string
	for _, c := range Split([]byte("/s[r/]c//x"), make([]byte, 10)) {
		got = append(got, string(c.Raw))
		assert.Len(t, c.Mask, len(c.Raw))
	}
	assert.Equal(t, []string{"", "s[r", "]c", "", "x"}, got)
	assert.Len(t, Split(nil, nil), 1)
}

func FuzzCompile(f *testing.F) {
	for _, tt := range table {
		f.Add(tt.pattern, "a.txt", uint8(3))
	}
	f.Fuzz(func(t *testing.T, spelling, name string, bits uint8) {
		raw, mask := word(spelling)
		o := Options{
			Dialect: Bash + Dialect(bits&1), UTF8: bits&2 != 0, Dot: bits&4 != 0,
			NoCase: bits&8 != 0, Collate: bits&16 != 0, Extended: bits&32 != 0,
		}
		p, err := Compile(raw, mask, o)
		if err != nil {
			require.ErrorIs(t, err, &Error{Code: CodeNotModelled})
			return
		}
		p.Match(name)
		q, err := Compile(raw, nil, o)
		require.NoError(t, err)
		if len(raw) > 0 {
			require.Equal(t, Yes, q.Match(string(raw)), "a quoted pattern matches itself")
		}
	})
}
