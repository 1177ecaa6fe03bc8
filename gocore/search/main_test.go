package search_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

func TestMain(m *testing.M) {
	coretest.RunIfFake()
	os.Exit(m.Run())
}

// option changes the configuration of a searcher under test.
type option func(*search.Config)

func rawMax(n int64) option             { return func(c *search.Config) { c.RawOutputMaxBytes = n } }
func timeout(d time.Duration) option    { return func(c *search.Config) { c.Timeout = d } }
func grace(d time.Duration) option      { return func(c *search.Config) { c.Grace = d } }
func orderBy(o search.Order) option     { return func(c *search.Config) { c.Order = o } }
func stderrMax(n int) option            { return func(c *search.Config) { c.StderrMaxBytes = n } }
func cutShort(s search.CutShort) option { return func(c *search.Config) { c.CutShort = s } }
func failUnreadable(c *search.Config)   { c.Unreadable = search.UnreadableFail }

// environment is what a searcher is started with: a home of its own, and a
// configuration of ripgrep that would spoil every answer.
func environment(t testing.TB) []string {
	home := t.TempDir()
	hostile := filepath.Join(home, "ripgreprc")
	require.NoError(t, os.WriteFile(hostile, []byte("--max-count=0\n--glob=!*\n"), 0o600))
	return []string{"HOME=" + home, "PATH=/nonexistent", "LANG=C.UTF-8", "RIPGREP_CONFIG_PATH=" + hostile, "SOME_TOKEN=secret"}
}

func with(t testing.TB, sidecar *ripgrep.Sidecar, options ...option) *search.Searcher {
	config := search.DefaultConfig()
	for _, o := range options {
		o(&config)
	}
	return search.New(sidecar, runner(), config, environment(t))
}

func runner() subprocess.Runner { return &subprocess.Local{} }

func sidecar(t testing.TB) *ripgrep.Sidecar { return ripgrep.At(coretest.Ripgrep(t)) }

// pinned returns a searcher with the pinned ripgrep.
func pinned(t testing.TB, options ...option) *search.Searcher {
	return with(t, sidecar(t), options...)
}

// fake returns a searcher with a stand-in, and the path of that.
func fake(t testing.TB, f coretest.Fake, options ...option) (*search.Searcher, string) {
	path := filepath.Join(t.TempDir(), "runtime") + ripgrep.Suffix
	require.NoError(t, f.Install(path))
	return with(t, ripgrep.At(path), options...), path
}

func glob(t testing.TB, s *search.Searcher, workdir, pattern, path string) *search.GlobResult {
	t.Helper()
	r, err := s.Glob(context.Background(), workdir, search.GlobRequest{Pattern: pattern, Path: path})
	require.NoError(t, err, "glob(%q, path=%q)", pattern, path)
	return r
}

func globError(t testing.TB, s *search.Searcher, workdir, pattern, path string) *search.Error {
	t.Helper()
	_, err := s.Glob(context.Background(), workdir, search.GlobRequest{Pattern: pattern, Path: path})
	return failure(t, err)
}

func grep(t testing.TB, s *search.Searcher, workdir string, req search.GrepRequest) *search.GrepResult {
	t.Helper()
	r, err := s.Grep(context.Background(), workdir, req)
	require.NoError(t, err, "grep(%+v)", req)
	return r
}

func grepError(t testing.TB, s *search.Searcher, workdir string, req search.GrepRequest) *search.Error {
	t.Helper()
	_, err := s.Grep(context.Background(), workdir, req)
	return failure(t, err)
}

func failure(t testing.TB, err error) *search.Error {
	t.Helper()
	var failure *search.Error
	require.ErrorAs(t, err, &failure)
	return failure
}

func argumentError(t testing.TB, err error) *search.ArgumentError {
	t.Helper()
	var argument *search.ArgumentError
	require.ErrorAs(t, err, &argument)
	return argument
}

// lines writes matches as "path:line:text".
func lines(r *search.GrepResult) []string {
	all := []string{}
	for _, m := range r.Matches {
		all = append(all, m.Path+":"+decimal(m.LineNumber)+":"+m.Line)
	}
	return all
}

// files are the paths with a match, each once.
func files(r *search.GrepResult) []string {
	all := []string{}
	for i, m := range r.Matches {
		if i == 0 || r.Matches[i-1].Path != m.Path {
			all = append(all, m.Path)
		}
	}
	return all
}

func decimal(n int64) string {
	var b [20]byte
	i := len(b)
	for first := true; first || n > 0; first = false {
		i--
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return string(b[i:])
}

// notes and warnings are what a result says, "CODE message".
func notes(r search.Report) []string {
	all := []string{}
	for _, n := range r.Notes {
		all = append(all, n.Code+" "+n.Message)
	}
	return all
}

func warnings(r search.Report) []string {
	all := []string{}
	for _, w := range r.Warnings {
		all = append(all, w.Code+" "+w.Message)
	}
	return all
}

// within fails the test when f takes longer than anything here may.
func within(t testing.TB, limit time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatal("it did not come to an end in " + limit.String())
	}
}

// event lines of ripgrep's JSON stream, for stand-ins.
func begin(path string) string {
	return `{"type":"begin","data":{"path":{"text":"` + path + `"}}}` + "\n"
}

func hit(path string, line int64, text string) string {
	return `{"type":"match","data":{"path":{"text":"` + path + `"},"lines":{"text":"` + text + `\n"},"line_number":` + decimal(line) + `,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}` + "\n"
}

func end(path string) string {
	return `{"type":"end","data":{"path":{"text":"` + path + `"},"binary_offset":null,"stats":{}}}` + "\n"
}

const summary = `{"type":"summary","data":{"stats":{"searches":1}}}` + "\n"

// list is the output of a listing.
func list(paths ...string) string {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString("./" + p + "\x00")
	}
	return b.String()
}

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

var errEnough = errors.New("enough")
