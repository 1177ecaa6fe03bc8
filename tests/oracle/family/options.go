//go:build linux

package family

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hydraharness/harness-runtime/tests/oracle/installed"
	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

//go:embed shapes.txt
var shapesText string

// shapes are the forms of each command; Commands their names.
var shapes = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.SplitSeq(shapesText, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " | ")
		for name := range strings.FieldsSeq(parts[0]) {
			out[name] = parts[1:]
		}
	}
	return out
})

// Commands are the commands that the options families try.
func Commands() []string { return slices.Sorted(maps.Keys(shapes())) }

// optionsWorld has what the values and operands below name.
var optionsWorld = &world.Spec{
	Tree: world.Merge(plain, []entry{
		world.F("p.awk", "1\n"), world.F("n.awk", "{ while ((getline x < \"../out/secret.txt\") > 0) print x }\n"),
		world.F("opts", "-f ../out/secret.txt\n"), world.F("magic", "0 string a A\n"), world.F("tabs", "1,2\n"),
		world.F("two words/k.txt", "k main\n"), world.L("two words/l", "../../out/secret.txt"),
		world.F("src/.gitignore", "x\n"), world.L("lk/.gitignore", "../../out/secret.txt"), world.L("lk/.ignore", "../../out/secret.txt"), world.L("lk/.rgignore", "../../out/secret.txt"), world.L("lk/.info", "../../out/secret.txt"),
	}),
	Setup: "tar cf in.tar a.txt lk && { zip -qyr in.zip a.txt lk || :; } && gzip -k a.txt && mv a.txt.gz a.gz && ln -s link-out link2 && ln -s ../out/d/s.txt s.gz && " +
		"cp -P link-out link.gz && mkdir deep && ln -s ../dlink-out deep/up",
}

var (
	operands = []string{"link-out", "dlink-out", "lk", "lnk-lk", "dangle", ".", "l*/f"}
	values   = []string{"../out/secret.txt", "link-out", "dlink-out", "names", "dangle"}
	// more values, of which some are drawn for each option.
	moreValues = []string{
		"names0", "lk", "{OUT}/d", "a.txt", "1", "x/../../out/d", "pay", "../out/new", "src", "opts", "n.awk", "@names", "/../../out/x",
		"a.txt:../out/secret.txt", "p.awk", "always", "-", "''", "s.gz", "deep/up", "two*/l", "lk/*", "+1", "1:link-out", "x=link-out", "dlink-out/s.txt", "~/x",
	}
)

// option is one option of a command in its spellings.
type option struct {
	key, plain string
	valued     []string // {V} is the value
	short      bool     // an abbreviation: few lines will do
}

// spelled are the options of an installed program, every letter and digit among
// them, and abbreviations of the long ones.
func spelled(name string) []option {
	o := installed.Of(name)
	var out []option
	for _, set := range []string{"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"} {
		for _, x := range set {
			s := "-" + string(x)
			out = append(out, option{key: s, plain: s, valued: []string{s + "{V}", s + " {V}"}})
		}
	}
	for _, l := range o.Long {
		s := "--" + l
		out = append(out, option{key: s, plain: s, valued: []string{s + "={V}", s + " {V}"}})
		if a := abbreviation(l, o.Long); a != "" {
			out = append(out, option{key: s + " (--" + a + ")", plain: "--" + a, valued: []string{"--" + a + "={V}", "--" + a + " {V}"}, short: true})
		}
	}
	for _, w := range o.Words {
		s := "-" + w
		out = append(out, option{key: s, plain: s, valued: []string{s + " {V}", s + "={V}"}})
	}
	return out
}

// abbreviation is the shortest one that fits no other option.
func abbreviation(name string, all []string) string {
	for k := 1; k < len(name); k++ {
		if fits := slices.IndexFunc(all, func(l string) bool { return l != name && strings.HasPrefix(l, name[:k]) }); fits < 0 {
			return name[:k]
		}
	}
	return ""
}

// apart is how many blocks a command's options are dealt to: the number of blocks
// is known before any program is asked.
const apart = 8

// options tries each option of each command: links as operands and values,
// attached and apart, in front of operands and behind them.
type options struct {
	o        Options
	commands []string
	spelled  map[string][]option
}

func newOptions(o Options, only *regexp.Regexp) Family {
	f := &options{o: o, spelled: map[string][]option{}}
	for _, c := range Commands() {
		if only.MatchString(c) {
			f.commands = append(f.commands, c)
		}
	}
	return f
}

func (f *options) Blocks() int { return len(f.commands) * apart }

func (f *options) of(name string) []option {
	if f.spelled[name] == nil {
		f.spelled[name] = spelled(name)
	}
	return f.spelled[name]
}

func (f *options) Block(i int) Block {
	name, part := f.commands[i/apart], i%apart
	b := Block{World: optionsWorld, Setting: settingOf(f.o.Seed, i/apart+part), Together: together(name)}
	seen := map[string]bool{}
	add := func(key, text string, probe bool) {
		if !seen[text] {
			seen[text] = true
			b.Cases = append(b.Cases, Case{Kind: "option: " + name + " " + key, By: name, Command: text, Probe: probe})
		}
	}
	if part == 0 {
		for _, s := range shapes()[name] {
			for _, op := range operands {
				add("(none)", line(name, s, "", op), false)
			}
		}
	}
	for k, o := range f.of(name) {
		if k%apart == part {
			f.one(random(f.o.Seed, "options "+name+" "+o.key, 0), name, o, add)
		}
	}
	return b
}

