package planner

import (
	"testing"

	"github.com/hydraharness/harness-runtime/gocore/shellplan"
	"github.com/stretchr/testify/assert"
)

func TestDirectories(t *testing.T) {
	table{
		"cd src && cat a":                     "cd\ncat read(a) in[src;]",
		"cd src; cat a":                       "cd\ncat read(a) in[src;][]",
		"cd src || exit; cat a":               "cd\nexit\ncat read(a) in[src;]",
		"cd src || cd lib; cat a":             "cd\ncd\ncat read(a) in[src;][lib;][]",
		"cd a && cd ../b && cat c":            "cd\ncd in[a;]\ncat read(c) in[a;../b;]",
		"cd /x && cat a; cat /y":              "cd\ncat read(a) in[/x;]\ncat read(/y) in[/x;][]",
		"(cd a; cat b); cat c":                "cd\ncat read(b) in[a;][]\ncat read(c)",
		"{ cd a; }; cat b":                    "cd\ncat read(b) in[a;][]",
		"cd a | cat b; cat c":                 "cd\ncat read(b)\ncat read(c)",
		"cd a & cat b":                        "cd\ncat read(b)",
		"if cd a; then cat b; fi; cat c":      "cd\ncat read(b) in[a;]\ncat read(c) in[a;][]",
		"if cd a; then cat b; else cat c; fi": "cd\ncat read(b) in[a;]\ncat read(c)",
		"! cd a && cat b":                     "cd\ncat read(b)",
		"cd; cat a":                           "cd\ncat read(a) in[/home/u;][]",
		"HOME=h; cd; cat a":                   "cd\ncat read(a) in[h;][]",
		"cd -; cat a":                         "cd\ncat read(a)",
		"cd a && cd - && cat b":               "cd\ncd in[a;]\ncat read(b) in[/r;]",
		"cd -P a/.. && cat b":                 "cd\ncat read(b) in[-a/..;]",
		"set -P; cd a && cat b":               "set\ncd\ncat read(b) in[-a;]",
		"cd '' && cat a":                      "cd\ncat read(a)",
		"cd a b; cat c":                       "cd\ncat read(c)",
		"cd $(x) && cat a /b":                 "x ^any !commandUnknown\ncd\ncat read(a) read(/b) in? !cwd",
		"cd s* && cat a":                      "cd stat-*(s*)\ncat read(a) in[s*;]",
		"CDPATH=/p; cd d && cat a":            "cd\ncat read(a) in[d;]",
		"pushd a && cat b && popd && cat c":   "pushd\ncat read(b) in[a;]\npopd in[a;]\ncat read(c)",
		"pushd -n a; cat b":                   "pushd\ncat read(b)",
		"builtin cd a && cat b":               "cd\ncat read(b) in[a;]",
		"command cd a && cat b":               "cd\ncat read(b) in[a;]",
		"env cd a && cat b":                   "cd\ncat read(b)",
		"f() { cd \"$1\"; }; f a && cat b":    "f\ncd\ncat read(b) in[a;]",
		"for d in a b; do cd $d; done; cat c": "cd\ncd in[a;][]\ncat read(c) in[a;b;][b;][a;][]",
		"while cd a; do cat b; done":          "cd in?\ncat read(b) in? !cwd",
		"eval 'cd a' && cat b":                "eval\ncat read(b) in[a;]\n0 eval{cd}",
		"bash -c 'cd a'; cat b":               "bash\ncat read(b)\n0 bash -c{cd}",
		"cd a && cat $PWD/x ~+/y":             "cd\ncat read(/r/a/x) read(/r/a/y) in[a;]",
		"git -C d diff --no-index a b":        "git diff stat(d) read/(d:a) read/(d:b)",
		"tar -C d -cf o.tar x":                "tar write(o.tar) read(d) read-/(d:x)",
		"env -C d cat x":                      "cat stat(d) read(d:x)",
	}.run(t)
}

