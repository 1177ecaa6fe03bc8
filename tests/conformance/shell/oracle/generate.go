//go:build linux

package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// Rows are the names of the rows that have specimens.
func Rows() []string {
	var out []string
	for name := range specimens {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Specimens are the command lines of one row.
func Specimens(row string) []string { return specimens[row] }

// Generator makes cases: commands from the specimens in texts of all shapes,
// over trees full of links. The same seed makes the same cases.
type Generator struct {
	r       *rand.Rand
	n       int
	vars    int
	prelude strings.Builder // assignments before the command
}

// New returns a generator.
func New(seed uint64) *Generator {
	return &Generator{r: rand.New(rand.NewPCG(seed, 0x6f7261636c65))}
}

func (g *Generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

// tree is the tree of every generated case, with some links that vary.
func (g *Generator) tree() []truth.Entry {
	file := func(p, content string) truth.Entry {
		c := truth.Text(content)
		return truth.Entry{Path: truth.Text(p), Type: "file", Content: &c}
	}
	link := func(p, target string) truth.Entry {
		return truth.Entry{Path: truth.Text(p), Type: "symlink", Target: truth.Text(target)}
	}
	t := []truth.Entry{
		file("{ROOT}/a.txt", "alpha\nmain\n"), file("{ROOT}/b.txt", "b.txt\na.txt\n"), file("{ROOT}/sp ace.txt", "s\n"), file("{ROOT}/.hid", "h\n"),
		file("{ROOT}/list", "a.txt\nsrc/main.go\n"), file("{ROOT}/j.json", "{\"a\": 1}\n"), file("{ROOT}/2.txt", "2\n"),
		file("{ROOT}/src/main.go", "package main\n"), file("{ROOT}/src/x.txt", "x main\n"), file("{ROOT}/src/.env", "E=1\n"), file("{ROOT}/src/sub/deep.txt", "deep main\n"),
		file("{ROOT}/d/x.txt", "x\n"), file("{ROOT}/d/y.txt", "y\n"), {Path: "{ROOT}/w", Type: "dir"},
		link("{ROOT}/lin", "a.txt"), link("{ROOT}/lout", "../out/secret.txt"), link("{ROOT}/dlin", "src"), link("{ROOT}/dlout", "../out/d"),
		link("{ROOT}/dang", "../out/new.txt"), link("{ROOT}/dangin", "newin.txt"), link("{ROOT}/up", "src/sub"), link("{ROOT}/loop1", "loop2"), link("{ROOT}/loop2", "loop1"),
		link("{ROOT}/chain", "lout"), link("{ROOT}/abs", "{ROOT}/src"), link("{ROOT}/src/back", g.pick("..", "../d", "../../out", "../a.txt")),
		link("{ROOT}/d/l.txt", g.pick("../a.txt", "../../out/secret.txt", "x.txt", "nope")), link("{ROOT}/outer", "../out"), link("{ROOT}/missing", "no/where"),
		file("{OUT}/secret.txt", "secret main\n"), file("{OUT}/d/s.txt", "s main\n"), file("{OUT}/d/x.txt", "outer x\n"), file("{OUT}/home/h.txt", "h\n"), file("{OUT}/x.txt", "ox\n"),
		link("{OUT}/d/in", "../../root/a.txt"),
	}
	if g.r.IntN(4) == 0 {
		t = append(t, file("{ROOT}/-n", "dash\n"))
	}
	if g.r.IntN(6) == 0 {
		t = append(t, truth.Entry{Path: "{ROOT}/locked", Type: "dir", Mode: "000"})
	}
	return t
}

func (g *Generator) path(dirs bool) string {
	if dirs {
		return g.pick("src", "d", "w", "dlin", "dlout", "up", "abs", "outer", "src/sub", "src/back", ".", "..", "../out", "{ROOT}/src", "{OUT}/d", "./d", "d/", "dlout/", "dlout/..", "up/..", "nope", "src/../d", "../root/d", "~", "locked")
	}
	return g.pick("a.txt", "b.txt", "sp ace.txt", ".hid", "list", "j.json", "src/main.go", "src/x.txt", "d/x.txt", "lin", "lout", "dlin/x.txt", "dlout/s.txt", "dang", "up/deep.txt",
		"chain", "abs/main.go", "src/back/x.txt", "d/l.txt", "outer/secret.txt", "../out/secret.txt", "{ROOT}/a.txt", "{OUT}/secret.txt", "./a.txt", "src/../a.txt", "up/../x.txt",
		"dlout/../secret.txt", "nope.txt", "loop1", "~/h.txt", "a.txt/", "d//x.txt", "dlout/in", "missing", "-n", "./-n", "abs/../a.txt")
}

func (g *Generator) writable() string {
	return g.pick("new.txt", "w/new.txt", "a.txt", "b.txt", "dang", "dangin", "lin", "lout", "dlout/new.txt", "dlin/new.txt", "outer/n.txt", "../out/n.txt", "{OUT}/n.txt", "{ROOT}/n.txt",
		"up/n.txt", "nope/n.txt", "w/../n.txt", "dlout/../n.txt", "d/l.txt", "sp new.txt", "~/n.txt", "missing", ".newhid")
}

func (g *Generator) pattern() string {
	return g.pick("*.txt", "*", "./*", "s*/x.txt", "*/x.txt", "d/*", "[ab].txt", "l*", "*out/s.txt", "dlout/*", "../out/*.txt", "*/../a.txt", ".h*", "src/.*", "zz*", "?.txt", "{OUT}/d/*", "up/../*", "[!a]*.txt", "src/*/deep.txt", "*/*.txt", "**/x.txt", "outer/d*/s.txt")
}

// spell quotes a path one way or another; a pattern and a tilde stay open.
func (g *Generator) spell(p string, open bool) string {
	if open || strings.HasPrefix(p, "~") {
		return p
	}
	if strings.Contains(p, " ") {
		return g.pick("'"+p+"'", "\""+p+"\"", strings.ReplaceAll(p, " ", `\ `), "$'"+p+"'")
	}
	switch g.r.IntN(10) {
	case 0:
		return "'" + p + "'"
	case 1:
		return "\"" + p + "\""
	case 2:
		n := g.r.IntN(len(p))
		if strings.HasPrefix(p, "{") || p[n] == '{' {
			return p
		}
		return p[:n] + `\` + p[n:]
	case 3:
		if i := strings.IndexByte(p, '/'); i > 0 && p[0] != '{' {
			return p[:i] + "\"" + p[i:] + "\""
		}
	}
	return p
}

// fill puts words in place of the placeholders. Quotes of the template around a
// placeholder stay valid because {q} is never quoted.
func (g *Generator) fill(t string) string {
	var out strings.Builder
	for i := 0; i < len(t); {
		if t[i] == '{' && i+2 < len(t) && t[i+2] == '}' {
			quoted := inQuotes(t[:i])
			word := func(p string, open bool) {
				if quoted {
					out.WriteString(strings.NewReplacer(" ", "", "~/", "").Replace(p))
				} else if made, ok := g.make(p, open); ok {
					out.WriteString(made)
				} else {
					out.WriteString(g.spell(p, open))
				}
			}
			switch t[i+1] {
			case 'f':
				word(g.path(g.r.IntN(12) == 0), false)
			case 'd':
				word(g.path(true), false)
			case 'w':
				word(g.writable(), false)
			case 'x':
				if g.r.IntN(2) == 0 {
					word(g.writable(), false)
				} else {
					word(g.path(g.r.IntN(3) == 0), false)
				}
			case 'p':
				word(g.pattern(), true)
			case 'q':
				out.WriteString(strings.NewReplacer(" ", "", "~/", "").Replace(g.path(false)))
			case 'n':
				fmt.Fprint(&out, 1+g.r.IntN(9))
			default:
				out.WriteString(t[i : i+3])
			}
			i += 3
			continue
		}
		out.WriteByte(t[i])
		i++
	}
	return out.String()
}

// make spells a path through an expansion, now and then.
func (g *Generator) make(p string, open bool) (string, bool) {
	if g.r.IntN(6) != 0 || strings.ContainsAny(p, "~") {
		return "", false
	}
	g.vars++
	v := fmt.Sprintf("v%d", g.vars)
	quoted := "'" + p + "'"
	set := func(format string, args ...any) { fmt.Fprintf(&g.prelude, format+"; ", args...) }
	q := func(s string) string { // in double quotes, or not
		if open || g.r.IntN(2) == 0 {
			return s
		}
		return `"` + s + `"`
	}
	half := len(p) / 2
	if i := strings.IndexByte(p, '/'); i > 0 && p[0] != '{' {
		half = i
	} else if p[0] == '{' {
		half = 6
	}
	switch g.r.IntN(20) {
	case 0:
		set("%s=%s", v, quoted)
		return q("$" + v), true
	case 1:
		set("%s=%s.bak", v, quoted)
		return q("${" + v + "%.bak}"), true
	case 2:
		set("%s=pre/%s", v, quoted)
		return q("${" + v + "#pre/}"), true
	case 3:
		return q("${" + v + ":-" + strings.ReplaceAll(p, " ", `\ `) + "}"), !strings.Contains(p, " ")
	case 4:
		set("%s=(x %s y)", v, quoted)
		return q("${" + v + "[1]}"), true
	case 5:
		set("%s=%s; n%s=%s", v, quoted, v, v)
		return q("${!n" + v + "}"), true
	case 6:
		return q("$(echo " + quoted + ")"), true
	case 7:
		return q("`echo " + quoted + "`"), true
	case 8:
		set("%s='%s'", v, p[:half])
		return q("$"+v) + g.spell(p[half:], open), true
	case 9:
		set("%s='%s'; %s+='%s'", v, p[:half], v, p[half:])
		return q("${" + v + "}"), true
	case 10:
		set("set -- x %s", quoted)
		return q("$2"), true
	case 11:
		set("%s=%s", v, strings.ReplaceAll(quoted, "a", "@"))
		return q("${" + v + "//@/a}"), true
	case 12:
		set("printf -v %s %%s %s", v, quoted)
		return q("$" + v), true
	case 13:
		set("%s=zz%s", v, quoted)
		return q("${" + v + ":2}"), !strings.Contains(p, "{")
	case 14:
		set("if true; then %s=%s; else %s=a.txt; fi", v, quoted, v)
		return q("$" + v), true
	case 15:
		set("read -r %s <<< %s", v, quoted)
		return q("$" + v), true
	case 16:
		set("declare %s=%s", v, quoted)
		return q("$" + v), true
	case 17:
		set("export %s=%s", v, quoted)
		return q("${" + v + "}"), true
	case 18:
		set("case x in y) %s=b.txt;; *) %s=%s;; esac", v, v, quoted)
		return q("$" + v), true
	case 19:
		if strings.ContainsAny(p, " *?[{") {
			return "", false
		}
		return "{" + p + ",b.txt}", true
	}
	return "", false
}

// inQuotes reports whether a template is inside quotes at its end.
func inQuotes(t string) bool {
	single, double := false, false
	for i := 0; i < len(t); i++ {
		switch {
		case t[i] == '\\' && !single:
			i++
		case t[i] == '\'' && !double:
			single = !single
		case t[i] == '"' && !single:
			double = !double
		}
	}
	return single || double
}

func (g *Generator) command() string {
	rows := Rows()
	list := specimens[rows[g.r.IntN(len(rows))]]
	return list[g.r.IntN(len(list))]
}

// Case makes the next case.
func (g *Generator) Case() *truth.Case {
	shape := shells[g.r.IntN(len(shells))]
	first, second := g.command(), g.command()
	if strings.Contains(shape, "trap '{c}'") && strings.ContainsAny(first, "'\n") {
		first = "cat {f}"
	}
	if strings.Contains(first, "\n") && shape != "{c}" {
		shape = "{c}"
	}
	if strings.Contains(second, "\n") {
		second = "cat {f}"
	}
	text := strings.NewReplacer("{c}", first, "{c'}", second).Replace(shape)
	return g.of("generated", text)
}

// Of makes a case of one specimen.
func (g *Generator) Of(row, specimen string) *truth.Case { return g.of(row, specimen) }

func (g *Generator) of(group, text string) *truth.Case {
	g.n++
	g.prelude.Reset()
	text = g.fill(text)
	text = g.prelude.String() + text
	c := &truth.Case{
		ID: fmt.Sprintf("%s-%06d", group, g.n), Group: group, Shape: "generated", Shell: "bash",
		Tree: g.tree(), Cwd: "{ROOT}", Roots: []truth.Text{"{ROOT}"}, Home: "{OUT}/home",
		Command: truth.Text(text),
	}
	if g.r.IntN(8) == 0 {
		c.Shell = "dash"
	}
	if g.r.IntN(10) == 0 {
		c.Cwd = truth.Text(g.pick("{ROOT}/src", "{ROOT}/up", "{ROOT}/dlin", "{ROOT}/d"))
	}
	return c
}

// Covered are the commands that stand as a word in some specimen.
func Covered() []string {
	seen := map[string]bool{}
	for row, list := range specimens {
		seen[row] = true
		for _, s := range list {
			for w := range strings.FieldsSeq(s) {
				seen[strings.Trim(w, ";()")] = true
			}
		}
	}
	var out []string
	for w := range seen {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}
