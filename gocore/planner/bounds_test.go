package planner

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are texts made to cost time, memory or stack.
var hostile = map[string]string{
	"empty":                   "",
	"blank":                   " \n\t ",
	"NUL":                     "cat a\x00b",
	"invalid UTF-8":           "cat \xff\xfe > \xc3",
	"unterminated quote":      "cat 'a",
	"unterminated substition": "cat $(echo",
	"unterminated heredoc":    "cat <<E\nx",
	"lone operators":          "&& || ; | &",
	"1 MB of one word":        "cat " + strings.Repeat("a", 1<<20-10),
	"over 1 MB":               "cat " + strings.Repeat("a", 1<<20),
	"1 MB of words":           "cat " + strings.Repeat("a ", 1<<19-4),
	"1 MB of commands":        strings.Repeat("ls\n", 1<<18),
	"10,000 subshells":        strings.Repeat("(", 10_000) + "ls" + strings.Repeat(")", 10_000),
	"10,000 substitutions":    "echo " + strings.Repeat("$(", 10_000) + "ls" + strings.Repeat(")", 10_000),
	"open brackets in quotes": strings.Repeat("( ')' ", 30_000),
	"arithmetic brackets":     "echo $((" + strings.Repeat("((1", 100_000),
	"subscripts":              strings.Repeat("a[", 500_000),
	"spaced subscripts":       "echo $((" + strings.Repeat("a [", 300_000) + "))",
	"subscripts of brackets":  "[[ " + strings.Repeat("1[", 500_000) + " ]]",
	"subscripts and quotes":   "echo $((" + strings.Repeat("a['a']a[", 100_000) + "))",
	"negations":               "[[ " + strings.Repeat("! ", 500_000) + "a ]]",
	"choices in choices":      "echo $((" + strings.Repeat("1?1?1:", 150_000) + "))",
	"signs":                   "echo $((" + strings.Repeat("- ", 500_000) + "1))",
	"if if if":                strings.Repeat("if ", 100_000),
	"nested words":            "echo " + strings.Repeat("\"${a:-", 5000),
	"brace range":             "cat {1..9999999}",
	"brace range in 64 bit":   "cat {1..9223372036854775807}",
	"negative brace range":    "cat {-9223372036854775808..9223372036854775807}",
	"brace product":           "cat " + strings.Repeat("{a,b}", 40),
	"brace nest":              "cat " + strings.Repeat("{a,", 400) + "b" + strings.Repeat("}", 400),
	"single braces":           "cat " + strings.Repeat("{1..1}", 50_000),
	"open braces":             "cat " + strings.Repeat("{", 499) + strings.Repeat("a,", 100_000),
	"pipes":                   strings.Repeat("cat x | ", 20_000) + "cat",
	"and":                     strings.Repeat("true && ", 20_000) + "true",
	"or cd":                   strings.Repeat("cd a || ", 2000) + "true",
	"cd chain":                strings.Repeat("cd a; ", 2000),
	"cd product":              strings.Repeat("cd a || cd b; ", 500),
	"deep loops":              strings.Repeat("while read x; do ", 30) + "x=$x$x; cd $x" + strings.Repeat("; done", 30),
	"loop product":            strings.Repeat("for i in {1..200}; do ", 8) + "cat $i" + strings.Repeat("; done", 8),
	"doubling":                "x=aaaaaaaaaaaaaaaa; " + strings.Repeat("x=$x$x; ", 100) + "cat $x",
	"doubling in a loop":      "x=a; while true; do x=$x$x; cat $x; done",
	"growing array":           "a=(); while :; do a+=(x); cat \"${a[@]}\"; done",
	"counting loop":           "for ((i=0;i<1000000000;i++)); do cat $i; done",
	"self-call":               "f() { f; f; f; }; f",
	"mutual call":             "f() { g; g; }; g() { f; f; }; f",
	"wide calls":              "a() { :; }; " + "b() { a; a; a; a; }; c() { b; b; b; b; }; d() { c; c; c; c; }; e() { d; d; d; d; }; f() { e; e; e; e; }; g() { f; f; f; f; }; h() { g; g; g; g; }; i() { h; h; h; h; }; j() { i; i; i; i; }; j",
	"eval nest":               strings.Repeat("eval ", 100_000) + "ls",
	"bash -c nest":            nestedShells(80),
	"wrappers":                strings.Repeat("nice ", 50_000) + "ls",
	"env -S":                  "env -S '" + strings.Repeat("env ", 10_000) + "ls'",
	"find -exec nest":         "find . " + strings.Repeat("-exec find {} ", 5000) + "-exec cat {} \\;",
	"xargs nest":              "echo a | " + strings.Repeat("xargs ", 20_000) + "cat",
	"choices":                 choices(30) + "cat $a$b$c$d$e$f$g$h",
	"case branches":           "case $x in " + strings.Repeat("a) x=$x$x;; ", 3000) + "esac; cat $x",
	"positional":              "set -- " + strings.Repeat("a ", 5000) + "; cat \"$@\" \"$@\" \"$@\"",
	"trim":                    "x=" + strings.Repeat("a", 4000) + "; cat ${x##*a*a*a*a*a*b}",
	"arithmetic chain":        "echo $((1" + strings.Repeat("+1", 100_000) + "))",
	"test chain":              "[[ a" + strings.Repeat(" && a", 50_000) + " ]]",
	"paren test":              "[[ " + strings.Repeat("( ", 400) + "a" + strings.Repeat(" )", 400) + " ]]",
	"sed":                     "sed '" + strings.Repeat("s/a/b/;", 100_000) + "' f",
	"awk":                     "awk '" + strings.Repeat("{print}", 100_000) + "' f",
	"bidi and controls":       "cat \u202ea\u0007\u001b[31m",
	"carriage returns":        "cat a.txt\r\nls\r\n",
	"backquotes":              "echo " + strings.Repeat("`", 20_000),
	"cd and cd":               strings.Repeat("cd a && ", 20_000) + "cat b",
	"many variables":          manyVariables(20_000),
	"many functions":          strings.ReplaceAll(manyVariables(5000), "=1", "() { ls; }"),
	"long reasons":            "f() { " + strings.Repeat("unknowncommand $x ", 5000) + "; }; " + strings.Repeat("f; ", 5000),
	"long pieces":             "for i in {1..200}; do for j in {1..200}; do x=$(" + strings.Repeat("echo ", 500) + "); done; done",
	"printing loop":           "x=$(for i in {1..200}; do for j in {1..200}; do ls; echo " + strings.Repeat("a", 60000) + "; done; done)",
	"here-documents":          strings.Repeat("cat <<E\nE\n", 20_000),
}

