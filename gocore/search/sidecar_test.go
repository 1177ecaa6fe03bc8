package search_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// both calls each tool, and returns what went wrong.
func both(t *testing.T, s *search.Searcher, root string) []*search.Error {
	t.Helper()
	return []*search.Error{globError(t, s, root, "*", ""), grepError(t, s, root, search.GrepRequest{Pattern: "x"})}
}

// Rule: a sidecar that cannot be used is SEARCH_FAILED at the call, which says
// why, and never an empty result. It is not looked at before.
func TestSidecarExplainsItself(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	rg, err := os.ReadFile(coretest.Ripgrep(t))
	require.NoError(t, err)
	arm := append([]byte{}, rg...)
	arm[18], arm[19] = 183, 0 // e_machine of aarch64
	for name, tc := range map[string]struct {
		make            func(path string) error
		reason, message string
	}{
		"missing":            {func(string) error { return nil }, "missing", "is missing: reinstall the package (a host rg is never used)"},
		"a directory":        {func(p string) error { return os.Mkdir(p, 0o755) }, "not-a-file", "is not a regular file: reinstall the package"},
		"a dangling link":    {func(p string) error { return os.Symlink("nope", p) }, "missing", "is missing"},
		"not executable":     {func(p string) error { return os.WriteFile(p, rg, 0o644) }, "mode", "is not executable (mode 0644): run chmod +x on it"},
		"another machine's":  {func(p string) error { return os.WriteFile(p, arm, 0o755) }, "platform", "is built for linux/arm64, this machine is " + runtime.GOOS + "/" + runtime.GOARCH},
		"empty":              {func(p string) error { return os.WriteFile(p, nil, 0o755) }, "format", "is not an executable for this system: reinstall the package"},
		"text":               {func(p string) error { return os.WriteFile(p, []byte("<html>"), 0o755) }, "format", "is not an executable for this system"},
		"cut":                {func(p string) error { return os.WriteFile(p, rg[:5000], 0o755) }, "", ""},
		"without its loader": {func(p string) error { return os.WriteFile(p, []byte("#!/no/such/loader\n"), 0o755) }, "loader", "exists but its loader does not"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rt-rg")
			s := with(t, ripgrep.At(path))
			require.NoError(t, tc.make(path))
			for _, e := range both(t, s, root) {
				assert.Equal(t, search.Failed, e.Code)
				assert.Contains(t, e.Message, tc.message)
				if tc.reason != "" {
					assert.Contains(t, e.Message, path)
					assert.Equal(t, tc.reason, e.Details.Reason)
				}
				assert.Equal(t, path, e.Details.Sidecar)
			}
			// Once it is mended, the same searcher uses it.
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, os.Symlink(coretest.Ripgrep(t), path))
			assert.Equal(t, []string{"a"}, glob(t, s, root, "*", "").Paths)
		})
	}
}

// Rule: size and digest are checked where a manifest lies beside the runtime.
func TestSidecarOfAWheel(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/hydra-harness-runtime-rg", []byte("#!/bin/sh\nexit 0\n"), 0o755))
	require.NoError(t, os.WriteFile(dir+"/manifest.json", []byte(`{"files":[{"path":"hydra-harness-runtime-rg","size":17,"sha256":"00"}]}`), 0o600))
	s := with(t, ripgrep.Locate(dir+"/hydra-harness-runtime"))
	for _, e := range both(t, s, root) {
		assert.Equal(t, search.Failed, e.Code)
		assert.Contains(t, e.Message, "reinstall the package")
	}
}

