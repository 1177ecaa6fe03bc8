package tool

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/render"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// The golden files and the page that shows them are written by this.
//
//go:generate go test . -run ^(TestGolden|TestModelExperience) -update

var update = flag.Bool("update", false, "write the golden files and docs/model-experience.md")

const (
	goldenDir  = "testdata/golden"
	experience = "../../docs/model-experience.md"
)

// golden compares a text with its file, or writes the file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(goldenDir, name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll(goldenDir, 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), text+"\n", "%s: if the new text is meant, run go generate ./gocore/tool", path)
}

// savedName is the random part of a saved result's id.
var savedName = regexp.MustCompile(`/[0-9a-f]{12}-(glob|grep)-results`)

// settle puts names that do not change in the place of scratch directories.
func settle(b *bench, text string) string {
	text = strings.ReplaceAll(text, b.root, "/repo")
	text = strings.ReplaceAll(text, filepath.Dir(b.sidecar.Path()), "/opt")
	text = savedName.ReplaceAllString(text, "/5b0c9d7e1f42-$1-results")
	return regexp.MustCompile(`/[^ ]*/spill/session-`).ReplaceAllString(text, "/spill/session-")
}

// policies are the ways to order and select that a configuration can choose.
var policies = map[string]render.Policy{
	"sampled-modified":      {Sample: true, Order: search.OrderModified},
	"sampled-modified-desc": {Sample: true, Order: search.OrderModifiedDesc},
	"sampled-path":          {Sample: true, Order: search.OrderPath},
	"head-modified":         {Order: search.OrderModified},
	"head-modified-desc":    {Order: search.OrderModifiedDesc},
	"head-path":             {Order: search.OrderPath},
}

func indented(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(v))
	return strings.TrimSuffix(b.String(), "\n")
}

func TestGoldenDefinitions(t *testing.T) {
	for name, choice := range policies {
		policy := render.DefaultPolicy(choice.Sample)
		policy.Order = choice.Order
		golden(t, "guidance-glob-"+name, GlobGuidance(policy))
		golden(t, "description-glob-"+name, (&Set{policy: policy}).define(Glob).Description)
	}
	golden(t, "guidance-grep", GrepGuidance())
	golden(t, "guidance-read", readGuidance)
	set := &Set{policy: render.DefaultPolicy(true)}
	for name, tool := range map[string]string{"tool-glob": Glob, "tool-grep": Grep, "tool-read": ReadResult} {
		golden(t, name, indented(t, set.define(tool)))
	}
}

func TestGoldenTexts(t *testing.T) {
	ran := 0
	shown := map[string]bool{}
	for i := range exhibits {
		e := &exhibits[i]
		t.Run(e.name, func(t *testing.T) {
			b, result := e.run(t)
			ran++
			note(shown, result)
			golden(t, e.name, settle(b, result.Text))
			switch kind, _, _ := strings.Cut(e.name, "-"); kind {
			case "error":
				require.NotNil(t, result.Failure, result.Text)
				golden(t, e.name+"-meta", settle(b, indented(t, result.Failure)))
			default:
				require.Nil(t, result.Failure, result.Text)
				if kind == "page" {
					golden(t, e.name+"-structured", settle(b, indented(t, result.Page)))
				}
			}
		})
	}
	if ran < len(exhibits) {
		t.Logf("%d of %d exhibits ran: whether every code is shown is not known", ran, len(exhibits))
		return
	}
	for code, name := range codes(t) {
		assert.True(t, shown[code], "no exhibit shows %s (%s)", name, code)
	}
}

// note collects what a result says beside its items.
func note(shown map[string]bool, result Result) {
	if result.Failure != nil {
		shown[result.Failure.Code] = true
		return
	}
	var report search.Report
	switch value := result.Value.(type) {
	case *search.GlobResult:
		report = value.Report
	case *search.GrepResult:
		report = value.Report
	}
	for _, n := range report.Notes {
		shown[n.Code] = true
	}
	for _, w := range report.Warnings {
		shown[w.Code] = true
	}
}