func nestedShells(n int) string {
	s := "ls"
	for range n {
		s = "bash -c \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(s) + "\""
		if len(s) > 1<<20 {
			return s[:1<<20]
		}
	}
	return s
}

func manyVariables(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "v%d=1; ls; ", i)
	}
	return b.String()
}

func choices(n int) string {
	var b strings.Builder
	for i := range n {
		name := string(rune('a' + i%26))
		b.WriteString("if true$x; then " + name + "=1; elif [ $x ]; then " + name + "=2; else " + name + "=3; fi; ")
	}
	return b.String()
}

// Hostile texts end soon, in a valid plan that is not silent.
func TestHostileTextsAreBounded(t *testing.T) {
	const allowance = 2000            // megabytes that one text may allocate, freed ones included
	const patience = 20 * time.Second // of processor time; most take milliseconds
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			for _, d := range []shellplan.Dialect{shellplan.DialectBash, shellplan.DialectPosix} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := processorTime(t)
				p := Build(text, options(d))
				took := processorTime(t) - start
				runtime.ReadMemStats(&after)
				allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
				assert.Less(t, allocated, uint64(allowance), "%s: megabytes allocated", d)
				if allocated > 500 {
					t.Logf("%s: %d MB allocated", d, allocated)
				}
				require.NoError(t, p.Validate())
				assert.Less(t, took, patience, "%s", d)
				if took > 5*time.Second {
					t.Logf("%s: %v", d, took)
				}
			}
		})
	}
}

// processorTime is what this process has used: a machine that does other things
// too makes no text hostile.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
