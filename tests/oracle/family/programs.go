//go:build linux

package family

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

//go:embed programs.txt
var programsText string

// programWords keeps empty entries of two lists, which stand for nothing at all.
var programWords = sync.OnceValue(func() map[string][]string {
	w := sections(programsText)
	for _, name := range []string{"jq option", "find join"} {
		w[name] = append(w[name], "", "", "")
	}
	return w
})

// programsWorld has programs and data in files.
var programsWorld = &world.Spec{Tree: world.Merge(plain, []entry{
	world.F("p.sed", "r ../out/secret.txt\n"), world.F("i.sed", "s/a/b/\n"), world.L("l.sed", "../out/secret.txt"), world.F("p.awk", "{ print }\n"), world.F("n.awk", "BEGIN { getline x < \"../out/secret.txt\"; print x }\n"),
	world.F("p.jq", ".a\n"), world.F("x.jq", "def f: 1;\n"), world.F("{OUT}/a.jq", "def g: 2;\n"), world.L("x.json", "../out/j.json"),
})}

// newPrograms writes programs for sed, awk, jq and find.
func newPrograms(o Options, only *regexp.Regexp) Family {
	return &drawn{Options: o, name: "programs", only: only, world: programsWorld, draw: programCase}
}

func programCase(r *rnd) Case {
	by := pick(r, []string{"sed", "awk", "jq", "find", "find"})
	text, kind := writers[by](r)
	return Case{Kind: by + ": " + kind, By: by, Command: text}
}

var writers = map[string]func(r *rnd) (text, kind string){"sed": sedText, "awk": awkText, "jq": jqText, "find": findText}

// places fills the files and commands of a program in, each with one of its own.
func places(r *rnd, text string) string {
	w := programWords()
	for strings.Contains(text, "{F}") {
		text = strings.Replace(text, "{F}", pick(r, w["file"]), 1)
	}
	for strings.Contains(text, "{W}") {
		text = strings.Replace(text, "{W}", pick(r, w["write"]), 1)
	}
	for strings.Contains(text, "{C}") {
		text = strings.Replace(text, "{C}", pick(r, w["command"]), 1)
	}
	return text
}

// quoted puts a program into quotes of a kind that holds it.
func quoted(r *rnd, text string) string {
	if !strings.Contains(text, "'") && r.IntN(6) > 0 {
		return "'" + text + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
}

func sedText(r *rnd) (text, kind string) {
	w := programWords()
	kind = pick(r, w["sed"])
	program := kind
	for r.IntN(2) == 0 {
		more := pick(r, w["sed"])
		program = pick(r, []string{program + ";" + more, program + "\n" + more, "{" + program + "}", "{" + program + "\n}", more + "\n" + program, program + " ; " + more, "1{" + program + ";}"})
	}
	program = places(r, program)
	command := "sed " + pick(r, []string{"", "-n ", "-i ", "-s ", "-E ", "-z ", "-u ", "--posix ", "-n -i.bak ", "--sandbox ", "--debug ", "-ni ", "-i '' "})
	switch r.IntN(6) {
	case 0:
		command += "-e " + quoted(r, program) + " -e " + quoted(r, places(r, pick(r, w["sed"]))) + " "
	case 1:
		command += "--expression=" + quoted(r, program) + " "
	case 2:
		command += pick(r, []string{"-f p.sed ", "-f i.sed ", "-f l.sed ", "--file=p.sed ", "-fi.sed ", "-f - "})
	default:
		command += quoted(r, program) + " "
	}
	return command + pick(r, []string{"a.txt", "a.txt b.txt", "link-out", "src/a.txt", "< a.txt", "*.txt", "-- a.txt", ""}), kind
}

func awkText(r *rnd) (text, kind string) {
	w := programWords()
	kind = pick(r, w["awk"])
	program := kind
	for r.IntN(3) == 0 {
		program = pick(r, []string{program + "\n" + pick(r, w["awk"]), pick(r, w["awk"]) + "\n" + program})
	}
	program = places(r, program)
	command := pick(r, []string{"awk ", "awk ", "gawk ", "mawk "}) + places(r, pick(r, []string{"", "", "-F: ", "-v f={F} ", "-v x='{C}' ", "-f p.awk ", "-f n.awk ", "-i {F} ", "-E p.awk ", "--posix ", "-W version ", "-W exec p.awk ", "-v ARGV=1 ", "-e 1 ", "-l filefuncs ", "-n ", "-b ", "-S ", "-M ", "-d{W} ", "-p{W} ", "-o{W} ", "--dump-variables={W} ", "--profile={W} ", "--pretty-print={W} "}))
	if !strings.Contains(command, "-f ") || r.IntN(4) == 0 {
		command += quoted(r, program) + " "
	}
	return command + places(r, pick(r, []string{"a.txt", "a.txt b.txt", "link-out", "src/a.txt", "< a.txt", "f={F} a.txt", "a.txt f={F} b.txt", "FS=: a.txt", "-- a.txt", "x={F}", "./x={F} a.txt", "*.txt", ""})), kind
}

func jqText(r *rnd) (text, kind string) {
	w := programWords()
	kind = pick(r, w["jq"])
	program := kind
	if r.IntN(3) == 0 {
		program += pick(r, []string{" | ", ", ", "\n| "}) + pick(r, w["jq"])
	}
	first, second := places(r, pick(r, w["jq option"])), places(r, pick(r, w["jq option"]))
	files := places(r, pick(r, []string{"j.json", "j.json link-out", "{F}", "< j.json", "-n", "a.txt j.json", "*.json", "-- {F}", ""}))
	switch r.IntN(4) {
	case 0:
		return fill("jq "+first+" "+pick(r, []string{"p.jq", "x.jq", "link-out"})+" "+second+" "+files, "\x00", ""), kind
	case 1:
		return "jq " + quoted(r, places(r, program)) + " " + first + " " + files + " " + second, kind
	}
	return "jq " + first + " " + second + " " + quoted(r, places(r, program)) + " " + files, kind
}

func findText(r *rnd) (text, kind string) {
	w := programWords()
	kind = pick(r, w["find action"])
	parts := []string{"find", pick(r, w["find root"])}
	for range r.IntN(4) {
		parts = append(parts, pick(r, w["find test"]), pick(r, w["find join"]))
	}
	parts = append(parts, kind)
	if r.IntN(3) == 0 {
		parts = append(parts, pick(r, w["find join"]), pick(r, w["find test"]), pick(r, w["find action"]))
	}
	if r.IntN(6) == 0 {
		parts = append(parts, "| "+pick(r, []string{"xargs cat", "xargs ls", "xargs -I{} cp {} o", "while read f; do cat $f; done", "head -1"}))
	}
	return places(r, fill(strings.Join(parts, " "), "\x00", "")), kind
}
