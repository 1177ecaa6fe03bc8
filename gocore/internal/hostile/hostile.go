// Package hostile holds command texts that are made to cost time: each is below
// 4 KB, what a model can write in one call. The tests of each stage count the
// work that they make; nothing but tests imports it.
package hostile

import (
	"fmt"
	"strings"
)

// Size is the longest of the texts, in bytes.
const Size = 4096

// Text is one hostile text.
type Text struct{ Name, Command string }

// Texts are the hostile texts, in a fixed order. Long because it is a list.
func Texts() []Text {
	return []Text{
		// words and patterns
		{"words", "cat" + fill(" f%d")},
		{"one word", "cat " + strings.Repeat("a", 4000)},
		{"deep path", "cat " + strings.Repeat("d/", 1900) + "f"},
		{"deep paths", "cat" + strings.Repeat(" d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/f", 95)},
		{"up and down", "cat" + strings.Repeat(" d/../d/../d/../d/../d/../d/../d/../f", 100)},
		{"links", "cat" + strings.Repeat(" l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/f", 110)},
		{"chain of links", "cat" + strings.Repeat(" c39", 1000)},
		{"patterns", "cat" + strings.Repeat(" */f*", 500)},
		{"patterns of two levels", "cat" + strings.Repeat(" */*", 1000)},
		{"patterns of many levels", "cat" + strings.Repeat(" */*/*/*/*", 370)},
		{"one pattern of many levels", "cat " + strings.Repeat("*/", 1900) + "*"},
		{"stars", "cat" + strings.Repeat(" *a*a*a*a*a*a*a*a*a*a*b", 170)},
		{"one pattern of stars", "cat " + strings.Repeat("*a", 2000) + "b"},
		{"brackets", "cat" + strings.Repeat(" [!a-z][[:alpha:]]*[!0-9]*", 150)},
		{"wide bracket", "cat" + strings.Repeat(" ["+strings.Repeat("a-z", 100)+"]*", 13)},
		{"globstar", "shopt -s globstar; cat" + strings.Repeat(" **/f", 780)},
		{"patterns that write", "touch" + strings.Repeat(" */f*", 500)},
		{"braces", "cat {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"},
		{"braces of patterns", "cat {a,b,*}{a,b,*}{a,b,*}{a,b,*}{a,b,*}{a,b,*}*/f"},
		{"many braces", strings.Repeat("cat {1..4000};", 280)},
		{"nested braces", "cat " + strings.Repeat("{a,", 60) + "b" + strings.Repeat("}", 60)},
		{"nested brace products", "cat " + strings.Repeat("{a,{b,c}", 9) + strings.Repeat("}", 9)},
		{"open braces", "cat " + strings.Repeat("{", 2000) + strings.Repeat("a,", 1000)},
		{"brace texts", strings.Repeat("{,,,,", 800)},
		{"walks", "grep -r x" + strings.Repeat(" .", 2000)},
		{"walks that follow", "grep -R x" + strings.Repeat(" .", 2000)},
		{"walking commands", strings.Repeat("ls -R .;", 500)},
		{"copies of trees", strings.Repeat("cp -r w x;", 400)},
		{"finds", strings.Repeat("find . -name '*a*b';", 200)},
		{"one find of many tests", "find ." + strings.Repeat(" -name '*a*b' -o", 240) + " -name c"},
		{"finds that run", "find . " + strings.Repeat("-exec cat {} + ", 260)},
		{"walk with skips", "grep -r" + strings.Repeat(" --exclude='*a*b'", 230) + " x ."},

		// chains and effects
		{"commands", strings.Repeat("ls;", 1360)},
		{"and", strings.Repeat("ls&&", 1020) + "ls"},
		{"and true", strings.Repeat("true && ", 500) + "true"},
		{"or", strings.Repeat("ls||", 1020) + "ls"},
		{"pipes", strings.Repeat("cat|", 1020) + "cat"},
		{"background", strings.Repeat("cat a&", 680)},
		{"subshells", strings.Repeat("(", 60) + "ls" + strings.Repeat(")", 60)},
		{"many subshells", strings.Repeat("(ls);", 810)},
		{"links made", fill("ln -s a l%d;")},
		{"links made and read", fill("ln -s a l%[1]d;cat l%[1]d;")},
		{"links made and patterns", "ln -s a b;" + strings.Repeat("cat */f*;", 450)},
		{"links made and walks", "ln -s a b;" + strings.Repeat("grep -r x .;", 330)},
		{"moves", fill("mv m%d m;")},
		{"moves in a chain", chain("mv m%d m%d;")},
		{"moves in a && chain", chain("mv m%d m%d&&") + "cat m9"},
		{"copies in a chain", chain("cp -a m%d m%d;")},
		{"removals", fill("rm r%d;")},
		{"removals and patterns", fill("rm *%d;")},
		{"removals beside", fill("rm r%d&")},
		{"extractions", strings.Repeat("tar xf t;", 450)},
		{"extractions and reads", strings.Repeat("tar xf t;cat f;", 270)},
		{"moves of trees", strings.Repeat("mv w x;mv x w;", 290)},
		{"made and read", fill("mkdir n%[1]d;cat n%[1]d/x;")},
		{"written", strings.Repeat(">f;", 1360)},
		{"unknown programs", strings.Repeat("./x f;", 680)},

		// directories
		{"cd chain", strings.Repeat("cd d;", 800) + "cat f"},
		{"cd and", strings.Repeat("cd d&&", 680) + "cat f"},
		{"cd or", strings.Repeat("cd d||", 680) + "cat f"},
		{"cd product", strings.Repeat("cd d||cd e;", 370)},
		{"cd and reads", strings.Repeat("cd d;cat f;", 370)},
		{"cd through patterns", strings.Repeat("cd *;", 800)},
		{"pushd", strings.Repeat("pushd d;", 500)},
		{"cds in subshells", strings.Repeat("(cd d;ls);", 400)},

		// the state of the shell
		{"assignments", fill("v%d=1;")},
		{"assignments and branches", fill("v%d=1;")[:2000] + "x;" + strings.Repeat("ls||ls;", 250)},
		{"prefix assignments", fill("v%d=1 ls;")},
		{"assignments of one command", fill("v%d=1 ") + "ls"},
		{"functions", fill("f%d(){ ls;};")},
		{"functions and branches", strings.Join(strings.SplitAfter(fill("f%d(){ ls;};"), "};")[:140], "") + strings.Repeat("ls||ls;", 250)},
		{"calls", "a(){ :;};b(){ a;a;a;a;};c(){ b;b;b;b;};d(){ c;c;c;c;};e(){ d;d;d;d;};f(){ e;e;e;e;};g(){ f;f;f;f;};h(){ g;g;g;g;};h"},
		{"calls that read", "a(){ cat x*;};b(){ a;a;a;a;};c(){ b;b;b;b;};d(){ c;c;c;c;};e(){ d;d;d;d;};f(){ e;e;e;e;};f"},
		{"call of itself", "f(){ f;f;f;};f"},
		{"calls with arguments", "f(){ shift;f \"$@\";};f" + strings.Repeat(" a", 1900)},
		{"aliases", fill("alias a%d=ls;")},
		{"exports", fill("export e%d=1;")},
		{"doubling", "x=aaaaaaaaaaaaaaaa;" + strings.Repeat("x=$x$x;", 500) + "cat $x"},
		{"doubled words", "x='a a a a a a a a';" + strings.Repeat("x=\"$x $x\";", 9) + strings.Repeat("cat $x;", 500)},
		{"doubled patterns", "x='* * * * * * * *';" + strings.Repeat("x=\"$x $x\";", 7) + strings.Repeat("cat $x;", 500)},
		{"positional", "set --" + strings.Repeat(" a", 1000) + ";" + strings.Repeat("cat \"$@\";", 200)},
		{"array", "a=(" + strings.Repeat("a ", 1000) + ");" + strings.Repeat("cat \"${a[@]}\";", 130)},
		{"growing array", "a=();while :;do a+=(x);cat \"${a[@]}\";done"},
		{"trim", "x=" + strings.Repeat("a", 2000) + ";cat ${x##*a*a*a*a*a*b}"},
		{"trims", "x=" + strings.Repeat("a", 1000) + ";" + strings.Repeat("y=${x##*a*a*b};", 190)},
		{"replacements", "x=" + strings.Repeat("a", 1000) + ";" + strings.Repeat("y=${x//a/aa};", 200)},
		{"substrings", "x=" + strings.Repeat("a", 1000) + ";" + strings.Repeat("cat ${x:1};", 250)},

		// compound commands
		{"loops in loops", strings.Repeat("for i in 1 2 3 4 5 6 7 8 9;do ", 6) + "cat $i" + strings.Repeat(";done", 6)},
		{"brace loops", strings.Repeat("for i in {1..200};do ", 4) + "cat $i" + strings.Repeat(";done", 4)},
		{"while in while", strings.Repeat("while read x;do ", 30) + "x=$x$x;cd $x" + strings.Repeat(";done", 30)},
		{"whiles", strings.Repeat("while ls;do cd d;done;", 180)},
		{"counting", "for((i=0;i<1000000000;i++));do cat $i;done"},
		{"counting in counting", strings.Repeat("for((i=0;i<200;i++));do ", 4) + "cat $i" + strings.Repeat(";done", 4)},
		{"case", "case $x in" + fill(" %d)x=$x$x;;") + "esac;cat $x"},
		{"case in case", strings.Repeat("case $x in a)x=1;;b)", 60) + "ls" + strings.Repeat(";;esac", 60)},
		{"case of a known word", "x=" + strings.Repeat("a", 1000) + ";" + strings.Repeat("case $x in *a*a*a*b)ls;;esac;", 100)},
		{"if in if", strings.Repeat("if ls;then ", 60) + "ls" + strings.Repeat(";else ls;fi", 60)},
		{"ifs", strings.Repeat("if ls;then x=1;else x=2;fi;", 150)},
		{"elifs", "if ls;then x=0" + fill(";elif ls;then x=%d") + ";fi;cat $x"},
		{"choices", choices(55) + "cat $a$b$c$d$e$f$g$h"},
		{"choices and reads", choices(8) + strings.Repeat("cat $a$b$c$d$e$f$g;", 180)},
		{"choices of directories", "cd a||cd b;cd c||cd d;cd e||cd f;" + strings.Repeat("cat f*;", 540)},
		{"tests", "[[ a" + strings.Repeat("&&a", 1300) + " ]]"},
		{"tests in brackets", "[[ " + strings.Repeat("( ", 60) + "a" + strings.Repeat(" )", 60) + " ]]"},
		{"arithmetic", "echo $((1" + strings.Repeat("+1", 2000) + "))"},
		{"arithmetic choices", "echo $((" + strings.Repeat("1?1?1:", 650)},
		{"substitutions", strings.Repeat("echo $(ls);", 370)},
		{"substitutions in one", "cat" + strings.Repeat(" $(ls)", 680)},
		{"substitutions in substitutions", "echo " + strings.Repeat("$(ls;", 50) + "ls" + strings.Repeat(")", 50)},
		{"backquotes", strings.Repeat("`ls`;", 810)},
		{"here-documents", strings.Repeat("cat <<E\nE\n", 400)},
		{"one here-document", "cat <<E\n" + strings.Repeat("$(ls) $x ", 440) + "\nE\n"},
		{"here-strings", strings.Repeat("cat <<<a;", 450)},
		{"redirections", "ls" + strings.Repeat(" >a", 1300)},
		{"descriptors", "exec" + fill(" %d>a")},
		{"shells in shells", shells(9)},
		{"shells", strings.Repeat("sh -c 'ls;ls';", 290)},
		{"evals", strings.Repeat("eval ls;", 500)},
		{"evals in evals", strings.Repeat("eval ", 800) + "ls"},
		{"wrappers", strings.Repeat("nice ", 800) + "ls"},
		{"xargs in xargs", "ls|" + strings.Repeat("xargs ", 650) + "cat"},
		{"env -S", "env -S '" + strings.Repeat("env ", 1000) + "ls'"},
		{"traps", strings.Repeat("trap ls EXIT;", 310)},
		{"printing loop", "x=$(for i in {1..200};do for j in {1..200};do echo " + strings.Repeat("a", 3000) + ";done;done)"},
		{"printf", "printf '" + strings.Repeat("%999d", 700) + "'"},

		// programs and settings
		{"sed", "sed '" + strings.Repeat("s/a/b/;", 560) + "' f"},
		{"sed files", "sed" + strings.Repeat(" -f s", 800)},
		{"awk", "awk '" + strings.Repeat("{print}", 560) + "' f"},
		{"jq", "jq '" + strings.Repeat(".a|", 1300) + ".' f"},
		{"git", strings.Repeat("git status;", 370)},
		{"git with effects", strings.Repeat("git add a;git mv a b;", 190)},
		{"git settings", "git" + strings.Repeat(" -c a.b=c", 440) + " status"},
		{"git directories", strings.Repeat("git -C d log;", 310)},
		{"options", "ls" + strings.Repeat(" -l", 1300)},
		{"long options", "ls" + strings.Repeat(" --al", 680)},
		{"upwards", strings.Repeat("rg x;", 800)},
		{"tar members", "tar xf t" + strings.Repeat(" m", 2000)},
	}
}

// fill repeats a piece with a number in it up to the size.
func fill(piece string) string {
	var b strings.Builder
	for i := 0; b.Len() < Size-100; i++ {
		fmt.Fprintf(&b, piece, i)
	}
	return b.String()
}

// chain hands each name on to the next.
func chain(piece string) string {
	var b strings.Builder
	for i := 0; b.Len() < Size-100; i++ {
		fmt.Fprintf(&b, piece, i, i+1)
	}
	return b.String()
}

func choices(n int) string {
	var b strings.Builder
	for i := range n {
		name := string(rune('a' + i%26))
		b.WriteString("if ls;then " + name + "=1;elif ls;then " + name + "=2;else " + name + "=3;fi;")
	}
	return b.String()
}

func shells(n int) string {
	s := "ls"
	for range n {
		s = "sh -c \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(s) + "\""
	}
	return s
}
