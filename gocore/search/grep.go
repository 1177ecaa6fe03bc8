package search

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// Grep finds the lines that match. The error is an *ArgumentError or an *Error.
func (s *Searcher) Grep(ctx context.Context, workdir string, req GrepRequest) (*GrepResult, error) {
	start := time.Now()
	if err := req.validate(); err != nil {
		return nil, err
	}
	return supervised(ctx, s, func(ctx context.Context) (*GrepResult, error) { return s.grep(ctx, workdir, req, start) })
}

func (s *Searcher) grep(ctx context.Context, workdir string, req GrepRequest, start time.Time) (*GrepResult, error) {
	t, err := resolve(workdir, req.Path)
	if err != nil {
		return nil, err
	}
	q := &grepQuery{req: req, target: t}
	if q.withheld, err = s.withheld(ctx, t.dir+t.file, cmp.Or(req.Path, t.dir)); err != nil {
		return nil, err
	}
	result := &GrepResult{}
	if req.Include != "" {
		inc, err := newInclude(req.Include, t.dir)
		if err != nil {
			return nil, fail(InvalidPattern, Details{}, err, "include: %v", err)
		}
		if t.file == "" {
			q.include = inc
			for _, said := range inc.said {
				result.note(NoteReadAs, "include: %s", said)
			}
		} else if !inc.wants(t.file) {
			result.note(NoteIncludeNotApplied, "path names a file, which was searched although include does not match it")
		}
	}
	if t.file == "" {
		q.withheld = append(q.withheld, withoutStrangeIgnores(t.dir, &result.Report)...)
		q.foreign = foreignTree(t.dir)
	}
	end, err := s.scan(ctx, q, &result.Report)
	if err != nil {
		return nil, q.explained(err)
	}
	if err := s.warned(end, t.display, nil, q, &result.Report); err != nil {
		return nil, err
	}
	result.Matches = q.sorted()
	if !req.linesWanted() {
		result.Files = q.fileMatches()
	}
	result.Incomplete = end.cutShort(q.hits)
	q.explain(result)
	result.Stats = &Stats{Files: q.stats.Files, Bytes: q.stats.Bytes, Threads: end.threads, Index: q.use}
	result.Stats.took(start)
	return result, nil
}

// explained adds to the error of a search that did not end by itself that an
// ignore file may be the reason.
func (q *grepQuery) explained(err error) error {
	var e *Error
	if !errors.As(err, &e) || q.target.file != "" || e.Details.Reason != ReasonTimeout && e.Details.Signal == "" {
		return err
	}
	e.Message += strangeBelow(q.target.dir)
	return err
}

// scan asks the sidecar, and again when it can do what it refused in another way.
func (s *Searcher) scan(ctx context.Context, q *grepQuery, report *Report) (*ending, error) {
	if ctx.Err() != nil {
		none := &ending{diagnostics: &ripgrep.Diagnostics{}}
		return none, s.aborted(ctx, none, q)
	}
	s.selectFor(q)
	end, err := s.run(ctx, q.target.dir, q.operands(), q)
	if q.selection != nil && !q.confirmed(end, err) {
		q.goPlain(reasonChanged)
		end, err = s.run(ctx, q.target.dir, q.operands(), q)
	}
	for err == nil && end.incomplete == nil && q.rejected(end) {
		again, why := q.otherwise(end, report)
		if why != nil {
			return nil, q.invalid(end, why)
		}
		if !again {
			break
		}
		if q.selection != nil {
			q.goPlain(reasonPCRE2)
		}
		end, err = s.run(ctx, q.target.dir, q.operands(), q)
	}
	if err != nil || end.incomplete != nil {
		return end, err
	}
	if err := s.scanned(end, q); err != nil {
		return end, err
	}
	switch {
	case q.events.Summary:
		s.sidecar.Prove()
	case q.hits == 0:
		return end, s.prove(ctx, end, q)
	}
	return end, nil
}

// operands are what ripgrep is to look at.
func (q *grepQuery) operands() []string {
	switch {
	case q.target.file != "":
		return []string{"./" + q.target.file}
	case q.selection != nil:
		return q.selection.Operands()
	}
	return []string{"."}
}

// scanned reads the exit status of a scan.
func (s *Searcher) scanned(end *ending, q *grepQuery) error {
	diag := end.diagnostics
	switch end.exit {
	case ripgrep.ExitFound:
		return nil
	case ripgrep.ExitNothing:
		return q.stillThere()
	case ripgrep.ExitError:
		switch {
		case diag.Root != nil:
			return rootUnreadable(q.target.shown(), diag.Root, end)
		case q.rejected(end):
			return q.invalid(end, nil)
		case diag.Entries() > 0 && !diag.Other:
			return q.looked(end)
		}
	}
	return s.failedExit(end, q)
}

// stillThere makes sure that an empty answer is about something: beneath a
// directory that was removed meanwhile ripgrep finds nothing.
func (q *grepQuery) stillThere() error {
	if _, err := dirAt(q.target.dir); err != nil {
		return inaccessible("the directory", q.target.shown(), err)
	}
	return nil
}

// looked refuses the answer about a single file that could not be searched.
func (q *grepQuery) looked(end *ending) error {
	if q.target.file == "" || q.hits > 0 {
		return nil
	}
	first := append(end.diagnostics.Unreadable.First, end.diagnostics.Vanished.First...)[0]
	return fail(Failed, Details{Path: q.req.Path, Stderr: end.stderrText()}, nil, "path %s could not be searched: %s", quote(q.req.Path), first.Reason)
}

// shown is the searched directory for messages.
func (t *target) shown() string {
	if t.root == "." {
		return t.dir
	}
	return t.root
}
