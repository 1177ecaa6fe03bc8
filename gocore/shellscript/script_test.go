package shellscript_test

import (
	"strings"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/hydraharness/harness-runtime/gocore/shellscript"
	"github.com/stretchr/testify/assert"
)

// The languages have the names that a plan gives them; an unknown one is never
// harmless.
func TestReadsOnly(t *testing.T) {
	for language, programs := range map[string][2]string{
		shellplan.ScriptSed: {"s/a/b/;p", "w out"},
		shellplan.ScriptAwk: {"{ print $1 }", `{ print > "out" }`},
		shellplan.ScriptJq:  {".a | length", `import "m" as m; .a`},
		"perl":              {},
	} {
		assert.Equal(t, programs[0] != "", shellscript.ReadsOnly(language, []byte(programs[0])), "%s: %s", language, programs[0])
		assert.False(t, shellscript.ReadsOnly(language, []byte(programs[1])), "%s: %s", language, programs[1])
	}
}

func TestSedScripts(t *testing.T) {
	for script, want := range map[string]string{
		"1p":                        "",
		"$p;1,3d;/x/,+2!{p;q}":      "",
		"s/a/b/g;s|/|\\||2p":        "",
		"s/[/]/x/;s,[],],y,I":       "",
		"y/abc/xyz/;=;l 5":          "",
		":a;N;$!ba;s/\\n/ /g":       "",
		"a\\\ntext w x\ni foo":      "",
		"1!G;h;$!d":                 "",
		"/a/I,/b/M{n;x}":            "",
		"\\,a,d;0~3p;2,~4p":         "",
		"w out":                     "w out",
		"/x/w a b;c":                "w a b;c",
		"s/x/y/w out":               "w out",
		"s/x/y/gpw out\np":          "w out",
		"r in\nR in2":               "r in r in2",
		"1{r in\n}":                 "r in",
		"w /dev/stdout":             "",
		"s/x/y/e":                   "!",
		"e":                         "!",
		"1e date":                   "!",
		"s/a/b":                     "!",
		"y/a[/]/b/":                 "!",
		"k":                         "!",
		"p x":                       "!",
		"s/a[/b/":                   "!",
		"}":                         "",
		"":                          "",
		"a foo\\\nw out":            "",
		"# w out\np":                "",
		"s/a/b/;w out # no comment": "w out # no comment",
	} {
		t.Run(script, func(t *testing.T) {
			files, why := shellscript.Sed([]byte(script))
			var got []string
			for _, f := range files {
				verb := "r "
				if f.Write {
					verb = "w "
				}
				got = append(got, verb+string(f.Name))
			}
			if why != "" {
				got = []string{"!"}
			}
			assert.Equal(t, want, strings.Join(got, " "))
			assert.Equal(t, want == "", shellscript.ReadsOnly(shellplan.ScriptSed, []byte(script)))
		})
	}
}

func TestAwkPrograms(t *testing.T) {
	for program, want := range map[string]string{
		"{print $1}":     "",
		"NR>=3 && NR<=7": "",
		"/^func/ {print FILENAME\":\"FNR\": \"$0}": "",
		"$1 > 5 {print}":                        "",
		"{print ($1 > 5)}":                      "",
		"{print $1 > \"out\"}":                  "out",
		"{printf \"%s\", $1 >> \"out\"; print}": "out",
		"{print > \"/dev/stderr\"}":             "",
		"{print a,\n b > \"out\"}":              "out",
		"{print > $1}":                          "!",
		"{print > \"a\" \"b\"}":                 "!",
		"{print $1 | \"sh\"}":                   "!",
		"{\"date\" | getline}":                  "!",
		"{getline; print}":                      "",
		"{getline x; print x}":                  "",
		"{getline < \"f\"}":                     "!",
		"{while ((getline l) > 0) n++}":         "",
		"BEGIN{system(\"x\")}":                  "!",
		"BEGIN{ARGV[1]=\"x\"}":                  "!",
		"{print a / b > \"out\"}":               "out",
		"/a\\/b > c/ {print}":                   "",
		"{print \"a > b\"}":                     "",
		"{print /x/ ? 1 : 2}":                   "",
		"# system\n{print}":                     "",
		"@include \"x\"":                        "!",
		"{print \"unterminated}":                "!",
		"a || b {print}":                        "",
	} {
		t.Run(program, func(t *testing.T) {
			files, why := shellscript.Awk([]byte(program))
			var got []string
			for _, f := range files {
				got = append(got, string(f.Name))
			}
			if why != "" {
				got = []string{"!"}
			}
			assert.Equal(t, want, strings.Join(got, " "))
		})
	}
}
