package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// exhibit is one call and the text that a model gets for it. The text is kept in
// testdata/golden/<name>.txt.
type exhibit struct {
	name string
	tool string
	args string
	// tree is what is searched (coretest.Tree).
	tree []string
	// arrange changes the set-up, or nil.
	arrange func(b *bench)
	// context changes the context of the call, or nil.
	context func(ctx context.Context) (context.Context, context.CancelFunc)
}

func (e *exhibit) run(t *testing.T) (*bench, Result) {
	t.Helper()
	b := newBench(t, e.tree...)
	if e.arrange != nil {
		e.arrange(b)
	}
	ctx := t.Context()
	if e.context != nil {
		var cancel context.CancelFunc
		ctx, cancel = e.context(ctx)
		defer cancel()
	}
	return b, b.callIn(ctx, e.tool, strings.ReplaceAll(e.args, "SAVED", b.saved))
}

// hoarding keeps a text, which the arguments of the call name as SAVED.
func hoarding(text string) func(b *bench) {
	return func(b *bench) {
		spilling(b)
		b.names = Names()
		kept, err := b.store.SaveText(b.t.Context(), spill.Meta{Owner: b.session.Owner, Name: "grep-results.txt"}, spill.Text(text))
		require.NoError(b.t, err)
		b.saved = kept.Locator
	}
}

// spilling keeps complete results in a folder.
func spilling(b *bench) {
	store, err := spill.OpenDirStore(filepath.Join(b.t.TempDir(), "spill"), spill.Options{})
	require.NoError(b.t, err)
	b.store = store
}

func capped(n int) func(b *bench) {
	return func(b *bench) { b.policy.GlobMaxResults, b.policy.GrepMaxMatches = n, n }
}

func plainHead(b *bench) { b.policy.Sample = false }

func with(changes ...func(b *bench)) func(b *bench) {
	return func(b *bench) {
		for _, change := range changes {
			change(b)
		}
	}
}

func says(s scripted) func(b *bench) { return func(b *bench) { b.script(&s) } }

func sidecarAt(prepare func(path string) error) func(b *bench) {
	return func(b *bench) {
		path := filepath.Join(b.t.TempDir(), "hydra-harness-runtime-rg")
		require.NoError(b.t, prepare(path))
		b.sidecar = ripgrep.At(path)
	}
}

// events is what ripgrep writes for lines that match, one in each file.
func events(files ...string) string {
	var b strings.Builder
	for _, file := range files {
		fmt.Fprintf(&b, `{"type":"begin","data":{"path":{"text":"./%s"}}}`+"\n", file)
		fmt.Fprintf(&b, `{"type":"match","data":{"path":{"text":"./%s"},"lines":{"text":"needle\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"needle"},"start":0,"end":6}]}}`+"\n", file)
		fmt.Fprintf(&b, `{"type":"end","data":{"path":{"text":"./%s"},"binary_offset":null,"stats":{}}}`+"\n", file)
	}
	return b.String()
}

// project is a small tree.
var project = []string{
	"README.md: # project", "src/main.go: package main\n\nfunc main() { run() }\n", "src/run.go: package main\n\nfunc run() {}\n",
	"src/run_test.go: package main\n", "web/app.ts: export const run = () => 1\n", "web/app.css: a {}\n",
}

const (
	everything = `{"pattern": "*"}`
	runs       = `{"pattern": "run"}`
	needle     = `{"pattern": "needle"}`
)

