//go:build linux

package family

import (
	"strings"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/world"
)

// plant writes this file outside when it is run: programs of the tree are not
// what an allow is about.
// entry is short for an entry of a tree.
type entry = truth.Entry

const plant = "#!/bin/sh\n: > {OUT}/planted\n"

// plain is the tree that all families start from: files, a directory that holds
// others, links of every kind that lead outside, and what lies there.
var plain = []truth.Entry{
	world.F("a.txt", "alpha\nmain\n"), world.F("b.txt", "beta\nmain\n"), world.F("src/main.go", "package main\n"), world.F("src/a.txt", "inner\n"),
	world.F("src/sub/deep.txt", "deep main\n"), world.F("j.json", "{\"a\":1}\n"), world.F("list", "a.txt\n"),
	world.F("names", "../out/secret.txt\n"), world.F("names0", "../out/secret.txt\x00"), world.X("pay", plant),
	world.F("p.diff", "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-alpha\n+ALPHA\n main\n"),
	world.F("{OUT}/secret.txt", "secret main\n"), world.F("{OUT}/d/s.txt", "s main\n"), world.F("{OUT}/d/e/t.txt", "t main\n"), world.F("{OUT}/j.json", "{\"s\":1}\n"),
	world.X("{OUT}/pay", plant), world.F("{BASE}/a.txt", "base a main\n"),
	world.L("link-out", "../out/secret.txt"), world.L("dlink-out", "../out/d"), world.L("dangle", "../out/made.txt"),
	world.L("rel-in", "src/main.go"), world.L("src/up", "../a.txt"), world.L("dlink-in", "src"),
	world.F("lk/in.txt", "in main\n"), world.L("lk/f", "../../out/secret.txt"), world.L("lk/dd", "../../out/d"), world.L("lk/dang", "../../out/made2.txt"),
	world.L("lnk-lk", "lk"),
}

// repository makes the tree a repository of two commits.
const repository = "git init -q -b main . && git config user.email a@b && git config user.name n && git add a.txt b.txt src j.json list && " +
	"git commit -qm one && echo more >> a.txt && git add a.txt && git commit -qm two"

// Setting is where a block's commands start and what they may touch, with the
// placeholders of the world.
type Setting struct {
	Name                string
	Cwd                 string
	Read, Write, Denied []string
	Locale              string
	// Shell is the shell of cases that name none.
	Shell string
}

// common is the setting of most blocks: one root, and the shell starts there.
var common = Setting{Name: "one root", Cwd: "{ROOT}", Read: []string{"{ROOT}"}, Write: []string{"{ROOT}"}}

// settings are the others.
var settings = []Setting{
	{Name: "read only", Cwd: "{ROOT}", Read: []string{"{ROOT}"}},
	{Name: "write below", Cwd: "{ROOT}", Read: []string{"{ROOT}"}, Write: []string{"{ROOT}/src"}},
	{Name: "two roots", Cwd: "{ROOT}", Read: []string{"{ROOT}/src", "{ROOT}/lk"}, Write: []string{"{ROOT}/src", "{OUT}/d/e"}},
	{Name: "outer root", Cwd: "{ROOT}", Read: []string{"{ROOT}", "{OUT}/d"}, Write: []string{"{ROOT}"}},
	{Name: "denied", Cwd: "{ROOT}", Read: []string{"{ROOT}"}, Write: []string{"{ROOT}"}, Denied: []string{"{ROOT}/src/sub", "{ROOT}/b.txt", "{ROOT}/lk/in.txt"}},
	{Name: "root is a link", Cwd: "{BASE}/way", Read: []string{"{BASE}/way"}, Write: []string{"{BASE}/way"}},
	{Name: "below the root", Cwd: "{ROOT}/w", Read: []string{"{ROOT}"}, Write: []string{"{ROOT}"}},
	{Name: "UTF-8", Cwd: "{ROOT}", Read: []string{"{ROOT}"}, Write: []string{"{ROOT}"}, Locale: "C.UTF-8"},
	{Name: "posix", Cwd: "{ROOT}", Read: []string{"{ROOT}"}, Write: []string{"{ROOT}"}, Shell: "posix"},
	{Name: "dash", Cwd: "{ROOT}", Read: []string{"{ROOT}"}, Write: []string{"{ROOT}"}, Shell: "dash"},
}

// Suits changes a world so that the setting's places are there.
func (s *Setting) Suits(spec *world.Spec) *world.Spec {
	switch s.Name {
	case "root is a link":
		return &world.Spec{Tree: world.Merge(spec.Tree, []truth.Entry{world.L("{BASE}/way", "root")}), Setup: spec.Setup, Cwd: spec.Cwd}
	case "below the root": // the tree lies one deeper, and {ROOT}/out stands for {OUT}: the same words lead to the same places
		tree := []truth.Entry{world.L("out", "../out"), world.F("{ROOT}/a.txt", "root a main\n")}
		for _, e := range spec.Tree {
			if rest, ok := strings.CutPrefix(string(e.Path), "{ROOT}/"); ok {
				e.Path = truth.Text("{ROOT}/w/" + rest)
			}
			tree = append(tree, e)
		}
		return &world.Spec{Tree: tree, Setup: spec.Setup, Cwd: "{ROOT}/w"}
	}
	return spec
}

// settingOf is common for two blocks of three, and one of the others for the
// third; another seed gives a block another one.
func settingOf(seed uint64, block int) Setting {
	n := int(seed%1000) + block
	if n%3 != 2 {
		return common
	}
	return settings[n/3%len(settings)]
}
