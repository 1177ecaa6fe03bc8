//go:build linux

package family

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

//go:embed names.txt
var namesText string

var nameWords = sync.OnceValue(func() map[string][]string { return sections(namesText) })

// namesWorld has a directory of names with blanks, newlines, quotes, patterns,
// dashes and bytes that are no text. Taken apart, many of them lead outside.
var namesWorld = &world.Spec{
	Tree: world.Merge(plain, []entry{
		world.D("o"), world.F("odd/a", "a main\n"), world.F("odd/x ../out/secret.txt", "within main\n"), world.F("odd/nl\n../out/secret.txt", "within main\n"), world.F("odd/tab\t../out/d/s.txt", "within main\n"),
		world.F("odd/' ../out/j.json", "q main\n"), world.F("odd/\"", "q main\n"), world.F("odd/'", "q main\n"), world.F("odd/[a]", "main\n"), world.L("odd/*", "../../out/secret.txt"), world.L("odd/?ff", "../../out/secret.txt"),
		world.L("odd/\xff", "../../out/secret.txt"), world.F("odd/\xfe\xff x", "main\n"), world.L("odd/é", "../../out/secret.txt"), world.F("odd/e\u0301", "main\n"), world.F(`odd/\`, "main\n"), world.L("odd/$HOME", "../../out/secret.txt"), world.F("odd/~", "main\n"),
		world.F("odd/{a,b}", "main\n"), world.F("odd/$(cat x)", "main\n"), world.F("odd/!", "main\n"), world.F("odd/#x", "main\n"), world.L("odd/ ", "../../out/secret.txt"), world.F("odd/\r", "main\n"), world.F("odd/...", "main\n"), world.F("odd/..x", "main\n"),
		world.F("odd/-rf", "main\n"), world.F("odd/-f", "main\n"), world.F("odd/--files0-from=names0", "main\n"), world.F("odd/-exec", "main\n"), world.F("odd/@names", "main\n"), world.F("odd/-T names", "main\n"), world.F("odd/--checkpoint-action=exec=.", "main\n"),
		world.F("odd/u/v w/x main.txt", "main\n"), world.L("odd/u/v w/l", "../../../../out/d"),
		world.F("odd-list", "odd/x ../out/secret.txt\nodd/' ../out/j.json'\nodd/a \\../out/secret.txt\n../out/d/s.txt\n"), world.F("odd.json", `["odd/a","odd/x ../out/secret.txt"]`+"\n"),
	}),
	Setup: repository + " && tar cf odd.tar odd && { zip -qry odd.zip odd || :; }",
}

// newNames joins what prints names with what takes them, and writes names that
// need care.
func newNames(o Options, only *regexp.Regexp) Family {
	return &drawn{Options: o, name: "names", only: only, world: namesWorld, dash: 6, draw: nameCase}
}

func nameCase(r *rnd) Case {
	w, c, n := nameWords(), Case{By: "printed"}, ""
	if r.IntN(3) == 0 {
		c.By, c.Command = "written", pick(r, w["direct"])
	} else {
		n, c.Command = pick(r, w["print"]), pick(r, w["join"])
	}
	c.Kind = c.By + ": " + c.Command
	c.Command = strings.NewReplacer("{N}", n, "{C}", pick(r, w["take"])).Replace(c.Command)
	return c
}
