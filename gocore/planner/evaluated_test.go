package planner

import (
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
)

// Programs and arithmetic are read the way their own language reads them: what
// looks like text to a hasty reader can be a command.
func TestScriptsAreReadAsTheirLanguageReadsThem(t *testing.T) {
	table{
		// GNU sed ends a label at white space and reads on.
		"sed ':a w p' a":        "sed read(a) ^any !script",
		"sed 't x w p' a":       "sed read(a) ^any !script",
		"sed ':a;N;$!ba;w p' a": "sed write(p) read(a)",
		// A slash starts a regular expression where a value can start.
		"awk '{x=$/\"/;print>\"p\";y=$/\"/}' a":             "awk write(p) read(a)",
		"awk '{if(0)exit/\"/;print>\"p\";if(0)exit/\"/}' a": "awk write(p) read(a)",
		"awk '{if(1)/\"/;print>\"p\";while(0)/\"/;}' a":     "awk write(p) read(a)",
		"awk '{n=(1)/2;print n \"/\" $1}' a":                "awk read(a)",
		"awk 'BEGIN{SYMTAB[\"ARGC\"]=9}' a":                 "awk read(a) ^any !script",
		"awk -f p a; gawk -f - a":                           "awk read(p) read(a)\ngawk read(a) !script",
		"sed -f - a; sed -f <(x) a":                         "sed read(a) !script\nx ^any !commandUnknown\nsed read(a) !script !script",
		"jq '\"m\"|modulemeta' a":                           "jq read(a) !script",
		"strings @p a":                                      "strings read(p) read(@p) read(a) !names",
		"strings * b":                                       "strings read*(*) read(b) !names",
		"git log --help":                                    "git log !program",
		"less --help a":                                     "less read(a)",
	}.run(t)
}

func TestArithmeticRunsWhatSubscriptsHold(t *testing.T) {
	for text, opaque := range map[string]bool{
		"declare -i v; v=$(x)":                      true,
		"declare -i q; read q":                      true,
		"x='a[1]'; declare -i q=$x":                 true,
		"x='a[1]'; RANDOM=$x":                       true,
		"x='y+0'; echo $((x))":                      true,
		"x='a[y]'; (( b[x]=1 ))":                    true,
		"x='a[y]'; for ((i=x;i<1;i++)); do :; done": true,
		"x='a[y]'; for f in $((x)); do cat a; done": true,
		"x='a[y]'; while ((x)); do cat a; done":     true,
		"env BASH_FUNC_f%%='() { :; }' bash -c f":   true,
		"TZ=/x awk 1 a; TZ=/x printf '%(%H)T'":      true,
		"declare -A m; m[a]=1; m[b]=$(x)":           true, "declare -A m; m[a]=1": false,
		"declare -i q; q=5; RANDOM=1":              false,
		"for ((i=0;i<3;i++)); do cat a; done":      false,
		"n=0; while ((n<2)); do n=$((n+1)); done":  false,
		"TZ=UTC awk 1 a; TZ=:/etc/localtime date":  false,
		"while getopts ab o; do echo \"$o\"; done": false,
	} {
		p := Build(text, Options{Dialect: shellplan.DialectBash, Version: 502, Cwd: "/r", EnvComplete: true, Env: map[string]string{"PATH": "/bin", "HOME": "/h"}})
		assert.Equal(t, opaque, p.IsOpaque(), text)
	}
}