var exhibits = []exhibit{
	// Pages.
	{name: "page-glob", tool: Glob, args: `{"pattern": "**/*.go"}`, tree: project},
	{name: "page-grep", tool: Grep, args: runs, tree: project},
	{name: "page-glob-odd-names", tool: Glob, args: everything, tree: []string{"line\nend.txt: x", "latin-\xe9.txt: x", "größe.txt: x"}},
	{name: "page-grep-long-lines", tool: Grep, args: needle, arrange: func(b *bench) { b.policy.GrepMaxLineBytes = 60 },
		tree: []string{"head.txt: needle at the head of a line that is longer than a page shows of it, by far", "tail.txt: " + strings.Repeat("hay ", 60) + "needle " + strings.Repeat("hay ", 60)}},
	{name: "page-glob-sampled-saved", tool: Glob, args: everything, tree: project, arrange: with(capped(4), spilling)},
	{name: "page-glob-sampled-narrow", tool: Glob, args: everything, tree: project, arrange: capped(2)},
	{name: "page-glob-head-saved", tool: Glob, args: everything, tree: project, arrange: with(plainHead, capped(4), spilling)},
	{name: "page-glob-head-unsaved", tool: Glob, args: everything, tree: project, arrange: with(plainHead, capped(4))},
	{name: "page-glob-no-owner", tool: Glob, args: everything, tree: project, arrange: with(plainHead, capped(4), spilling, func(b *bench) { b.session.Owner = "" })},
	{name: "page-glob-flat", tool: Glob, args: everything, tree: []string{"a: x", "b: x", "c: x"}, arrange: capped(2)},
	{name: "page-grep-saved", tool: Grep, args: runs, tree: project, arrange: with(capped(2), spilling)},
	{name: "page-grep-unsaved", tool: Grep, args: runs, tree: project, arrange: capped(2)},
	{name: "page-grep-ceiling", tool: Grep, args: needle, arrange: func(b *bench) { b.policy.InlineMaxBytes = 230 },
		tree: []string{"a.txt: needle one\nneedle two\nneedle three\nneedle four\nneedle five\nneedle six"}},
	{name: "page-glob-cut-short-time", tool: Glob, args: everything, arrange: with(says(scripted{stdout: "./README.md\x00./src/main.go\x00", wait: true}), func(b *bench) {
		b.config.CutShort, b.config.Timeout = search.CutShortPage, 10*time.Millisecond
	}), tree: project},
	{name: "page-grep-cut-short-output", tool: Grep, args: needle, tree: []string{"a.txt: needle", "b.txt: needle"}, arrange: with(spilling, capped(1), says(scripted{stdout: events("a.txt", "b.txt", "c.txt")}), func(b *bench) {
		b.config.CutShort, b.config.RawOutputMaxBytes = search.CutShortPage, 500
	})},
	{name: "page-grep-cut-short-nothing", tool: Grep, args: needle, tree: []string{"a.txt: needle"}, arrange: with(says(scripted{stdout: events("a.txt")}), func(b *bench) {
		b.config.CutShort, b.config.RawOutputMaxBytes = search.CutShortPage, 1
	})},
	{name: "page-read", tool: ReadResult, args: `{"id": "SAVED"}`, arrange: hoarding("a.txt\nLine 1: needle\nLine 9: needle\n")},
	{name: "page-read-part", tool: ReadResult, args: `{"id": "SAVED", "offset": 6, "limit": 20}`, arrange: hoarding("a.txt\nLine 1: needle\nLine 9: needle\n")},
	{name: "page-read-end", tool: ReadResult, args: `{"id": "SAVED", "offset": 21}`, arrange: hoarding("a.txt\nLine 1: needle\nLine 9: needle\n")},
	{name: "page-read-behind", tool: ReadResult, args: `{"id": "SAVED", "offset": 99}`, arrange: hoarding("a.txt\nLine 1: needle\nLine 9: needle\n")},

	// Warnings.
	{name: "warning-unreadable", tool: Grep, args: needle, tree: []string{"a.txt: needle"},
		arrange: says(scripted{stdout: events("a.txt"), stderr: "rg: ./locked: Permission denied (os error 13)\n", outcome: subprocess.Outcome{ExitCode: 2}})},
	{name: "warning-unreadable-many", tool: Glob, args: everything, tree: []string{"a.txt: x"},
		arrange: says(scripted{stdout: "./a.txt\x00", outcome: subprocess.Outcome{ExitCode: 2},
			stderr: "rg: ./a: Permission denied (os error 13)\nrg: ./b: Permission denied (os error 13)\nrg: ./c: Input/output error (os error 5)\nrg: ./d: Permission denied (os error 13)\nrg: ./e: Permission denied (os error 13)\n"})},
	{name: "warning-vanished", tool: Glob, args: everything, tree: []string{"a.txt: x"}, arrange: says(scripted{stdout: "./a.txt\x00./gone.txt\x00"})},

	// Empty answers, and notes.
	{name: "empty-glob", tool: Glob, args: `{"pattern": "*.zig"}`, tree: project},
	{name: "empty-grep", tool: Grep, args: `{"pattern": "zebra"}`, tree: project},
	{name: "note-directory", tool: Glob, args: `{"pattern": "src"}`, tree: project},
	{name: "note-directories-match", tool: Glob, args: `{"pattern": "docs/*"}`, tree: []string{"docs/guide.md: x", "docs/api/index.md: x"}},
	{name: "note-literal-name", tool: Glob, args: `{"pattern": "app/[id]/*.tsx"}`, tree: []string{"app/[id]/page.tsx: x"}},
	{name: "note-literal-name-invalid-glob", tool: Glob, args: `{"pattern": "[draft"}`, tree: []string{"[draft: x"}},
	{name: "note-prefix-missing", tool: Glob, args: `{"pattern": "lib/**/*.go"}`, tree: project},
	{name: "note-prefix-is-file", tool: Glob, args: `{"pattern": "README.md/*"}`, tree: project},
	{name: "note-prefix-home", tool: Glob, args: `{"pattern": "~/src/*.go"}`, tree: project},
	{name: "note-link", tool: Glob, args: `{"pattern": "latest"}`, tree: []string{"v1: x", "latest -> v1"}},
	{name: "note-version-control", tool: Glob, args: `{"pattern": ".git/config"}`, tree: []string{".git/config: x"}},
	{name: "note-absolute", tool: Glob, args: `{"pattern": "/etc/*.none"}`, tree: []string{"etc/x.none: x"}},
	{name: "note-upward", tool: Glob, args: `{"pattern": "*/../*.go"}`, tree: project},
	{name: "note-blank", tool: Glob, args: `{"pattern": " *.go"}`, tree: project},
	{name: "note-backslash", tool: Glob, args: `{"pattern": "src\\*.go"}`, tree: project},
	{name: "note-worktree", tool: Glob, args: `{"pattern": "a.txt"}`, tree: []string{"a.txt: x", ".worktrees/w1/.git: gitdir: x", ".worktrees/w1/a.txt: x"}},
	{name: "note-include-matched-nothing", tool: Grep, args: `{"pattern": "run", "include": "*.rs"}`, tree: project},
	{name: "note-include-is-directory", tool: Grep, args: `{"pattern": "run", "include": "src"}`, tree: project},
	{name: "note-include-not-applied", tool: Grep, args: `{"pattern": "run", "path": "web/app.ts", "include": "*.go"}`, tree: project},
	{name: "note-hidden", tool: Grep, args: `{"pattern": "needle", "include": ".github/**"}`, tree: []string{".github/w.yml: needle", "a: x"}},
	{name: "note-nothing-searched", tool: Grep, args: needle, tree: []string{".env: needle"}},
	{name: "note-binary", tool: Grep, args: needle, tree: []string{"late.dat: needle one\n" + strings.Repeat("hay ", 20_000) + "\x00\nneedle two\n"}},
	{name: "note-binary-searched", tool: Grep, args: `{"pattern": "needle", "path": "late.dat"}`, tree: []string{"late.dat: needle one\n\x00\nneedle two\n"}},
	{name: "note-literal-pipe", tool: Grep, args: `{"pattern": "walk\\|run"}`, tree: project},
	{name: "note-literal-text", tool: Grep, args: `{"pattern": "html(page.data)"}`, tree: []string{"a.ts: html(page.data)"}},
	{name: "note-pcre2", tool: Grep, args: `{"pattern": "run(?=_)|(u)n\\1"}`, tree: []string{"a.txt: run_test"}},

	// Argument errors.
	{name: "error-argument-missing", tool: Grep, args: `{"path": "src"}`},
	{name: "error-argument-unknown", tool: Grep, args: `{"pattern": "run", "head_limit": 20}`},
	{name: "error-argument-type", tool: Grep, args: `{"pattern": "run", "include": ["*.ts", "*.js"]}`},
	{name: "error-argument-twice", tool: Grep, args: `{"pattern": "run", "pattern": "walk"}`},
	{name: "error-argument-object", tool: Glob, args: `["*"]`},
	{name: "error-argument-json", tool: Glob, args: `{"pattern": "*"`},
	{name: "error-argument-surrogate", tool: Glob, args: `{"pattern": "\ud83d"}`},
	{name: "error-argument-blank-glob", tool: Glob, args: `{"pattern": " "}`},
	{name: "error-argument-blank-grep", tool: Grep, args: `{"pattern": ""}`},
	{name: "error-argument-blank-include", tool: Grep, args: `{"pattern": "run", "include": " "}`},
	{name: "error-argument-nul", tool: Grep, args: `{"pattern": "a\u0000b"}`},
	{name: "error-argument-long", tool: Grep, args: `{"pattern": "` + strings.Repeat("x", 1<<20) + `"}`},
	{name: "error-argument-long-path", tool: Grep, args: `{"pattern": "run", "path": "` + strings.Repeat("p", 5000) + `"}`},
	{name: "error-argument-negated-glob", tool: Glob, args: `{"pattern": "!*.go"}`},
	{name: "error-argument-negated-include", tool: Grep, args: `{"pattern": "run", "include": "!*.go"}`},
	{name: "error-argument-list-include", tool: Grep, args: `{"pattern": "run", "include": "*.ts,*.js"}`},
	{name: "error-argument-no-tool", tool: "bash", args: `{}`},

	// Patterns of other dialects, names that are spelled otherwise, and files that
	// were left out.
	{name: "note-case", tool: Glob, args: `{"pattern": "readme.MD"}`, tree: project},
	{name: "note-list", tool: Glob, args: `{"pattern": "*.ts,*.js"}`, tree: []string{"a.ts", "b.js"}},
	{name: "note-dialect", tool: Glob, args: `{"pattern": ".*\\.md"}`, tree: project},
	{name: "note-read-as", tool: Glob, args: `{"pattern": "*.{ts, tsx}"}`, tree: []string{"a.ts", "b.tsx"}},
	{name: "note-enclosed", tool: Grep, args: `{"pattern": "\"needle\""}`, tree: []string{"a.txt: needle"}},
	{name: "note-escape", tool: Grep, args: `{"pattern": "\\(run\\)"}`, tree: []string{"a.txt: (run"}},
	{name: "note-every-line", tool: Grep, args: `{"pattern": "a || b"}`, tree: []string{"a.txt: x"}},
	{name: "note-one-line", tool: Grep, args: `{"pattern": "(?s)one.*two"}`, tree: []string{"a.txt: one\ntwo"}},
	{name: "note-unicode", tool: Grep, args: `{"pattern": "caf\u00e9"}`, tree: []string{"a.txt: cafe\u0301"}},
	{name: "note-encoding", tool: Grep, args: `{"pattern": "needle", "path": "a.txt"}`, tree: []string{"a.txt: n\x00e\x00e\x00d\x00l\x00e\x00\n\x00"}},
	{name: "note-ignored", tool: Grep, args: needle, tree: []string{".git/HEAD: ref: refs/heads/main", ".gitignore: build/", "build/a.txt: needle", "b.txt: x"}},
	{name: "warning-ignore-file", tool: Grep, args: needle, tree: []string{"a.txt: needle", ".ignore -> /dev/zero"}},

	// Rejected patterns.
	{name: "error-pattern-text", tool: Grep, args: `{"pattern": "foo("}`, tree: project},
	{name: "error-pattern-regex", tool: Grep, args: `{"pattern": "\\bfoo("}`, tree: project},
	{name: "error-pattern-line-end", tool: Grep, args: `{"pattern": "one\\ntwo"}`, tree: project},
	{name: "error-pattern-nul", tool: Grep, args: `{"pattern": "\\x00"}`, tree: project},
	{name: "error-pattern-large", tool: Grep, args: `{"pattern": "(?:\\w{1000}){100}"}`, tree: project},
	{name: "error-pattern-glob", tool: Glob, args: `{"pattern": "src/[a-"}`, tree: project},
	{name: "error-pattern-include", tool: Grep, args: `{"pattern": "run", "include": "*.{ts"}`, tree: project},

	// What cannot be searched.
	{name: "error-failed-no-path", tool: Grep, args: `{"pattern": "run", "path": "scr"}`, tree: project},
	{name: "error-failed-home", tool: Grep, args: `{"pattern": "run", "path": "~/src"}`, tree: project},
	{name: "error-failed-beneath-file", tool: Grep, args: `{"pattern": "run", "path": "README.md/x"}`, tree: project},
	{name: "error-failed-glob-file", tool: Glob, args: `{"pattern": "*", "path": "README.md"}`, tree: project},
	{name: "error-failed-fifo", tool: Grep, args: `{"pattern": "run", "path": "queue"}`, tree: []string{"queue |"}},
	{name: "error-failed-loop", tool: Grep, args: `{"pattern": "run", "path": "loop"}`, tree: []string{"loop -> loop"}},
	{name: "error-failed-workdir", tool: Grep, args: runs, arrange: func(b *bench) { b.session.Workdir = b.root + "/gone" }},
	{name: "error-failed-unreadable", tool: Grep, args: needle, tree: []string{"a.txt: needle"},
		arrange: with(func(b *bench) { b.config.Unreadable = search.UnreadableFail },
			says(scripted{stdout: events("a.txt"), stderr: "rg: ./locked: Permission denied (os error 13)\n", outcome: subprocess.Outcome{ExitCode: 2}}))},

	// The sidecar.
	{name: "error-sidecar-missing", tool: Grep, args: runs, tree: project, arrange: sidecarAt(func(string) error { return nil })},
	{name: "error-sidecar-mode", tool: Grep, args: runs, tree: project, arrange: sidecarAt(func(path string) error { return os.WriteFile(path, nil, 0o644) })},
	{name: "error-sidecar-directory", tool: Grep, args: runs, tree: project, arrange: sidecarAt(func(path string) error { return os.Mkdir(path, 0o755) })},
	{name: "error-sidecar-killed", tool: Grep, args: runs, tree: project, arrange: says(scripted{outcome: subprocess.Outcome{ExitCode: -1, Signal: syscall.SIGKILL}})},
	{name: "error-sidecar-status", tool: Grep, args: runs, tree: project, arrange: says(scripted{stderr: "memory allocation of 64 bytes failed", outcome: subprocess.Outcome{ExitCode: 134}})},
	{name: "error-sidecar-output", tool: Grep, args: runs, tree: project, arrange: says(scripted{stdout: "grep: not JSON\n"})},
	{name: "error-sidecar-stderr-truncated", tool: Grep, args: runs, tree: project, arrange: with(func(b *bench) { b.config.StderrMaxBytes = 40 },
		says(scripted{stderr: strings.Repeat("line of stderr\n", 10), outcome: subprocess.Outcome{ExitCode: 3}}))},

	// Searches that ended early.
	{name: "error-aborted-time", tool: Grep, args: needle, tree: []string{"a.txt: needle"},
		arrange: with(says(scripted{stdout: events("a.txt", "b.txt"), wait: true}), func(b *bench) { b.config.Timeout = 10 * time.Millisecond })},
	{name: "error-aborted-cancelled", tool: Grep, args: needle, tree: project, context: func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	}},
	{name: "error-aborted-shutdown", tool: Grep, args: needle, tree: project, context: func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(search.ErrShutdown)
		return ctx, func() { cancel(nil) }
	}},
	{name: "error-overflow-grep", tool: Grep, args: needle, tree: project, arrange: with(says(scripted{stdout: events("a.txt", "b.txt", "c.txt")}), func(b *bench) { b.config.RawOutputMaxBytes = 500 })},
	{name: "error-overflow-glob", tool: Glob, args: everything, tree: project, arrange: with(says(scripted{stdout: "./a\x00./b\x00./c\x00"}), func(b *bench) { b.config.RawOutputMaxBytes = 3 })},
}
