package search_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

// anthropics/claude-code#15248; earendil-works/pi#9141; RooCodeInc/Roo-Code#6756;
// abo-abo/swiper#2339; doomemacs/core#3038.
func TestCaseS15LockedDirectory(t *testing.T) {
	if !coretest.AsNobody(t) {
		return
	}
	root := coretest.Tree(t, "a.txt: needle", "c.txt: needle", "locked/b.txt: needle")
	coretest.Lock(t, root+"/locked", 0)
	s := pinned(t)
	r := glob(t, s, root, "*.txt", "")
	assert.Equal(t, []string{"a.txt", "c.txt"}, r.Paths)
	assert.Equal(t, []string{"UNREADABLE 1 path could not be read: locked"}, warnings(r.Report))
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, []string{"a.txt", "c.txt"}, files(g))
	assert.Equal(t, []string{"UNREADABLE 1 path could not be read: locked"}, warnings(g.Report))
}

// BurntSushi/ripgrep#1272; LionSR/TeXRA#2333.
func TestCaseS17IncludeFiltersEverything(t *testing.T) {
	root := coretest.Tree(t, "a.py: needle")
	for _, path := range []string{"", ".", root} {
		g := grep(t, pinned(t), root, search.GrepRequest{Pattern: "needle", Include: "*.go", Path: path})
		assert.Empty(t, g.Matches)
		assert.Equal(t, []string{`INCLUDE_MATCHED_NOTHING no file matched include "*.go"`}, notes(g.Report))
	}
}

// anomalyco/opencode#23629, #23630; atom/atom#19403. How many files are not
// UTF-8 is not known for free: nothing is said where nothing is found.
func TestCaseS19LinesInOtherEncodings(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{"gbk.c": "// \xd6\xd0\xce\xc4 needle\n", "ok.c": "// 中文 needle\n"})
	s := pinned(t)
	assert.Equal(t, []string{"gbk.c:1:// \ufffd\ufffd\ufffd\ufffd needle", "ok.c:1:// 中文 needle"}, lines(grep(t, s, root, search.GrepRequest{Pattern: "needle"})))
	assert.Equal(t, []string{"ok.c"}, files(grep(t, s, root, search.GrepRequest{Pattern: "中文"})))
}

// BurntSushi/ripgrep#1398, #2979.
func TestCaseS21NULLateInAFile(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{"late.txt": "needle one\n" + strings.Repeat("0", 70_000) + "\n\x00needle two\nneedle three\n", "a.bin": "\x00needle\n"})
	s := pinned(t)
	g := grep(t, s, root, search.GrepRequest{Pattern: "needle"})
	assert.Equal(t, []string{"late.txt:1:needle one"}, lines(g))
	assert.Equal(t, []string{"STOPPED_AT_BINARY late.txt: stopped at binary data at byte 70012; later matches are not shown (pass it as path to search all of it)"}, notes(g.Report))
	g = grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: "late.txt"})
	assert.Equal(t, []string{"late.txt:1:needle one", "late.txt:3:\x00needle two", "late.txt:4:needle three"}, lines(g))
	assert.Equal(t, []string{"BINARY_SEARCHED late.txt is a binary file (NUL at byte 70012); all of it was searched because path names it"}, notes(g.Report))
	assert.Equal(t, []string{"a.bin"}, files(grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: "a.bin"})))
}

// microsoft/vscode#50001; BurntSushi/ripgrep#1568; dgopsq/netgrep#44.
func TestCaseS23EndOfLineInCRLF(t *testing.T) {
	root := coretest.Tree(t, "a.txt: foo needle\r\n")
	assert.Equal(t, []string{"a.txt:1:foo needle"}, lines(grep(t, pinned(t), root, search.GrepRequest{Pattern: "needle$"})))
}

// nano-collective/nanocoder#1102; anthropics/claude-code#36875, #5732.
func TestCaseS25RipgrepDies(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	for _, stand := range []coretest.Fake{{Exit: 134, Stderr: "cause"}, {Exit: 139, Stderr: "cause"}, {Signal: "KILL", Stderr: "cause"}, {Signal: "ABRT", Stderr: "cause"}} {
		s, _ := fake(t, stand)
		for _, e := range both(t, s, root) {
			assert.Equal(t, search.Failed, e.Code)
			assert.Contains(t, e.Message, "cause")
		}
	}
}

// langchain-ai/deepagents#4063, #1937; github/copilot-cli#2985.
func TestCaseS29PartialResultsAtTheDeadline(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	records := hit("./a", 1, "x") + hit("./a", 2, "x") + hit("./a", 3, "x")
	s, path := fake(t, coretest.Fake{Stdout: records, Sleep: 600, Ready: true}, cutShort(search.CutShortPage))
	g, err := s.Grep(atDeadline(t, path), root, search.GrepRequest{Pattern: "x"})
	require.NoError(t, err)
	assert.Len(t, g.Matches, 3)
	assert.Equal(t, "timeout", g.Incomplete.Reason)
	s, path = fake(t, coretest.Fake{Stdout: records, Sleep: 600, Ready: true})
	_, err = s.Grep(atDeadline(t, path), root, search.GrepRequest{Pattern: "x"})
	assert.Equal(t, search.Aborted, failure(t, err).Code)
	assert.Equal(t, 3, failure(t, err).Details.Found)
}

// cline/cline#13525; editor-code-assistant/eca#339; zed-industries/zed#64030,
// #63237, #59401; ast-grep/ast-grep#2806.
func TestCaseS31OneGiantLine(t *testing.T) {
	root := coretest.Tree(t)
	write(t, root, map[string]string{"min.js": "needle" + strings.Repeat("x", 10_000_000), "many.js": strings.Repeat("needle ", 200_000)})
	s := pinned(t)
	assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: "min.js"}).Matches, 1)
	assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: "needle", Path: "many.js"}).Matches, 1)
}

