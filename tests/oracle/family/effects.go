//go:build linux

package family

import (
	_ "embed"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

//go:embed effects.txt
var effectsText string

var effectWords = sync.OnceValue(func() map[string][]string { return sections(effectsText) })

// effectsWorld is a repository with a branch, a stash, patches and archives that
// hold links which lead outside.
var effectsWorld = &world.Spec{
	Tree: world.Merge(plain, []entry{
		world.L("tl", "../out/d"), world.F("two words/k.txt", "k main\n"), world.L("two words/l", "../../out/secret.txt"), world.F("emp/.keep", ""), world.L("src/ln2", "sub"),
		world.F("dirs/one/a", "a main\n"), world.F("dirs/two/b", "b main\n"), world.F("{OUT}/d/a.txt", "oa main\n"), world.F("{OUT}/d/in.txt", "oi main\n"),
		world.L("lk2/up", ".."), world.L("selfl", "."), world.L("par", "src/.."),
	}),
	Setup: repository + " && git checkout -q -b withl && ln -s ../out/d y && mkdir -p nd && ln -s ../../out/d nd/y && ln -s ../../out/d src/y && git add y nd src/y && git commit -qm l && " +
		"git checkout -q main && ln -s ../out/d y && ln -s ../../out/d src/y && mkdir nd && ln -s ../../out/d nd/y && tar cf in.tar y src/y nd/y && { zip -qry in.zip y src/y nd/y || :; } && " +
		"tar czf in.tgz y src/y nd/y && { git diff --no-index /dev/null y > y.patch; git diff main withl > wl.patch; git stash -qu -- y src/y nd 2>/dev/null; :; } && rm -rf y src/y nd && tar cf lk.tar lk && tar cf src.tar src",
}

// newEffects joins something that makes, moves, links, copies or unpacks with
// something that uses the place, in many contexts.
func newEffects(o Options, only *regexp.Regexp) Family {
	return &drawn{Options: o, name: "effects", only: only, world: effectsWorld, dash: 4, draw: effectCase}
}

func effectCase(r *rnd) Case {
	w := effectWords()
	switch n := r.IntN(16); {
	case n < 4:
		return chained(r)
	case n < 7:
		return joined(r, "swap", pick(r, w["swap"]), pick(r, w["use swapped"]), ".", "")
	case n < 9:
		place, before := effectPlace(r)
		if r.IntN(5) < 3 {
			before = ""
		}
		return joined(r, "move", pick(r, w["move"]), pick(r, w["use cwd"]), place, before)
	case n < 10:
		return later(r)
	}
	place, before := effectPlace(r)
	return joined(r, "link", leavesLink(r), pick(r, w["use"]), place, before)
}

// leavesLink is an effect that leaves a link at {D}, or something that holds one.
func leavesLink(r *rnd) string {
	w := effectWords()
	switch r.IntN(3) {
	case 0:
		return fill(pick(r, w["make"]), "{T}", pick(r, []string{"{OUT}/d", "{OUT}/d", "../out/d", "../../out/d", "$(readlink -f tl)", "{OUT}"}))
	case 1:
		l := pick(r, []string{"tl", "dlink-out", "lk", "lk/dd", "lk2", "lk2/up", "par", "src/up", "link-out", "dangle", "lnk-lk", "'two words'"})
		return fill(pick(r, w["carry"]), "{LB}", path.Base(l), "{L}", l)
	}
	return pick(r, w["unpack"])
}

func effectPlace(r *rnd) (place, before string) {
	place, before, _ = strings.Cut(pick(r, effectWords()["place"]), " ; ")
	return place, before
}

// joined puts an effect and a use into a context.
func joined(r *rnd, by, effect, use, place, before string) Case {
	w := effectWords()
	context := "{E}; {U}"
	if r.IntN(4) > 0 {
		context = pick(r, w["context"])
	}
	other := leavesLink(r)
	if r.IntN(2) == 0 {
		other = pick(r, w[pick(r, []string{"move", "swap"})])
	}
	text := strings.NewReplacer("{E}", effect, "{E2}", other, "{U}", use).Replace(context)
	if before != "" {
		text = before + pick(r, []string{"; ", " && "}) + text
	}
	return Case{Kind: by + ": " + effect, By: by, Command: placed(text, place)}
}

func placed(text, place string) string {
	dir, name := path.Split(place)
	if dir = strings.TrimSuffix(dir, "/"); dir == "" {
		dir = "."
	}
	return strings.NewReplacer("{D}", place, "{P}", dir, "{B}", name).Replace(text)
}

// chained re-points a name, carries it to another one and uses that.
func chained(r *rnd) Case {
	w := effectWords()
	sort, x, y := "file", pick(r, []string{"a.txt", "b.txt", "list", "src/a.txt", "dirs/one/a"}), pick(r, []string{"b.txt", "j.json", "src/a.txt", "src/new", "new", "list", "emp/new", "dlink-in/new"})
	if r.IntN(3) == 0 {
		sort, x, y = "dir", pick(r, []string{"src", "emp", "dirs", "dirs/one", "src/sub", "lk", "two"}), pick(r, []string{"new", "emp", "src/new", "emp/new", "dirs/new", "dlink-in/new"})
	}
	context := pick(r, []string{"{E}; {C}; {U}", "{E}; {C}; {U}", "{E} && {C} && {U}", "f() { {U}; }; {E}; {C}; f", "for i in 1 2; do {U}; {E}; {C}; done", "({E}; {C}); {U}", "{E}; {C} || :; {U}", "if {E}; then {C}; fi; {U}", "{E}; { {C}; } | cat; {U}", "{E}; {C} & wait; {U}"})
	carry := pick(r, w["carry on"])
	text := strings.NewReplacer("{E}", pick(r, w["point "+sort]), "{C}", carry, "{U}", pick(r, w["then "+sort])).Replace(context)
	text = strings.NewReplacer("{X}", x, "{Y}", y, "{XB}", path.Base(x), "{YB}", path.Base(y)).Replace(text)
	return Case{Kind: "chain: " + carry, By: "chain", Command: text}
}

// later has somebody else do it between the gate's look and the start.
func later(r *rnd) Case {
	w := effectWords()
	place, before := effectPlace(r)
	effect, use := leavesLink(r), pick(r, w["use"])
	if r.IntN(2) == 0 {
		effect, use, place, before = pick(r, w["swap"]), pick(r, w["use swapped"]), "y", ""
	}
	if before != "" {
		before += "; "
	}
	return Case{Kind: "later: " + effect, By: "later", Command: placed(use, place), Between: placed(before+effect, place)}
}
