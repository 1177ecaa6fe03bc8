//go:build linux

package family

import (
	_ "embed"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/tests/oracle/installed"
	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

//go:embed state.txt
var stateText string

var stateWords = sync.OnceValue(func() map[string][]string { return sections(stateText) })

// stateWorld has names that patterns, options and shell settings make a difference to.
var stateWorld = &world.Spec{
	Tree: world.Merge(plain, []entry{
		world.F("sub/s.txt", "in main\n"), world.F("{OUT}/sub/s.txt", "out main\n"), world.F("{OUT}/a.txt", "out a\n"), world.F("rc", "cat {OUT}/secret.txt\n"), world.F("{OUT}/rc", "cat {OUT}/secret.txt\n"),
		world.F("-n", "x\n"), world.F(".hid", "h main\n"), world.L(".hl", "../out/secret.txt"), world.F("A.TXT", "up\n"), world.L("Link", "../out/secret.txt"), world.F("x y/k", "k\n"), world.L("x y/l", "../../out/secret.txt"),
		world.F("{OUT}/home/.profile", "cat {OUT}/secret.txt\n"), world.F("f1", "a.txt\nlink-out\n"), world.X("pth/cat", plant), world.X("pth/ls", plant), world.X("pth/gsed", plant),
		world.L("[a]", "../out/secret.txt"), world.L(`\a`, "../out/secret.txt"), world.F("cfg/git/config", "[core]\n\tfsmonitor = {ROOT}/pay\n"), world.F(".inputrc", "x\n"), world.F("ripgreprc", "--pre={ROOT}/pay\n"), world.F(".terminfo/d/dumb", "x"),
	}),
	Setup: repository,
}

// shellOptions are the names that bash has for `set -o` and `shopt`.
var shellOptions = sync.OnceValues(func() (set, shopt []string) {
	names := func(text string) []string {
		out, err := exec.Command("bash", "--norc", "-c", text).Output()
		if err != nil {
			return nil
		}
		var list []string
		for line := range strings.Lines(string(out)) {
			if fields := strings.Fields(line); len(fields) == 2 {
				list = append(list, fields[0])
			}
		}
		return list
	}
	return names("set -o"), names("shopt; true")
})

// manualVariable fits a name that a manual page gives a variable.
var manualVariable = regexp.MustCompile(`\b[A-Z][A-Z0-9_]{3,}\b`)

// noVariables stand in capitals in manual pages for other reasons.
var noVariables = strings.Fields("ASCII POSIX NOTE ALSO NAME SYNOPSIS DESCRIPTION OPTIONS AUTHOR BUGS COPYRIGHT REPORTING FILE FILES EXIT STATUS HISTORY ENVIRONMENT EXAMPLES UTF NUL SIZE WORD SOURCE DEST")

// named are the variables that the manual page of a command names.
func named(command string) []string {
	list := manualVariable.FindAllString(installed.Manual(command), -1)
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(n string) bool { return slices.Contains(noVariables, n) })
}

// state joins a way to set something with a use that would show it.
type state struct {
	drawn
	named map[string][]string // the variables of each command
}

func newState(o Options, only *regexp.Regexp) Family {
	f := &state{named: map[string][]string{}}
	f.drawn = drawn{Options: o, name: "state", only: only, world: stateWorld, dash: 8, draw: f.line}
	return f
}