// Rule: a sidecar that dies or writes what it never writes is SEARCH_FAILED,
// with what it said.
func TestSidecarThatMisbehaves(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	for name, tc := range map[string]struct {
		fake    coretest.Fake
		message string
		want    search.Details
	}{
		"killed":                  {coretest.Fake{Signal: "KILL", Stderr: "oh\n"}, "ripgrep was ended by a signal (killed) before it had finished: oh", search.Details{Signal: "killed", Stderr: "oh"}},
		"crashed":                 {coretest.Fake{Signal: "SEGV"}, "ended by a signal (segmentation fault)", search.Details{Signal: "segmentation fault"}},
		"aborted":                 {coretest.Fake{Signal: "ABRT"}, "ended by a signal (aborted)", search.Details{Signal: "aborted"}},
		"status 134":              {coretest.Fake{Exit: 134, Stderr: "memory allocation failed\n"}, "ripgrep failed (exit status 134): memory allocation failed", search.Details{ExitCode: 134, Stderr: "memory allocation failed"}},
		"status 139":              {coretest.Fake{Exit: 139}, "ripgrep failed (exit status 139)", search.Details{ExitCode: 139}},
		"status 2 without words":  {coretest.Fake{Exit: 2}, "ripgrep failed (exit status 2)", search.Details{ExitCode: 2}},
		"killed after results":    {coretest.Fake{Signal: "KILL", Stdout: hit("./a", 1, "x")}, "ended by a signal (killed)", search.Details{Signal: "killed", Found: 1}},
		"malformed":               {coretest.Fake{Stdout: "needle\n"}, "ripgrep's output could not be read: unexpected ripgrep output: a line is not a JSON object", search.Details{}},
		"malformed after results": {coretest.Fake{Stdout: hit("./a", 1, "x") + "{\n"}, "could not be read", search.Details{Found: 1}},
		"cut off":                 {coretest.Fake{Stdout: hit("./a", 1, "x") + `{"type":"match","data":{"pa`}, "could not be read", search.Details{Found: 1}},
		"no line":                 {coretest.Fake{Stdout: `{"type":"match","data":{"path":{"text":"a"},"lines":{},"line_number":1}}` + "\n"}, "a match has no line or no line number", search.Details{}},
		"no path":                 {coretest.Fake{Stdout: begin("a") + `{"type":"match","data":{"lines":{"text":"x"},"line_number":1}}` + "\n"}, "an event has no path", search.Details{}},
	} {
		t.Run(name, func(t *testing.T) {
			s, path := fake(t, tc.fake)
			e := grepError(t, s, root, search.GrepRequest{Pattern: "x"})
			assert.Equal(t, search.Failed, e.Code)
			assert.Contains(t, e.Message, tc.message)
			tc.want.Sidecar = path
			assert.Equal(t, tc.want, e.Details)
		})
	}
	for name, stand := range map[string]coretest.Fake{
		"killed": {Signal: "KILL"}, "killed after results": {Signal: "KILL", Stdout: list("a")}, "cut off": {Stdout: "./a\x00./b"}, "status 2": {Exit: 2}, "status 101": {Exit: 101, Stderr: "thread 'main' panicked at x:\noh no\n"},
	} {
		t.Run("listing "+name, func(t *testing.T) {
			s, _ := fake(t, stand)
			e := globError(t, s, root, "*", "")
			assert.Equal(t, search.Failed, e.Code)
			assert.Contains(t, e.Message, "ripgrep")
		})
	}
}

// runnerFunc is a runner of a test.
type runnerFunc func(context.Context, subprocess.Spec) (subprocess.Outcome, error)

func (f runnerFunc) Run(ctx context.Context, spec subprocess.Spec) (subprocess.Outcome, error) {
	return f(ctx, spec)
}

// What ended in the dark, or could not be started, is no answer.
func TestSidecarWhoseEndIsNotKnown(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	for name, tc := range map[string]struct {
		outcome subprocess.Outcome
		err     error
		message string
	}{
		"lost":         {subprocess.Outcome{ExitCode: -1, Lost: errEnough}, nil, "it is not known how ripgrep ended: enough"},
		"taken":        {subprocess.Outcome{ExitCode: -1, Lost: unix.ECHILD}, nil, "waits for every child (waitpid(-1)) and took the answer"},
		"no processes": {subprocess.Outcome{}, unix.EAGAIN, "the system has no room for another process"},
		"no memory":    {subprocess.Outcome{}, unix.ENOMEM, "the system has no room for another process"},
		"no files":     {subprocess.Outcome{}, unix.EMFILE, "the runtime has too many files open"},
		"a policy":     {subprocess.Outcome{}, unix.EPERM, "the system refuses to run the ripgrep sidecar"},
		"odd":          {subprocess.Outcome{}, unix.E2BIG, "could not be started: argument list too long"},
	} {
		t.Run(name, func(t *testing.T) {
			run := runnerFunc(func(_ context.Context, spec subprocess.Spec) (subprocess.Outcome, error) {
				if tc.err != nil {
					return tc.outcome, &subprocess.StartError{Path: spec.Path, Err: tc.err}
				}
				return tc.outcome, nil
			})
			for _, e := range both(t, search.New(sidecar(t), run, search.DefaultConfig(), nil), root) {
				assert.Equal(t, search.Failed, e.Code)
				assert.Contains(t, e.Message, tc.message)
			}
		})
	}
}

