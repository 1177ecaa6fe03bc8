//go:build linux

package oracle

import (
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
)

// Sequence makes a case in which commands change names that later ones walk
// through: links made and moved, directories swapped, files replaced.
func (g *Generator) Sequence() *truth.Case {
	g.n++
	var list []string
	for range 2 + g.r.IntN(3) {
		list = append(list, g.mutation())
	}
	text := strings.Join(list, g.pick("; ", "; ", " && ", " || "))
	switch g.r.IntN(12) {
	case 0:
		text = "for i in 1 2; do " + text + "; done"
	case 1:
		text = "(" + text + "); cat " + g.target()
	case 2:
		text = list[0] + " | " + strings.Join(list[1:], "; ")
	}
	file := func(p string) truth.Entry {
		content := truth.Text("x\n")
		return truth.Entry{Path: truth.Text(p), Type: "file", Content: &content}
	}
	link := func(p, t string) truth.Entry {
		return truth.Entry{Path: truth.Text(p), Type: "symlink", Target: truth.Text(t)}
	}
	return &truth.Case{
		ID: fmt.Sprintf("sequence-%06d", g.n), Group: "sequence", Shape: "sequence", Shell: g.pick("bash", "bash", "dash"),
		Cwd: "{ROOT}", Roots: []truth.Text{"{ROOT}"}, Home: "{OUT}/home", Command: truth.Text(text),
		Tree: []truth.Entry{
			file("{ROOT}/a.txt"), file("{ROOT}/b.txt"), file("{ROOT}/src/a.txt"), file("{ROOT}/src/x"), file("{ROOT}/src/sub/x"), file("{ROOT}/d/x"), file("{ROOT}/e/x"),
			link("{ROOT}/l", "a.txt"), link("{ROOT}/m", "../out/secret.txt"), link("{ROOT}/dl", "src"), link("{ROOT}/lo", "../out/d"), link("{ROOT}/li", "d"), link("{ROOT}/dang", "../out/new"),
			link("{ROOT}/d/l", "../../out/secret.txt"), link("{ROOT}/e/m", "../a.txt"),
			file("{OUT}/secret.txt"), file("{OUT}/a.txt"), file("{OUT}/d/x"), file("{OUT}/d/a.txt"), file("{OUT}/x"),
		},
	}
}

func (g *Generator) target() string {
	n := g.pick("a.txt", "b.txt", "l", "m", "d", "e", "src", "dl", "lo", "li", "n", "dang")
	for g.r.IntN(3) == 0 {
		n += "/" + g.pick("a.txt", "x", "l", "m", "..", "sub", "n")
	}
	if g.r.IntN(12) == 0 {
		n += "/"
	}
	return n
}

func (g *Generator) targets() string {
	return g.pick("*", "*.txt", "[a-e]*", "*/x", "d*/*", "l*", "*/..", "*/../a.txt", "src/*", "?", "n*/x", "*/*")
}

func (g *Generator) mutation() string {
	switch g.r.IntN(24) {
	case 0, 1:
		return "ln -s " + g.pick("a.txt", "../out/secret.txt", "../out/d", "src", ".", "..", "nope", "../a.txt") + " " + g.target()
	case 2:
		return "ln -sfn " + g.pick("a.txt", "../out/secret.txt", "../out", "src") + " " + g.target()
	case 3, 4:
		return "mv " + g.target() + " " + g.target()
	case 5:
		return "cp " + g.target() + " " + g.target()
	case 6:
		return "cp -P " + g.target() + " " + g.target()
	case 7:
		return "cp -r " + g.pick("src", "d", "e", "src/.", "dl", g.target()) + " " + g.target()
	case 8:
		return "rm " + g.target()
	case 9:
		return "rm -rf " + g.target()
	case 10:
		return "mkdir -p " + g.target()
	case 11, 12:
		return "echo x > " + g.target()
	case 13:
		return "cat " + g.targets()
	case 14:
		return "sed -i s/x/y/ " + g.target()
	case 15:
		return "cd " + g.target()
	case 16:
		return "grep " + g.pick("-r", "-R") + " x " + g.target()
	case 17:
		return "touch " + g.target()
	case 18:
		return "cat < " + g.pick(g.targets(), g.target())
	case 19:
		return "cp " + g.targets() + " " + g.target()
	case 20:
		return "find " + g.target() + " -type f | xargs cat"
	case 21:
		return "tar cf t.tar " + g.target() + "; tar xf t.tar -C " + g.target()
	}
	return "cat " + g.target()
}
