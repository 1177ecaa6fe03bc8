//go:build linux

package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/conformance/shell/truth"
	"github.com/hydraharness/harness-runtime/tests/oracle/family"
)

// Record is a hit in the form of the recorded escapes of tests/conformance/shell.
type Record struct {
	ID      string                 `json:"id"`
	Kind    string                 `json:"kind"`
	Shell   string                 `json:"shell"`
	Cwd     truth.Text             `json:"cwd"`
	Roots   []truth.Text           `json:"roots"`
	Write   *[]truth.Text          `json:"write_roots,omitempty"`
	Denied  []truth.Text           `json:"denied,omitempty"`
	Home    truth.Text             `json:"home"`
	Env     map[string]*truth.Text `json:"env"`
	Command truth.Text             `json:"command"`
	Between truth.Text             `json:"between,omitempty"`
	Reads   []truth.Text           `json:"kernel_reads"`
	Writes  []truth.Text           `json:"kernel_writes"`
	Escapes bool                   `json:"escapes"`
	TreeRef string                 `json:"tree_ref"`
	Setup   truth.Text             `json:"setup,omitempty"`
	Needs   []string               `json:"needs,omitempty"`
	FoundAs truth.Text             `json:"found_as,omitempty"`
	// Setting is its name.
	Setting string `json:"-"`
	// Tree goes to the file of trees.
	Tree []truth.Entry `json:"-"`
}

// needed are programs that make trees and that a machine may lack.
var needed = regexp.MustCompile(`\b(git|zip|unzip|tar|gzip|bsdtar)\b`)

func (j *job) record(c, found *family.Case, out *outcome) Record {
	spec := j.now.Spec
	shell := shellOf(j.b, c)
	if out.shell != "" && shell == "posix" {
		shell = "posix"
	}
	r := Record{
		Kind: c.Kind, Shell: shell, Cwd: truth.Text(j.b.Cwd), Roots: texts(j.b.Read), Denied: texts(j.b.Denied), Home: "{OUT}/home",
		Env: map[string]*truth.Text{"GIT_CONFIG_NOSYSTEM": text("1")}, Command: truth.Text(c.Command), Between: truth.Text(c.Between),
		Reads: texts(j.unfill(out.touched.Reads)), Writes: texts(j.unfill(out.touched.Writes)), Escapes: true,
		Setup: truth.Text(j.now.Setup()), Tree: spec.Tree, Setting: j.b.Setting.Name,
	}
	if !slices.Equal(j.b.Read, j.b.Write) {
		write := texts(j.b.Write)
		r.Write = &write
	}
	if j.b.Locale != "" {
		r.Env["LC_ALL"] = text(j.b.Locale)
	}
	for name, v := range c.Env {
		r.Env[name] = text(v)
	}
	if c.Command != found.Command {
		r.FoundAs = truth.Text(found.Command)
	}
	needs := map[string]bool{}
	for _, name := range needed.FindAllString(string(r.Setup), -1) {
		needs[name] = true
	}
	r.Needs = slices.Sorted(maps.Keys(needs))
	r.TreeRef = "o" + digest(spec.TreeKey())
	r.ID = "ora-" + digest(strings.Join([]string{r.TreeRef, string(r.Setup), r.Shell, c.Command, c.Between, j.b.Setting.Name}, "\x00"))
	return r
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

func (j *job) unfill(list []string) []string {
	out := make([]string, 0, len(list))
	for _, p := range list {
		out = append(out, j.now.Unfill(p))
	}
	return out
}

func texts(list []string) []truth.Text {
	out := make([]truth.Text, 0, len(list))
	for _, s := range list {
		out = append(out, truth.Text(s))
	}
	return out
}