// What stands for nothing, stands for nothing.
func TestSidecarThatIsTerse(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	for _, stand := range []coretest.Fake{{}, {Exit: 1}, {Stdout: summary}, {Stdout: `{"type":"later","data":[]}` + "\n\n" + `{"type":"begin","data":{}}` + "\n" + `{"type":"end"}` + "\n"}} {
		s, _ := fake(t, stand)
		g := grep(t, s, root, search.GrepRequest{Pattern: "x"})
		assert.Equal(t, []search.Match{}, g.Matches)
	}
	s, _ := fake(t, coretest.Fake{})
	assert.Equal(t, []string{}, glob(t, s, root, "*", "").Paths)
	// A last line may lack its end.
	s, _ = fake(t, coretest.Fake{Stdout: strings.TrimSuffix(hit("./a", 1, "x"), "\n")})
	assert.Equal(t, []string{"a:1:x"}, lines(grep(t, s, root, search.GrepRequest{Pattern: "x"})))
}

// Rule: stderr is kept as a tail, marked, and its head decides.
func TestStderrFloods(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	flood := strings.Repeat("rg: ./locked/dir: Permission denied (os error 13)\n", 100_000)
	s, _ := fake(t, coretest.Fake{Stdout: hit("./a", 1, "x") + summary, Stderr: flood, Exit: 2}, stderrMax(200))
	within(t, time.Minute, func() {
		g := grep(t, s, root, search.GrepRequest{Pattern: "x"})
		assert.Equal(t, []string{"a:1:x"}, lines(g))
		assert.Equal(t, 100_000, g.Warnings[0].Count)
		s, _ = fake(t, coretest.Fake{Stderr: "rg: error parsing glob '[': bad\n" + strings.Repeat("noise\n", 100_000), Exit: 2}, stderrMax(200))
		e := globError(t, s, root, "*", "")
		assert.Equal(t, search.InvalidPattern, e.Code, "the head decides")
		assert.True(t, strings.HasPrefix(e.Details.Stderr, "[stderr truncated]\n"))
		assert.LessOrEqual(t, len(e.Details.Stderr), 200+len("[stderr truncated]\n"))
		s, _ = fake(t, coretest.Fake{Stderr: strings.Repeat("x", 5_000_000) + "\nend", Exit: 9}, stderrMax(10))
		e = globError(t, s, root, "*", "")
		assert.Equal(t, "[stderr truncated]\nxxxxxx\nend", e.Details.Stderr)
		// A message repeats little of it, the details have what was kept.
		s, _ = fake(t, coretest.Fake{Stderr: strings.Repeat("a backtrace\n", 10_000) + "the cause", Exit: 101})
		e = globError(t, s, root, "*", "")
		assert.Less(t, len(e.Message), 1500)
		assert.True(t, strings.HasPrefix(e.Message, "ripgrep failed (exit status 101): [stderr truncated]\n"), e.Message)
		assert.True(t, strings.HasSuffix(e.Message, "the cause"))
		assert.Greater(t, len(e.Details.Stderr), 60_000)
	})
}

// Rule: no configuration of ripgrep, no credential and no descriptor reaches the
// sidecar but what it needs.
func TestWhatTheSidecarGets(t *testing.T) {
	root := coretest.Tree(t, "a: x")
	s, path := fake(t, coretest.Fake{Exit: 1})
	glob(t, s, root, "*", "")
	seen, err := coretest.ReadSeen(path)
	require.NoError(t, err)
	var names []string
	for _, entry := range seen.Env {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	assert.Equal(t, []string{"HOME", "PATH", "LANG"}, names)
	assert.Equal(t, "/dev/null", seen.Stdin)
	grep(t, s, root, search.GrepRequest{Pattern: "-e", Path: root + "/a", Include: "*"})
	seen, err = coretest.ReadSeen(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"--no-config", "--json", "--no-ignore-global", "--no-ignore-messages", "--crlf", "--regexp=-e", "--", "./a"}, seen.Args)
	grep(t, s, root, search.GrepRequest{Pattern: "x", Include: "*.ts", Case: search.CaseSmart, Literal: true, Multiline: true})
	seen, err = coretest.ReadSeen(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"--no-config", "--json", "--no-ignore-global", "--no-ignore-messages", "--crlf", "--smart-case", "--fixed-strings", "--multiline", "--ignore-file=/dev/fd/3", "--regexp=x", "--", "."}, seen.Args)
	assert.Equal(t, "*\n!*/\n!*.ts\n.*[!.]\n", seen.Extra)
}