func TestControlFlow(t *testing.T) {
	table{
		"exit; cat a":                                          "exit",
		"false && cat a; true || cat b":                        "false\ntrue",
		"exec cat a":                                           "cat read(a)",
		"for f in a b; do cat $f; done":                        "cat read(a)\ncat read(b)",
		"for f in *.c; do cat \"$f\"; done":                    "for stat-*(*.c)\ncat read*(*.c)",
		"for f in *.c; do cat $f; done":                        "for stat-*(*.c)\ncat read*?(*.c)",
		"for f in *.c; do cp \"$f\" \"$f.b\"; done":            "for stat-*(*.c)\ncp read*(*.c) write*>(*.c+.b)",
		"for f in *.c; do cd x; cat \"$f\"; done":              "for stat-*(*.c)\ncd in?\ncat in? !dynamic",
		"for f in $(find s); do cat \"$f\"; done":              "find read-/(s)\ncat read?(s) read/?(s)",
		"for ((i=0;i<2;i++)); do cat $i; done":                 "cat read(0)\ncat read(1)",
		"for ((;;)); do cat a; done":                           "cat read(a)",
		"while read f; do cat \"$f\"; done < l":                " read(l)\nread\ncat !dynamic",
		"while read f; do cat \"$f\"; done <<< 'a'":            "read\ncat read(a)\ncat read()",
		"printf 'a\\nb' | while read f; do cat $f; done":       "printf\nread\ncat read(a)\ncat read(b)",
		"x=1; while cat $x; do x=2; done":                      "cat read(1)\ncat read(2)",
		"i=0; while [ $i -lt 9 ]; do i=$((i+1)); done; cat $i": "[\ncat !dynamic",
		"if a; then x=1; else x=2; fi; cat $x $x":              "a ^any !commandUnknown\ncat read(1) read(1)\ncat read(2) read(2)",
		"case a in a) cat 1;; *) cat 2;; esac":                 "cat read(1)",
		"case $(x) in a) cat 1;; *) cat 2;; esac":              "x ^any !commandUnknown\ncat read(1)\ncat read(2)",
		"case a in a) cat 1;& b) cat 2;; c) cat 3;; esac":      "cat read(1)\ncat read(2)",
		"select f in a b; do cat $f; done":                     "cat read(a)\ncat read(b)\ncat",
		"f() { cat $1; }; f a; f b":                            "f\ncat read(a)\nf\ncat read(b)",
		"f() { local x=$1; cat $x; }; x=z; f a; cat $x":        "f\ncat read(a)\ncat read(z)",
		"f() { return; cat b; }; f; cat c":                     "f\nreturn\ncat read(c)",
		"f() { f; }; f":                                        "f\nf\nf\nf\nf\nf\nf\nf\nf\nf\nf\nf\nf\nf\nf\nf\nf ^any !shadowed",
		"if x; then f() { cat a; }; fi; f":                     "x ^any !commandUnknown\nf ^any !shadowed",
		"f=a cat $f; cat $f":                                   "cat\ncat",
		"f=a; f=b cat $f; cat $f":                              "cat read(a)\ncat read(a)",
		"x=$(cat a)":                                           "cat read(a)",
		"echo $(< a) `cat b`":                                  " read(a)\ncat read(b)\necho",
		"cat a & cat b; wait":                                  "cat read(a)\ncat read(b)\nwait",
		"trap 'cat a' EXIT":                                    "trap ^any !construct\n0 trap{cat read(a)}",
		"trap - EXIT; trap '' INT":                             "trap\ntrap",
		". f; cat a":                                           ". read(f) ^any !program\ncat read(a) !after",
		"[[ -f a && b -nt c ]]":                                "[[ stat(a) stat(b) stat(c)",
		"[ -f a ] && test ! -L b":                              "[ stat(a)\ntest stat-(b)",
		"[ -v 'a[$(x)]' ]":                                     "[ !dynamic",
		"x='a[$(c)]'; ((x))":                                   " !dynamic",
		"x='a[$(c)]'; [[ -v $x ]]":                             "[[ !dynamic",
		"PS4='$(cat a)'; set -x":                               "set ^any !dynamic",
		"coproc cat a":                                         "cat read(a)",
		"time -p cat a; ! cat b":                               "cat read(a)\ncat read(b)",
		"shopt -s nosuch":                                      "shopt !shellOption",
		"set -o posix; cat a":                                  "set !shellOption\ncat read(a) !after",
		"enable -n cat; cat a":                                 "enable !construct\ncat read(a) !after",
		"eval \"$(cat f)\"; cat a":                             "cat read(f)\neval ^any !dynamic\ncat read(a) !after",
		"alias cat=x; cat a":                                   "alias\ncat read(a)",
		"x=1":                                                  "",
		"# nothing":                                            "",
	}.run(t)
}

func TestRedirections(t *testing.T) {
	table{
		"cat < a > b 2> c":              "cat read(a) write(b) write(c)",
		"cat <> a; cat >| b; cat &>> c": "cat read(a) write(a)\ncat write(b)\ncat write(c)",
		"cat >& f; cat 2>&1 >g":         "cat write(f)\ncat write(g)",
		"> a":                           " write(a)",
		"{ cat a; } < b > c":            " read(b) write(c)\ncat read(a)",
		"echo x > {a,b}":                "echo",
		"x='a b'; echo > $x":            "echo",
		"echo x > *.c":                  "echo write*(*.c)",
		"echo x > $(y)":                 "y ^any !commandUnknown\necho !dynamic",
		"exec 3< a; cat <&3 /dev/fd/3":  "exec read(a)\ncat read(a)",
		"cat /dev/stdin < a":            "cat read(a) read(a)",
		"exec {v}> a; echo x >&$v":      "exec write(a)\necho",
		"cat < /dev/tcp/h/80":           "cat !construct",
		"cat <<E\n$(cat a) $x\nE":       "cat read(a)\ncat",
		"cat <<'E'\n$(cat a)\nE":        "cat",
		"cat <<-E > o\n\t`cat a`\n\tE":  "cat read(a)\ncat write(o)",
		"bash <<'E'\ncat a\nE":          "bash\n0 bash -c{cat read(a)}",
		"bash <<E\ncat a$(x)\nE":        "x ^any !commandUnknown\nbash ^any !program",
		"cat <<< \"$(cat a)\"":          "cat read(a)\ncat",
		"cat a | tee b > /dev/null":     "cat read(a)\ntee write(/dev/null) write(b)",
		"xargs cat <<< 'a b'":           "cat read(a) read(b)",
	}.run(t)
}

func TestEffectsAreSeenByWhatMayRunLater(t *testing.T) {
	for text, want := range map[string][]int{
		"ln -s a b; cat b":                        {1},
		"cat b; ln -s a b; cat c":                 {2},
		"cat b | ln -s a b":                       {0},
		"while cat b; do ln -s a b; done":         {0},
		"for i in 1 2; do cat b; ln -s a b; done": {0, 0},
		"cat x & ln -s a b":                       {0},
	} {
		t.Run(text, func(t *testing.T) {
			var got []int
			for _, s := range Build(text, options(shellplan.DialectBash)).Segments {
				for _, e := range s.Effects {
					got = append(got, e.VisibleFrom)
				}
			}
			assert.Equal(t, want, got)
		})
	}
}
