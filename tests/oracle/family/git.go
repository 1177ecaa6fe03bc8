//go:build linux

package family

import (
	_ "embed"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/gocore/command"
	"github.com/hydraharness/harness-runtime/tests/oracle/installed"
	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

//go:embed git.txt
var gitText string

var gitWords = sync.OnceValue(func() map[string][]string { return sections(gitText) })

// gitWorld is a repository with all that a repository may have: a branch, tags, a
// stash, a worktree, another repository inside, attributes that name drivers.
var gitWorld = &world.Spec{
	Tree: world.Merge(plain, []entry{world.F("msg", "m\n"), world.F(".gitattributes", "* filter=x diff=x merge=x\n"), world.F("big.bin", "a\x00b\n"), world.F("x.o", "o\n")}),
	Setup: repository + " && git add .gitattributes big.bin lk names && git commit -qm three && git tag v1 && git tag -a v2 -m two && git branch other HEAD~1 && git remote add origin ../out/up.git && " +
		"git update-ref refs/remotes/origin/main HEAD~1 && git checkout -q other && echo o > o.txt && git add o.txt && git commit -qm o && git checkout -q main && git worktree add -q wt -b wtb && " +
		"git init -q nested && (cd nested && git config user.email a@b && git config user.name n && echo n > n.txt && git add n.txt && git commit -qm n) && git clone -q --bare . {OUT}/up.git && " +
		"cp -r .git {OUT}/repo && echo st >> b.txt && git stash -q && echo dirty >> b.txt && echo staged >> j.json && git add j.json && { git diff > w.diff; echo new > new.txt; }",
}

// gitPart makes one block of a part.
type gitPart struct {
	name string
	size int
	make func(r *rnd, i int, b *Block)
}

// git has something wrong with a repository, and then subcommands; and every
// option of every subcommand.
type git struct {
	o     Options
	parts []gitPart
}

func newGit(o Options, only *regexp.Regexp) Family {
	f := &git{o: o}
	w := gitWords()
	subs, keys := gitSubs(), gitKeys()
	for _, p := range []gitPart{
		{"option", len(subs) * gitApart, func(r *rnd, i int, b *Block) { gitOptions(r, subs[i/gitApart], i%gitApart, b) }},
		{"global", 12, gitGlobals},
		{"config", (len(keys)*2 + keysTogether - 1) / keysTogether * len(w["config place"]), func(r *rnd, i int, b *Block) { gitConfig(r, keys, i, b) }},
		{"given", len(keys), func(r *rnd, i int, b *Block) { gitGiven(r, keys[i], b) }},
		{"hook", len(w["hook"]) * len(w["hook place"]), gitHook},
		{"file", len(w["file"]) * len(w["file way"]), func(r *rnd, i int, b *Block) { gitFile(r, "file", i, b) }},
		{"directory", len(w["directory"]) * len(w["directory way"]), func(r *rnd, i int, b *Block) { gitFile(r, "directory", i, b) }},
		{"special", len(w["special"]), func(r *rnd, i int, b *Block) { b.Then = w["special"][i]; gitLines(r, 1000, "special: "+b.Then, b) }},
		{"environment", len(w["environment"]) * len(w["environment value"]), gitEnvironment},
	} {
		if only.MatchString(p.name) {
			f.parts = append(f.parts, p)
		}
	}
	return f
}

func (f *git) Blocks() int {
	n := 0
	for _, p := range f.parts {
		n += p.size
	}
	return n
}

func (f *git) Block(i int) Block {
	b := Block{World: gitWorld, Setting: common, Together: 8, All: true}
	n := i
	for _, p := range f.parts {
		if n < p.size {
			p.make(random(f.o.Seed, "git "+p.name, n), n, &b)
			break
		}
		n -= p.size
	}
	for k := range b.Cases {
		b.Cases[k].By = "git"
		if i := strings.Index(b.Cases[k].Kind, ":"); i > 0 {
			b.Cases[k].By = "git " + b.Cases[k].Kind[:i]
		}
	}
	return b
}

// awkward are the characters of a line that the shell would read.
var awkward = regexp.MustCompile(`\S*[%(){}@?]\S*`)

func gitLine(s string) string {
	return "git " + awkward.ReplaceAllStringFunc(s, func(w string) string { return "'" + w + "'" })
}

// gitLines adds lines: n of each kind, or all.
func gitLines(r *rnd, n int, kind string, b *Block) {
	w := gitWords()
	for _, list := range []string{"look", "change"} {
		for _, s := range some(r, n, w[list]) {
			b.Cases = append(b.Cases, Case{Kind: kind, Command: gitLine(s)})
		}
	}
}

// gitSubs are the subcommands that are modelled.
var gitSubs = sync.OnceValue(func() []string {
	var out []string
	for _, d := range command.DescribeGit() {
		if d.Modelled {
			out = append(out, d.Names...)
		}
	}
	slices.Sort(out)
	return out
})

const (
	// gitApart is how many blocks a subcommand's options are dealt to.
	gitApart = 6
	// keysTogether is how many settings are tried in one repository: most of
	// them do nothing.
	keysTogether = 4
)

func gitSpelled(sub string) []string {
	text := installed.Manual("git-" + sub)
	if sub == "show" || strings.HasPrefix(sub, "diff") || sub == "rev-list" || sub == "shortlog" || sub == "stash" || sub == "reflog" {
		text += installed.Manual("git-log")
	}
	for _, a := range [][]string{{sub, "--git-completion-helper-all"}, {sub, "-h"}} {
		out, _ := exec.Command("git", a...).CombinedOutput()
		text += "\n" + string(out)
	}
	short, long := installed.Read(text)
	var out []string
	for _, s := range short {
		out = append(out, "-"+s)
	}
	for _, l := range long {
		out = append(out, "--"+strings.TrimSuffix(l, "="))
	}
	return out
}

func gitOptions(r *rnd, sub string, part int, b *Block) {
	w := gitWords()
	b.Setting = settingOf(r.Uint64(), part)
	if b.Setting.Name == "below the root" {
		b.Setting = common
	}
	b.Together = 4
	add := func(o, text string) {
		b.Cases = append(b.Cases, Case{Kind: "option: " + sub + " " + o, Command: fill("git "+sub+" "+text, "\x00", "")})
	}
	if part == 0 {
		for _, op := range w["operand"] {
			add("", op)
		}
	}
	for i, o := range gitSpelled(sub) {
		if i%gitApart != part {
			continue
		}
		for _, op := range some(r, 6, w["operand"]) {
			add(o, o+" "+op)
		}
		join := " "
		if strings.HasPrefix(o, "--") {
			join = "="
		}
		for _, v := range some(r, 5, w["value"]) {
			op := pick(r, w["operand"])
			add(o, o+join+v+" "+op)
			add(o, o+" "+v+" "+op)
		}
		add(o, pick(r, w["operand"])+" "+o)
	}
}

// gitGlobals tries what stands in front of a subcommand.
func gitGlobals(r *rnd, i int, b *Block) {
	w := gitWords()
	options := []string{"-C", "-c", "--exec-path", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source", "--list-cmds", "--bare", "--icase-pathspecs"}
	o := options[i%len(options)]
	more := []string{"../out", "nested", "wt", ".", "src", "core.pager=./pay", "alias.status=!./pay", "core.fsmonitor=./pay", "x=HOME", "user.name=HOME", ".git", "../out/repo", "lk/dd", "dlink-out"}
	for _, v := range slices.Concat(w["value"], more) {
		for _, join := range []string{" ", "=", ""} {
			for _, s := range some(r, 3, []string{"status", "log -1", "diff", "ls-files", "init", "config -l", "show", "add -A", "-C src status", "--git-dir=.git log"}) {
				b.Cases = append(b.Cases, Case{Kind: "global: " + o, Command: "git " + o + join + v + " " + s})
			}
		}
	}
}

func gitHook(r *rnd, i int, b *Block) {
	w := gitWords()
	hook, place := w["hook"][i%len(w["hook"])], w["hook place"][i/len(w["hook"])]
	b.Then = strings.ReplaceAll(place, "{H}", hook)
	gitLines(r, 1000, "hook: "+hook, b)
}

func gitFile(r *rnd, sort string, i int, b *Block) {
	w := gitWords()
	f, way := w[sort][i%len(w[sort])], w[sort+" way"][i/len(w[sort])]
	b.Then = strings.ReplaceAll(way, "{F}", f)
	gitLines(r, 30, sort+": "+f+" by "+way[:min(24, len(way))], b)
}