// codes are the codes of every note, warning and failure that package search
// declares, with the names of their constants.
func codes(t *testing.T) map[string]string {
	t.Helper()
	all := constants(t, "../search/result.go", "Note")
	maps.Copy(all, constants(t, "../search/result.go", "Warn"))
	for code, name := range constants(t, "../search/errors.go", "") {
		if strings.HasPrefix(code, "SEARCH_") {
			all[code] = name
		}
	}
	return all
}

// The sentences that are promised to the letter.
func TestPromisedSentences(t *testing.T) {
	for name, text := range map[string]string{
		"guidance-glob-sampled-modified": `Use the glob tool — not shell find — to discover files by path pattern. A pattern with no "/" matches basenames at any depth, so "*" matches every file in the tree rather than its top level. Results are files only, never directories, and include hidden and ignored files: a result that fits comes back in modification-time order, while a larger one is sampled across top-level entries, so it spans the tree instead of one subtree.`,
		"guidance-glob-head-modified":    `Use the glob tool — not shell find — to discover files by path pattern. A pattern with no "/" matches basenames at any depth, so "*" matches every file in the tree rather than its top level. Results are files only, never directories, and include hidden and ignored files: a result that fits comes back in modification-time order, while a larger one keeps the modification-time-ordered head.`,
		"guidance-grep":                  `Use the grep tool — not shell grep or rg — to search file contents. Use read on a matched file when you need surrounding context.`,
		"empty-glob":                     "No files found",
		"empty-grep":                     "No matches found",
	} {
		got, err := os.ReadFile(filepath.Join(goldenDir, name+".txt"))
		require.NoError(t, err)
		assert.Equal(t, text+"\n", string(got), name)
	}
	text, err := os.ReadFile(filepath.Join(goldenDir, "page-grep-long-lines.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "\nLine 1: needle at the head")
	assert.Contains(t, string(text), " (line truncated)\n")
}

// constants are the string constants of a package of this module whose name
// begins with a prefix, by value.
func constants(t *testing.T, file, prefix string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			found[value] = spec.Names[0].Name
		}
		return true
	})
	require.NotEmpty(t, found)
	return found
}

// fenced shows a text as it is.
func fenced(t *testing.T, language, text string) string {
	t.Helper()
	require.NotContains(t, text, "```")
	return "```" + language + "\n" + text + "\n```"
}

// TestModelExperience compares docs/model-experience.md with the golden files.
// "go generate ./gocore/tool" writes all of them.
func TestModelExperience(t *testing.T) {
	used := map[string]bool{}
	read := func(name string) string {
		used[name] = true
		text, err := os.ReadFile(filepath.Join(goldenDir, name+".txt"))
		require.NoError(t, err)
		return strings.TrimSuffix(string(text), "\n")
	}
	call := func(name string) string {
		at := slices.IndexFunc(exhibits, func(e exhibit) bool { return e.name == name })
		require.GreaterOrEqual(t, at, 0, "there is no exhibit %s", name)
		args := strings.ReplaceAll(exhibits[at].args, "SAVED", "/spill/session-3f3af1ecebbd/5b0c9d7e1f42-grep-results.txt")
		if len(args) > 100 {
			args = args[:60] + "..." + args[len(args)-2:]
		}
		return "`" + exhibits[at].tool + " " + args + "`"
	}
	page, err := template.New("model-experience.md.tmpl").Funcs(template.FuncMap{
		"text": func(name string) string { return fenced(t, "text", read(name)) },
		"json": func(name string) string { return fenced(t, "json", read(name)) },
		"show": func(name string) string { return call(name) + "\n\n" + fenced(t, "text", read(name)) },
	}).ParseFiles("testdata/model-experience.md.tmpl")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, page.Execute(&b, nil))
	if *update {
		require.NoError(t, os.WriteFile(experience, []byte(b.String()), 0o644))
	}
	got, err := os.ReadFile(experience)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(got), "docs/model-experience.md is out of date: run go generate ./gocore/tool")

	files, err := filepath.Glob(filepath.Join(goldenDir, "*.txt"))
	require.NoError(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if strings.HasSuffix(name, "-meta") || strings.HasSuffix(name, "-structured") {
			continue // for programs; a few stand in the page
		}
		assert.True(t, used[name], "docs/model-experience.md does not show %s", name)
	}
}
