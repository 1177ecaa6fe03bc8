package gocore_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/hydraharness/harness-runtime/"

// allowed lists, for each package, every package of this module that its code
// (not its tests) may import. doc.go tells the layers in words.
var allowed = map[string][]string{
	"gocore":                           nil,
	"gocore/failure":                   nil,
	"gocore/subprocess":                nil,
	"gocore/pattern":                   nil,
	"gocore/shellplan":                 nil,
	"gocore/shellscript":               nil,
	"gocore/shellword":                 {"gocore/shellplan"},
	"gocore/command":                   {"gocore/shellplan", "gocore/shellscript", "gocore/shellword"},
	"gocore/planner":                   {"gocore/command", "gocore/shellplan", "gocore/shellword"},
	"gocore/execenv":                   nil,
	"gocore/execenv/execenvtest":       {"gocore/execenv"},
	"gocore/spill":                     nil,
	"gocore/fresh":                     nil,
	"gocore/trigram":                   nil,
	"gocore/ripgrep":                   {"gocore/subprocess"},
	"gocore/establish":                 {"gocore/execenv", "gocore/pattern", "gocore/shellplan", "gocore/shellscript"},
	"gocore/search":                    {"gocore/failure", "gocore/ripgrep", "gocore/subprocess"},
	"gocore/judge":                     {"gocore/establish", "gocore/shellplan"},
	"gocore/render":                    {"gocore/search"},
	"gocore/tool":                      {"gocore/failure", "gocore/search", "gocore/render", "gocore/spill"},
	"gocore/harness":                   {"gocore/failure", "gocore/subprocess", "gocore/pattern", "gocore/shellplan", "gocore/planner", "gocore/execenv", "gocore/spill", "gocore/ripgrep", "gocore/establish", "gocore/search", "gocore/judge", "gocore/render", "gocore/tool"},
	"gocore/harness/dispatch":          {"gocore/harness"},
	"gocore/server":                    {"gocore/harness", "gocore/harness/dispatch"},
	"gocore/cmd/hydra-harness-runtime": {"gocore/harness", "gocore/server"},
	"gocore/internal/coretest":         nil,
	"pybind":                           {"gocore/harness", "gocore/harness/dispatch"},
}

// vocabulary are packages whose types stand in the signatures of harness: its
// callers name those types, and nothing else of them.
var vocabulary = []string{"gocore/failure", "gocore/search", "gocore/tool", "gocore/spill", "gocore/shellplan", "gocore/establish", "gocore/judge"}

func goList(t *testing.T, format string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} "+format, module+"...").Output()
	require.NoError(t, err)
	edges := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name, _ := strings.CutPrefix(fields[0], module)
		edges[name] = fields[1:]
	}
	return edges
}

func TestImportsFollowTheLayers(t *testing.T) {
	edges := goList(t, `{{join .Imports " "}}`)
	require.Contains(t, edges, "gocore/search", "go list found the packages")
	for pkg, imports := range edges {
		if !strings.HasPrefix(pkg, "gocore") && !strings.HasPrefix(pkg, "pybind") {
			continue // tools and tests stand outside
		}
		may, known := allowed[pkg]
		if !assert.True(t, known, "%s is in no layer: add it to doc.go and here", pkg) {
			continue
		}
		for _, imported := range imports {
			own, ok := strings.CutPrefix(imported, module)
			if !ok {
				continue
			}
			legal := may
			if pkg == "gocore/harness/dispatch" || pkg == "gocore/server" || pkg == "gocore/cmd/hydra-harness-runtime" || pkg == "pybind" {
				legal = append(legal[:len(legal):len(legal)], vocabulary...)
			}
			assert.Contains(t, legal, own, "%s must not import %s", pkg, own)
		}
	}
}

// Only these packages may use these parts of the standard library.
func TestOnlyOnePackageDoesEachThing(t *testing.T) {
	for pkg, imports := range goList(t, `{{join .Imports " "}}`) {
		if !strings.HasPrefix(pkg, "gocore") || pkg == "gocore/internal/coretest" {
			continue
		}
		assert.NotContains(t, imports, "os/exec", "%s: processes are started by gocore/subprocess", pkg)
		if pkg != "gocore/cmd/hydra-harness-runtime" {
			assert.NotContains(t, imports, "os/signal", "%s: signals are the command's", pkg)
		}
	}
}

// Rule: only fresh watches: what an event means, and what none means, is decided in
// one place.
func TestOnlyFreshWatches(t *testing.T) {
	out, _ := exec.Command("grep", "-rlni", "--include=*.go", "-e", `inotify\|fanotify\|fsnotify`, ".").Output()
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSpace(file)
		assert.True(t, strings.HasPrefix(file, "./fresh/") || file == "./layers_test.go", "%s watches the file system: gocore/fresh does", file)
	}
}

func TestOnlyTheCommandAsksWhereItLies(t *testing.T) {
	for _, call := range []string{`os\.Exit(`, `os\.Executable(`, `os\.StartProcess(`} {
		out, _ := exec.Command("grep", "-rln", "--include=*.go", "--exclude=*_test.go", "-e", call, ".").Output()
		for file := range strings.Lines(string(out)) {
			file = strings.TrimSpace(file)
			switch {
			case strings.HasPrefix(file, "./internal/coretest/"), strings.HasPrefix(file, "./cmd/"):
			case call == `os\.StartProcess(` && strings.HasPrefix(file, "./subprocess/"):
			default:
				t.Errorf("%s calls %s", file, strings.ReplaceAll(call, `\`, "")+")")
			}
		}
	}
}