// one adds the lines of an option.
func (f *options) one(r *rnd, name string, o option, add func(key, text string, probe bool)) {
	list := shapes()[name]
	add(o.key, line(name, list[0], o.plain, "a.txt"), true)
	add(o.key, line(name, list[0], fill(o.valued[0], "{V}", "1"), "a.txt"), true)
	most, ops, vals := list, operands, values
	if o.short {
		most, ops, vals = list[:1], operands[:2], values[:2]
	}
	for k, s := range most {
		for j, op := range ops {
			if k == 0 || j < 3 {
				add(o.key, line(name, s, o.plain, op), false)
			}
		}
	}
	for _, v := range vals {
		add(o.key, line(name, list[0], fill(pick(r, o.valued), "{V}", v), "a.txt"), false)
		add(o.key, line(name, pick(r, list), fill(pick(r, o.valued), "{V}", v), pick(r, []string{"a.txt", "src"})), false)
	}
	if o.short {
		return
	}
	for _, v := range some(r, 10, moreValues) {
		add(o.key, line(name, pick(r, list), fill(pick(r, o.valued), "{V}", v), pick(r, []string{"a.txt", "src", "link-out", "lk"})), false)
	}
	add(o.key, line(name, list[0], o.plain+" --", "link-out"), false)
	add(o.key, line(name, list[0], "-- "+o.plain, "a.txt"), false)
	add(o.key, line(name, list[0], o.plain+" "+o.plain, pick(r, operands)), false)
}

func line(name, shape, o, f string) string { return name + " " + fill(shape, "{O}", o, "{F}", f) }

// changers change the tree; a few of their lines may still share a world.
var changers = strings.Fields("cp mv ln install rm rmdir unlink mkdir mkfifo touch tee truncate chmod chown chgrp tar gtar bsdtar zip unzip gzip gunzip bzip2 bunzip2 xz unxz split csplit " +
	"patch sed gsed sort shuf uniq dd mktemp find xargs env bash sh dash xxd less file nohup timeout time setsid")

func together(name string) int {
	if slices.Contains(changers, name) {
		return 1
	}
	return 12
}

// pairs tries options two and three at a time, in both orders and as one word:
// where one wins over the other, or changes what the other means.
type pairs struct {
	options
	blocks int
}

// pairsInBlock is how many lines a block of pairs holds, about.
const pairsInBlock = 120

func newPairs(o Options, only *regexp.Regexp) Family {
	f := &pairs{options: *newOptions(o, only).(*options)}
	f.blocks = max(len(f.commands), o.count()/pairsInBlock)
	return f
}

func (f *pairs) Blocks() int { return f.blocks }

func (f *pairs) Block(i int) Block {
	name := f.commands[i%len(f.commands)]
	r := random(f.o.Seed, "pairs", i)
	b := Block{World: optionsWorld, Setting: settingOf(f.o.Seed, i), Together: together(name)}
	list, known := shapes()[name], f.known(name)
	if len(known) < 2 {
		return b
	}
	add := func(kind string, text string) {
		b.Cases = append(b.Cases, Case{Kind: kind, By: name, Command: text})
	}
	for len(b.Cases) < pairsInBlock {
		x, y := pick(r, known), pick(r, known)
		shape, op := pick(r, list), pick(r, operands)
		if r.IntN(2) == 0 {
			shape = list[0]
		}
		a, z := f.given(r, x), f.given(r, y)
		kind := "pair: " + name + " " + min(x.key, y.key) + " " + max(x.key, y.key)
		switch r.IntN(4) {
		case 0:
			w := pick(r, known)
			add("triple: "+name+" "+x.key+" "+y.key+" "+w.key, line(name, shape, a+" "+z+" "+f.given(r, w), op))
		case 1:
			if len(x.plain) == 2 && len(y.plain) == 2 {
				add(kind, line(name, shape, x.plain+y.plain[1:], op))
				add(kind, line(name, shape, y.plain+x.plain[1:], op))
				continue
			}
			fallthrough
		default:
			add(kind, line(name, shape, a+" "+z, op))
			add(kind, line(name, shape, z+" "+a, op))
		}
	}
	return b
}

// given is an option without a value, or with one that leads nowhere or out.
func (f *pairs) given(r *rnd, o option) string {
	switch r.IntN(6) {
	case 0:
		return fill(pick(r, o.valued), "{V}", pick(r, []string{"1", "a.txt", "src", "always"}))
	case 1:
		return fill(pick(r, o.valued), "{V}", pick(r, values))
	}
	return o.plain
}

// known leaves abbreviations out, and letters that neither manual nor help names
// where there is one to read.
func (f *pairs) known(name string) []option {
	o := installed.Of(name)
	var out []option
	for _, x := range f.of(name) {
		if x.short || len(o.Short) > 0 && len(x.plain) == 2 && !slices.Contains(o.Short, x.plain[1:]) {
			continue
		}
		out = append(out, x)
	}
	return out
}