// anthropics/claude-code#22176; BurntSushi/ripgrep#1766; ghostwright/phantom#135;
// greeves89/AI-Employee#628. TestThreadExhaustionOfRipgrep has the real thing.
func TestCaseS39NoThreads(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	s, _ := fake(t, coretest.Fake{Stderr: "failed to spawn thread: Os { code: 11 }\n", Sleep: 600, Retry: &coretest.Fake{Stdout: list("a")}}, grace(50*time.Millisecond))
	within(t, time.Minute, func() { assert.Equal(t, []string{"a"}, glob(t, s, root, "*", "").Paths) })
}

// aaif-goose/goose#568; indexable-inc/index#3576; BurntSushi/ripgrep#2582, #951.
func TestCaseS41OpenStandardInput(t *testing.T) {
	root := coretest.Tree(t, "a: needle")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	within(t, time.Minute, func() {
		assert.Equal(t, []string{"a"}, files(grep(t, pinned(t), root, search.GrepRequest{Pattern: "needle"})))
		assert.Equal(t, []string{"a"}, glob(t, pinned(t), root, "*", "").Paths)
	})
}

// anthropics/claude-code#42068, #42185; coder/code-server#1666;
// netease-lcap/wave-agent#2146; anthropics/claude-code-action#1163.
func TestCaseS45SidecarWithoutItsMode(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	path := filepath.Join(t.TempDir(), "hydra-harness-runtime-rg")
	text, err := os.ReadFile(coretest.Ripgrep(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o644))
	for _, e := range both(t, with(t, ripgrep.At(path)), root) {
		assert.Equal(t, search.Failed, e.Code)
		assert.Equal(t, "the ripgrep sidecar "+path+" is not executable (mode 0644): run chmod +x on it, or reinstall the package", e.Message)
	}
}

// openai/codex#28190, #32171, #32465, #32382; BurntSushi/ripgrep#3469;
// google-gemini/gemini-cli#25377; zed-industries/zed#47209.
func TestCaseS47QuarantinedSidecar(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	s, path := fake(t, coretest.Fake{Signal: "KILL"})
	for _, e := range both(t, s, root) {
		assert.Equal(t, "killed", e.Details.Signal)
		assert.Equal(t, runtime.GOOS == "darwin", strings.Contains(e.Message, "xattr -d com.apple.quarantine "+path))
	}
}

// NousResearch/hermes-agent#77102; BurntSushi/ripgrep#1055, #508.
func TestCaseS57LineEndInAPattern(t *testing.T) {
	root := coretest.Tree(t, "a: foo\nbar\n")
	s := pinned(t)
	e := grepError(t, s, root, search.GrepRequest{Pattern: `foo\nbar`})
	assert.Equal(t, search.InvalidPattern, e.Code)
	assert.Contains(t, e.Message, "from code set multiline")
	assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: `foo\nbar`, Multiline: true}).Matches, 1, "what the error advises")
	e = grepError(t, s, root, search.GrepRequest{Pattern: `\w{99999}{99}`})
	assert.Equal(t, search.InvalidPattern, e.Code)
	assert.Contains(t, e.Message, "too large")
}

// MarcusJellinghaus/mcp-workspace#139; anomalyco/opencode#18171;
// langchain-ai/deepagents#975, #3902. A pattern that is rejected, or finds
// nothing where its text stands, says how the text is written.
func TestCaseS59TextThatIsNoRegularExpression(t *testing.T) {
	root := coretest.Tree(t, "a: foo( interface{} [ html(json.data)")
	s := pinned(t)
	for pattern, literal := range map[string]string{"foo(": `foo\(`, "interface{}": `interface\{\}`, "[": `\[`} {
		e := grepError(t, s, root, search.GrepRequest{Pattern: pattern})
		assert.Equal(t, search.InvalidPattern, e.Code)
		assert.Equal(t, literal, e.Details.Suggestion)
		assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: literal}).Matches, 1)
		assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: pattern, Literal: true}).Matches, 1)
	}
	g := grep(t, s, root, search.GrepRequest{Pattern: "html(json.data)"})
	assert.Empty(t, g.Matches)
	require.Len(t, g.Notes, 1)
	assert.Contains(t, g.Notes[0].Message, `write html\(json\.data\)`)
	assert.Len(t, grep(t, s, root, search.GrepRequest{Pattern: `html\(json\.data\)`}).Matches, 1)
}

// What a search of a large public tree says is the same ten times over.
func TestTheGoTreeTenTimes(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("there is no go command")
	}
	root := strings.TrimSpace(string(out)) + "/src"
	if _, err := os.Stat(root); err != nil || testing.Short() {
		t.Skip("there is no source tree of Go, or the test is to be short")
	}
	s := pinned(t, rawMax(200_000_000))
	var first *search.GlobResult
	var matches *search.GrepResult
	for range 10 {
		r, err := s.Glob(context.Background(), root, search.GlobRequest{Pattern: "*.go"})
		require.NoError(t, err)
		g, err := s.Grep(context.Background(), root, search.GrepRequest{Pattern: "TODO", Include: "**/*.go"})
		require.NoError(t, err)
		if first == nil {
			first, matches = r, g
			assert.Greater(t, len(r.Paths), 5000)
			assert.Greater(t, len(g.Matches), 500)
		}
		require.Equal(t, first.Paths, r.Paths)
		require.Equal(t, matches.Matches, g.Matches)
	}
}
