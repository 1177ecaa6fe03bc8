package search

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// scan is the query of a grep: the matching lines beneath a directory, or in
// one file.
type scan struct {
	req     GrepRequest
	target  *target
	include *include
	pcre2   bool

	arena   arena
	matches []Match
	groups  []group
	binary  []binaryStop
	stats   ripgrep.Stats
	skip    bool // the current file is not wanted
	events  ripgrep.Events
}

// group is the run of matches of one file.
type group struct {
	path       string
	exact      []byte
	start, end int
}

// binaryStop is a file that ripgrep gave up at a NUL byte.
type binaryStop struct {
	path   string
	offset int64
}

func (q *scan) args() []string {
	args := []string{"--json", "--crlf", "--no-ignore-global"}
	switch q.req.Case {
	case CaseInsensitive:
		args = append(args, "--ignore-case")
	case CaseSmart:
		args = append(args, "--smart-case")
	}
	if q.req.Literal {
		args = append(args, "--fixed-strings")
	}
	if q.req.Multiline {
		args = append(args, "--multiline")
	}
	if q.pcre2 {
		args = append(args, "--pcre2")
	}
	if q.include != nil {
		args = append(args, q.include.args()...)
	}
	return append(args, "--regexp="+q.req.Pattern)
}

func (q *scan) files() ([]*os.File, error) {
	if q.include == nil {
		return nil, nil
	}
	return q.include.files()
}

func (q *scan) sink() io.Writer {
	q.matches, q.groups, q.binary, q.skip = nil, nil, nil, false
	q.stats = ripgrep.Stats{}
	q.events = ripgrep.Events{On: q.event}
	return &q.events
}

func (q *scan) finish() error {
	if err := q.events.Close(); err != nil {
		return err
	}
	q.closeGroup()
	return nil
}

// counted charges each path as it would be printed for the call's own operand.
func (q *scan) counted() int64 {
	ours := len("./") + len(q.target.file)
	return q.events.Paths * int64(ours-q.target.spelled)
}

func (q *scan) found() int { return len(q.matches) }

func (q *scan) event(ev *ripgrep.Event) error {
	switch ev.Kind {
	case ripgrep.KindBegin:
		q.open(ev)
	case ripgrep.KindMatch:
		if len(q.groups) == 0 || !q.skip && q.groups[len(q.groups)-1].end >= 0 {
			q.open(ev) // a match without its begin event
		}
		if !q.skip {
			q.match(ev)
		}
	case ripgrep.KindEnd:
		if !q.skip && ev.BinaryOffset != ripgrep.NoOffset && len(q.groups) > 0 {
			q.binary = append(q.binary, binaryStop{q.groups[len(q.groups)-1].path, ev.BinaryOffset})
		}
		q.closeGroup()
	case ripgrep.KindSummary:
		q.stats = ev.Stats
	}
	return nil
}

// open starts the group of a file, unless include leaves it out.
func (q *scan) open(ev *ripgrep.Event) {
	q.closeGroup()
	rel := q.arena.keep(ev.Path)
	rel = strings.TrimPrefix(rel, "./")
	if q.skip = q.include != nil && !q.include.wants(rel); q.skip {
		return
	}
	path, exact := escapeName(q.target.display.path(&q.arena, rel))
	q.groups = append(q.groups, group{path: path, exact: exact, start: len(q.matches), end: -1})
}

func (q *scan) closeGroup() {
	if n := len(q.groups); n > 0 && q.groups[n-1].end < 0 {
		q.groups[n-1].end = len(q.matches)
	}
}

func (q *scan) match(ev *ripgrep.Event) {
	g := &q.groups[len(q.groups)-1]
	q.matches = append(q.matches, Match{
		Path:       g.path,
		PathBytes:  g.exact,
		LineNumber: ev.LineNumber,
		Line:       q.arena.keepLossy(trimLineEnd(ev.Line)),
		Hit:        int(max(0, ev.Hit)),
	})
}

// sorted returns the matches by path bytes, then line number. ripgrep writes a
// file's matches together and in order, so only whole files move.
func (q *scan) sorted() []Match {
	q.closeGroup()
	byPath := func(a, b group) int { return strings.Compare(a.exactPath(), b.exactPath()) }
	if len(q.matches) == 0 {
		return []Match{}
	}
	if slices.IsSortedFunc(q.groups, byPath) {
		return q.matches
	}
	slices.SortStableFunc(q.groups, byPath)
	all := make([]Match, 0, len(q.matches))
	for _, g := range q.groups {
		all = append(all, q.matches[g.start:g.end]...)
	}
	return all
}

func (g *group) exactPath() string {
	if g.exact != nil {
		return string(g.exact)
	}
	return g.path
}

// Grep finds the lines that match. The error is an *ArgumentError or an *Error.
func (s *Searcher) Grep(ctx context.Context, workdir string, req GrepRequest) (*GrepResult, error) {
	start := time.Now()
	if err := req.validate(); err != nil {
		return nil, err
	}
	ctx, cancel := s.withDeadline(ctx)
	defer cancel()
	t, err := resolve(workdir, req.Path)
	if err != nil {
		return nil, err
	}
	q := &scan{req: req, target: t}
	result := &GrepResult{}
	if req.Include != "" {
		inc, err := newInclude(req.Include)
		if err != nil {
			return nil, fail(InvalidPattern, Details{}, err, "%v", err)
		}
		if t.file == "" {
			q.include = inc
		} else if !inc.wants(t.file) {
			result.note(NoteIncludeNotApplied, "path names a file, which was searched although include does not match it")
		}
	}
	end, err := s.scan(ctx, q, &result.Report)
	if err != nil {
		return nil, err
	}
	result.Matches = q.sorted()
	q.explain(result)
	result.Stats = stats(start, end)
	result.Stats.Files, result.Stats.Bytes = q.stats.Files, q.stats.Bytes
	result.Incomplete = end.incomplete
	return result, nil
}

// scan asks the sidecar, and once more with PCRE2 when only that understands
// the pattern.
func (s *Searcher) scan(ctx context.Context, q *scan, report *Report) (*ending, error) {
	if ctx.Err() != nil {
		none := &ending{}
		return none, s.aborted(ctx, none, q)
	}
	operand := "."
	if q.target.file != "" {
		operand = "./" + q.target.file
	}
	end, err := s.run(ctx, q.target.dir, operand, q)
	if err == nil && end.incomplete == nil && !q.pcre2 && needsPCRE2(end, q) {
		q.pcre2 = true
		report.note(NotePCRE2, "the pattern uses look-around or back-references and was run with PCRE2")
		end, err = s.run(ctx, q.target.dir, operand, q)
	}
	if err != nil || end.incomplete != nil {
		return end, err
	}
	return end, s.scanned(end, q, report)
}

// scanned reads the exit status of a scan.
func (s *Searcher) scanned(end *ending, q *scan, report *Report) error {
	switch end.exit {
	case ripgrep.ExitFound, ripgrep.ExitNothing:
		return nil
	case ripgrep.ExitError:
		if q.rejected(end) {
			return q.invalid(end)
		}
		if end.diagnostics.Unreadable > 0 && !end.diagnostics.Other {
			return s.unreadable(end, q.target.display, q, report)
		}
	}
	return s.failedExit(end, q)
}

// rejected reports whether ripgrep refused the pattern: it then stops before
// the search, and writes no summary, whatever its words are.
func (q *scan) rejected(end *ending) bool {
	return end.exit == ripgrep.ExitError && !q.events.Summary && end.diagnostics.Other && end.diagnostics.Unreadable == 0
}
