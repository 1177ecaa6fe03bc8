package planner

import (
	"strings"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type table map[string]string

func (tt table) run(t *testing.T) {
	for text, want := range tt {
		t.Run(text, func(t *testing.T) { assert.Equal(t, want, plan(text)) })
	}
}

func TestWords(t *testing.T) {
	table{
		"cat a.txt":                   "cat read(a.txt)",
		"cat 'a b' \"c d\" e\\ f":     "cat read(a b) read(c d) read(e f)",
		`cat $'a\x2fb\'\n' $"loc"`:    "cat read(a/b'\n) read(loc)",
		"cat $'a\\0/../x'":            "cat read(a)",
		"\\cat a; 'c'at b; c\"\"at c": "cat read(a)\ncat read(b)\ncat read(c)",
		"/bin/cat a; /usr/bin/cat b":  "cat read(a)\ncat read(b)",
		"./cat a; bin/x":              "./cat exec(./cat) ^any !program\nbin/x exec(bin/x) ^any !program",
		"$c a":                        "a ^any !commandUnknown",
		"c=cat; $c a":                 "cat read(a)",
		"cat # a":                     "cat",
		"cat a\\\nb c":                "cat read(ab) read(c)",
		"cat {a,b}{1..2} {} x{y}":     "cat read(a1) read(a2) read(b1) read(b2) read({}) read(x{y})",
		"cat '{a,b}' \\{a,b}":         "cat read({a,b}) read({a,b})",
		"cat ~/x ~+/y":                "cat read(/home/u/x) read(/r/y)",
		"cat '~/x' \"~/y\" a~/b":      "cat read(~/x) read(~/y) read(a~/b)",
		"dd if=~/x of=~/y":            "dd read(/home/u/x) write(/home/u/y)",
		"cat --show-all=~/x":          "cat",
		"cat ~other/x":                "cat !dynamic",
		"cat $nosuch a \"$nosuch\"":   "cat read(a) read()",
		"x='a b'; cat $x \"$x\"":      "cat read(a) read(b) read(a b)",
		"x='*.c'; cat $x \"$x\"":      "cat read*(*.c) read(*.c)",
		"IFS=,; x=a,b; cat $x":        "cat read(a) read(b)",
		"cat ${x:-d} ${x-e} ${x:+f}":  "cat read(d) read(e)",
		"cat ${x:=v} $x":              "cat read(v) read(v)",
		"x=a/b.c; cat ${x##*/} ${x%.*} ${x/b/q} ${x:2}": "cat read(b.c) read(a/b) read(a/q.c) read(b.c)",
		"x=p; n=x; cat ${!n}":                           "cat read(p)",
		"x=(a 'b c'); cat \"${x[@]}\" ${x[1]} ${#x[@]}": "cat read(a) read(b c) read(b) read(c) read(2)",
		"set -- a 'b c'; cat \"$@\" $2 $#":              "set\ncat read(a) read(b c) read(b) read(c) read(2)",
		"cat $((1+2)).t $[2*2]":                         "cat read(3.t) read(4)",
		"cat $(echo a b) \"$(echo c d)\"":               "echo\necho\ncat read(a) read(b) read(c d)",
		"cat $(dirname a/b)/$(basename c/d.e .e)":       "dirname\nbasename\ncat read(a/d)",
		"cat $(cmd)":                          "cmd ^any !commandUnknown\ncat !dynamic",
		"cat \"$(cat f)\"":                    "cat read(f)\ncat !dynamic",
		"cat $RANDOM $$":                      "cat !dynamic !dynamic",
		"cat *.c 'b*' \\*":                    "cat read*(*.c) read(b*) read(*)",
		"cat [a-c]x ?y [ z":                   "cat read*([a-c]x) read*(?y) read([) read(z)",
		"set -f; cat *":                       "set\ncat read(*)",
		"cat +(a); cat @($x)":                 "cat read*(+(a))\ncat !pattern",
		"GLOBIGNORE=x; cat *":                 "cat !shellOption",
		"cat <(cat a) >(cat > b)":             "cat read(a)\ncat write(b)\ncat",
		"cat ${x@P}":                          "cat !dynamic !dynamic",
		"readonly x=a; x=b; cat $x":           "cat read(a)\ncat read(b)",
		"local x=a; cat $x":                   "cat !construct",
		"export -n x; declare -i y=1; cat $y": "cat !construct",
		"cat \"${u:-'q'}\"":                   "cat read('q')",
		"v=a; cat $v{b,c}":                    "cat !construct",
	}.run(t)
}

// In dash some of these words are others.
func TestWordsInDash(t *testing.T) {
	for text, want := range map[string]string{
		"cat {a,b}":          "cat read({a,b})",
		"cat ~+/a ~/b":       "cat read(~+/a) read(/home/u/b)",
		"dd if=~/x":          "dd read(~/x)",
		"cat a &> b":         "cat read(a)\n write(b)",
		"echo x > *.c":       "echo write(*.c)",
		"x='a b'; cat > $x":  "cat write(a b)",
		"cat <<< a; cat b":   "",
		"cat b\ncat <<< a":   "!syntax",
		"cat $'a'":           "cat read($a)",
		"source f":           "source ^any !commandUnknown",
		"alias cat=x; cat a": "alias\ncat ^any !shadowed",
	} {
		t.Run(text, func(t *testing.T) {
			assert.Equal(t, want, summary(Build(text, options(shellplan.DialectDash))))
		})
	}
}

// An sh of unknown make is read both ways.
func TestWordsInAnUnknownShell(t *testing.T) {
	for text, want := range map[string]string{
		"cat {a,b}":    "cat read(a) read(b) read({a,b})",
		"echo x > *.c": "echo write(*.c) write*(*.c)",
		"cat ~+/a":     "cat !dynamic",
	} {
		t.Run(text, func(t *testing.T) {
			assert.Equal(t, want, summary(Build(text, options(shellplan.DialectPosix))))
		})
	}
}

// The mask says which byte was quoted, inside brackets too.
func TestMasks(t *testing.T) {
	for text, want := range map[string]string{
		`cat ["!"a]*`:        "aqaaa",
		`cat [a"-"c]x`:       "aaqaaa",
		`cat [\!a]*`:         "aqaaa",
		`cat 'a*'?`:          "qqa",
		`x='*'; cat "$x"$x`:  "qa",
		`cat s"r"c/*.go`:     "aqaaaaaa",
		`cat $'\x2a'*`:       "qa",
		`cat ~/*.c`:          "qqqqqqqaaaa",
		`cat {'*',*}.c`:      "aaa",
		"cat $(echo '*')\\*": "aq",
	} {
		t.Run(text, func(t *testing.T) {
			p := Build(text, options(shellplan.DialectBash))
			s := p.Segments[len(p.Segments)-1]
			c := s.Candidates[len(s.Candidates)-1]
			require.True(t, c.Pattern)
			var mask strings.Builder
			for _, m := range c.Mask {
				mask.WriteByte("qa"[m])
			}
			assert.Equal(t, want, mask.String())
			assert.Len(t, c.Mask, len(c.Raw))
		})
	}
}

// Bytes that are no characters go through, and positions count in the text that
// was given.
func TestBytesAndPositions(t *testing.T) {
	p := Build("cat \xffa 'b\xfe' c", options(shellplan.DialectBash))
	require.Len(t, p.Segments, 1)
	var raw, text []string
	for _, c := range p.Segments[0].Candidates {
		raw = append(raw, string(c.Raw))
		text = append(text, string(p.Source[c.Span.Start:c.Span.End]))
		assert.Equal(t, string(c.Text), text[len(text)-1])
	}
	assert.Equal(t, []string{"\xffa", "b\xfe", "c"}, raw)
	assert.Equal(t, []string{"\xffa", "'b\xfe'", "c"}, text)
	assert.Equal(t, shellplan.Span{Start: 0, End: len(p.Source)}, p.Segments[0].Span)
}

// A plan that the text alone decides is complete; where it is not known what
// the environment holds, it says so.
func TestTheEnvironmentThatWasNotGiven(t *testing.T) {
	o := options(shellplan.DialectBash)
	o.EnvComplete = false
	assert.Equal(t, "cat !dynamic", summary(Build("cat ${CONFIG:-x}", o)))
	assert.Equal(t, "cat read(/home/u/x)", summary(Build("cat $HOME/x", o)))
	assert.Equal(t, "echo", summary(Build("echo $CONFIG", o)))
	o.Env = nil
	assert.Equal(t, "cat !dynamic", summary(Build("cat ~/x", o)))
}