func (f *state) line(r *rnd) Case {
	w := stateWords()
	use := pick(r, w["use"])
	switch n := r.IntN(100); {
	case n < 38:
		v := pick(r, w["variable"])
		return Case{Kind: "variable: " + v, By: "variable", Command: assigned(pick(r, w["assign"]), v, pick(r, w["value"]), use)}
	case n < 48:
		v := pick(r, w["variable"])
		return Case{Kind: "inherited: " + v, By: "inherited", Command: use, Env: inherited(v, pick(r, w["value"]))}
	case n < 60:
		return f.manual(r)
	case n < 74:
		return f.option(r, use)
	case n < 86:
		builtin := pick(r, w["builtin"])
		argument := pick(r, w["argument"])
		if r.IntN(3) == 0 {
			argument += " " + pick(r, w["argument"])
		}
		return Case{Kind: "builtin: " + builtin, By: "builtin", Command: assigned(pick(r, w["with builtin"]), builtin, argument, use)}
	case n < 95:
		odd := pick(r, w["odd"])
		return Case{Kind: "odd: " + odd, By: "odd", Command: strings.ReplaceAll(odd, "{U}", use)}
	}
	v, u := pick(r, w["variable"]), pick(r, w["variable"])
	inner := assigned(pick(r, w["assign"]), u, pick(r, w["value"]), use)
	return Case{Kind: "two: " + min(v, u) + " " + max(v, u), By: "two", Command: assigned(pick(r, w["assign"]), v, pick(r, w["value"]), inner)}
}

func assigned(form, v, x, use string) string {
	return strings.NewReplacer("{V}", v, "{X}", x, "{U}", use).Replace(form)
}

// inherited is a variable of the environment; $PWD is no word there.
func inherited(name, value string) map[string]string {
	name, _, _ = strings.Cut(name, "[")
	return map[string]string{name: strings.ReplaceAll(value, "$PWD", "{ROOT}")}
}

// manual sets a variable that the command's own manual page names.
func (f *state) manual(r *rnd) Case {
	w := stateWords()
	name := pick(r, Commands())
	if f.named[name] == nil {
		f.named[name] = append(named(name), "TZ")
	}
	v, x := pick(r, f.named[name]), pick(r, w["value"])
	use := line(name, pick(r, shapes()[name]), "", pick(r, []string{"a.txt", "src", "list"}))
	c := Case{Kind: "named: " + name + " " + v, By: "named", Command: use}
	if r.IntN(3) == 0 {
		c.Env = inherited(v, x)
		return c
	}
	c.Command = assigned(pick(r, []string{`{V}="{X}" {U}`, `export {V}="{X}"; {U}`, `env {V}="{X}" {U}`, `declare -x {V}="{X}"; {U}`, `set -a; {V}="{X}"; {U}`}), v, x, use)
	return c
}

// option sets one or two options of the shell.
func (f *state) option(r *rnd, use string) Case {
	w := stateWords()
	set, shopt := shellOptions()
	if len(set) == 0 || len(shopt) == 0 {
		set, shopt = []string{"posix"}, []string{"extglob"}
	}
	one := func() (text, name string) {
		switch r.IntN(4) {
		case 0:
			name = pick(r, strings.Split("abefhkmnptuvxBCEHPT", ""))
			return pick(r, []string{"set -", "set +"}) + name, name
		case 1:
			name = pick(r, set)
			return pick(r, []string{"set -o ", "set +o ", "shopt -so "}) + name, name
		}
		name = pick(r, shopt)
		return pick(r, []string{"shopt -s ", "shopt -s ", "shopt -u "}) + name, name
	}
	text, name := one()
	switch r.IntN(8) {
	case 0:
		name = pick(r, set)
		return Case{Kind: "option: bash -o " + name, By: "option", Command: "bash -o " + name + " -c '" + strings.ReplaceAll(use, "'", `"`) + "'"}
	case 1:
		name = pick(r, shopt)
		return Case{Kind: "option: bash -O " + name, By: "option", Command: "bash -O " + name + " -c '" + strings.ReplaceAll(use, "'", `"`) + "'"}
	case 2:
		return Case{Kind: "option: inherited " + name, By: "option", Command: use, Env: map[string]string{pick(r, []string{"SHELLOPTS", "BASHOPTS"}): name}}
	case 3:
		more, other := one()
		text, name = text+"; "+more, min(name, other)+" "+max(name, other)
	}
	if r.IntN(2) == 0 {
		text = pick(r, w["before"]) + "\n" + text
	}
	return Case{Kind: "option: " + name, By: "option", Command: text + pick(r, []string{"; ", "\n", " && "}) + use}
}
