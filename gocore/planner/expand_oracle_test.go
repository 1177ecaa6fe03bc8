package planner

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wordPieces are put together to words; the variables are set by prelude.
var wordPieces = []string{
	"a", "b/c", "'q q'", "\"d d\"", `\x`, `\ `, "$v", "${v}", "\"$v\"", "$w", "\"$w\"", "${w}", "$u", "\"$u\"", "${u:-d1 d2}", "\"${u:-e e}\"", "${v:+alt}", "\"${u-}\"", "${v%.txt}", "${v%%.*}",
	"${v##*/}", "${v#*.}", "\"${w% *}\"", "${#v}", "${v/a/X}", "${v//./_}", "${v:2}", "${v:1:3}", "${v^^}", "${V,,}", "$((1+2))", "$((i*3))", "$[4/2]", "$(echo s t)", "\"$(echo s t)\"", "`echo y`",
	"${a[0]}", "${a[1]}", "\"${a[@]}\"", "${a[*]}", "\"${a[*]}\"", "${#a[@]}", "$@", "\"$@\"", "\"$*\"", "$1", "$2", "$#", "${1}", "{x,y}", "{1..3}", "{p,q}{r,s}", "{a..c}", "{03..1}", "{}", "{z}", "{a,}", "{,b}",
	"~", "~/h", "~+/p", "x=~/y", "=", ":", "~x", "$'\\x41\\n'", "$'a\\'b'", "''", "\"\"", "${!n}", "{\"a b\",c}", "{$v,$w}", "\"{a,b}\"", `\{a,b}`, "{a\\,b,c}", "${e}", "\"${e}\"", "$e$e", "${u:=set}", "$u",
	"\"${u:-'sq'}\"", "${u:-'s q'}", "${u:-\"d q\"}", "\"a${u:-\"in ner\"}b\"", "$(printf 'l1\\nl2\\n')", "\"$(printf 'l1\\nl2\\n\\n')\"", "${v:-$(echo no)}", "x{a,b}y$v", "${t}", "\"${t}\"", "$t", "*", "?", "[ab]", "\\*",
	"${i}", "$((i++))", "$((x=5))", "${a[i]}", "${a[-1]}", "{1..10..4}", "{c..a}", "\"${v}\"'${v}'", "$\"loc\"", "a\\\nb",
}

const wordPrelude = `set -f; v=ab.c.txt; V=UP; w='one two'; t=$'x\ty\nz'; e=; i=2; a=(f0 'f 1' f2); n=v; unset u; set -- p1 'p 2'; `

// Every word that the planner claims to know is what bash makes of it.
func TestExpansionAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	const perRound = 40
	rounds := 60 // SHELLPLAN_ORACLE_ROUNDS runs more
	if n, err := strconv.Atoi(os.Getenv("SHELLPLAN_ORACLE_ROUNDS")); err == nil {
		rounds = n
	}
	r := rand.New(rand.NewPCG(7, 7))
	known, total := 0, 0
	for range rounds {
		var script strings.Builder
		var texts []string
		for range perRound {
			var word strings.Builder
			for range 1 + r.IntN(4) {
				word.WriteString(wordPieces[r.IntN(len(wordPieces))])
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&word, " %s", wordPieces[r.IntN(len(wordPieces))])
			}
			texts = append(texts, word.String())
			fmt.Fprintf(&script, "(%s printf '%%s\\0' %s; printf '\\1\\0') 2>/dev/null\n", wordPrelude, word.String())
		}
		cmd := exec.Command(bash, "--norc", "-c", script.String())
		cmd.Env, cmd.Dir = []string{"HOME=/home/u", "PATH=/usr/bin:/bin", "LC_ALL=C"}, "/"
		out, err := cmd.Output()
		require.NoError(t, err)
		answers := strings.Split(string(out), "\x01\x00")
		require.Len(t, answers, perRound+1)
		for k, text := range texts {
			total++
			p := newPlanner(newBudget(4096),
				[]byte(wordPrelude+"cat -- "+text), Options{
					Dialect: shellplan.DialectBash, Version: 502, Cwd: "/", EnvComplete: true,
					Env: map[string]string{"HOME": "/home/u", "PATH": "/usr/bin:/bin"},
				})
			p.run(p.initialState())
			if p.plan.IsOpaque() {
				continue
			}
			known++
			var got []string
			for i := range p.plan.Segments {
				for _, c := range p.plan.Segments[i].Candidates {
					if p.plan.Segments[i].Command == "cat" {
						got = append(got, string(c.Raw))
					}
				}
			}
			want := strings.Split(strings.TrimSuffix(answers[k], "\x00"), "\x00")
			// printf without an argument prints its format once.
			if len(got) == 0 && len(want) == 1 && want[0] == "" {
				continue
			}
			for i, f := range want { // the standard stream is no path
				if f == "-" {
					want = append(want[:i], want[i+1:]...)
				}
			}
			assert.Equal(t, want, got, "%s", text)
		}
	}
	t.Logf("%d of %d words known", known, total)
	assert.Greater(t, known, total/2)
}
