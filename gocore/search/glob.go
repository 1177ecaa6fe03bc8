package search

import (
	"context"
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// Glob lists the files that match. The error is an *ArgumentError or an *Error.
func (s *Searcher) Glob(ctx context.Context, workdir string, req GlobRequest) (*GlobResult, error) {
	start := time.Now()
	if err := req.validate(); err != nil {
		return nil, err
	}
	return supervised(ctx, s, func(ctx context.Context) (*GlobResult, error) { return s.glob(ctx, workdir, req, start) })
}

func (s *Searcher) glob(ctx context.Context, workdir string, req GlobRequest, start time.Time) (*GlobResult, error) {
	t, err := resolve(workdir, req.Path)
	if err != nil {
		return nil, err
	}
	if t.file != "" {
		return nil, fail(Failed, Details{Path: req.Path}, nil, "path %s is not a directory; glob searches a directory (leave path out for the working directory)", quote(req.Path))
	}
	timed := s.config.Order != OrderPath
	walk, readAs := planReading(t, req.Pattern)
	q := &globQuery{walk: walk, timed: timed, dates: newDates(t.dir, timed)}
	defer func() { q.dates.discard() }()
	if q.withheld, err = s.withheld(ctx, q.walk.dir, q.walk.shown()); err != nil {
		return nil, err
	}
	result := &GlobResult{Paths: []string{}}
	result.Root, result.RootBytes = escapeName(t.root)
	if readAs != "" {
		result.note(NoteReadAs, "%s", readAs)
	}

	end, err := s.list(ctx, q, t.workdir, req.Pattern, result)
	if err != nil {
		return nil, err
	}
	if !q.dates.finish(ctx, s.config.Grace) && end.incomplete == nil {
		if err := s.aborted(ctx, end, q); err != nil {
			return nil, err
		}
	}
	result.Stats = &Stats{Files: int64(q.dates.n), Threads: end.threads, Index: q.use}
	found, vanished := q.dates.sorted(s.config.Order, &q.walk.display)
	if err := s.warned(end, q.walk.display, vanished, q, &result.Report); err != nil {
		return nil, err
	}
	result.fill(found, &q.walk)
	result.Incomplete = end.cutShort(len(result.Paths))
	q.explain(t, req.Pattern, found, result)
	result.Stats.took(start)
	return result, nil
}

// list asks the sidecar, unless the answer is known without it.
func (s *Searcher) list(ctx context.Context, q *globQuery, workdir, pattern string, result *GlobResult) (*ending, error) {
	none := &ending{diagnostics: &ripgrep.Diagnostics{}}
	if ctx.Err() != nil {
		return none, s.aborted(ctx, none, q)
	}
	dir, err := dirAt(q.walk.dir)
	switch {
	case err != nil && !absent(err):
		return nil, inaccessible("the directory", q.walk.prefix, err)
	case !dir:
		return none, q.missing(pattern, err == nil, result)
	case insideVCS(q.walk.dir):
		return none, nil
	}
	if err := readable(q.walk.dir); err != nil {
		return nil, inaccessible("the directory", q.walk.prefix, err)
	}
	if err := q.compile(pattern, result); err != nil {
		return nil, err
	}
	end, err := s.listIndexed(ctx, q, workdir)
	if end == nil && err == nil {
		end, err = s.run(ctx, q.walk.dir, []string{"."}, q)
	}
	if err != nil || end.incomplete != nil {
		return end, err
	}
	if err := s.listed(end, q); err != nil {
		return nil, err
	}
	if q.dates.n == 0 {
		if err := s.prove(ctx, end, q); err != nil || end.incomplete != nil {
			return end, err
		}
		// Beneath a directory that was removed meanwhile ripgrep finds nothing.
		if _, err := dirAt(q.walk.dir); err != nil {
			return nil, inaccessible("the directory", q.walk.shown(), err)
		}
	}
	return end, nil
}

// missing notes that the directory which the pattern begins with is not there.
func (l *globQuery) missing(pattern string, exists bool, result *GlobResult) error {
	if _, err := ripgrep.ParseGlob(ripgrep.CleanGlob(l.walk.pattern)); err != nil {
		return l.invalid(pattern, err)
	}
	bare := strings.TrimLeft(trimDotSlash(pattern), "/")
	switch vcs := vcsComponent(l.walk.prefix); {
	case vcs != "":
		result.note(NoteVersionControl, "%s holds version-control metadata, which glob never lists", vcs)
	case exists:
		result.note(NotePrefixMissing, "%s is a file, so there is nothing beneath it", quote(l.walk.prefix))
	case strings.HasPrefix(pattern, "~"):
		result.note(NotePrefixMissing, `there is no directory %s; "~" is not expanded here, write the home directory out`, quote(l.walk.prefix))
	case strings.HasPrefix(bare, ".."):
		result.note(NotePrefixMissing, "there is no directory %s", quote(l.walk.prefix))
	default:
		result.note(NotePrefixMissing, "there is no directory %s where the search starts; to look for it at any depth, write %s", quote(l.walk.prefix), quote("**/"+bare))
	}
	return nil
}

// shown is the walked directory for messages.
func (w *walk) shown() string {
	if w.prefix != "" {
		return w.prefix
	}
	return w.dir
}

// listed reads the exit status of a listing.
func (s *Searcher) listed(end *ending, q *globQuery) error {
	switch end.exit {
	case ripgrep.ExitFound, ripgrep.ExitNothing:
		return nil
	case ripgrep.ExitError:
		switch diag := end.diagnostics; {
		case diag.Root != nil:
			return rootUnreadable(q.walk.shown(), diag.Root, end)
		case diag.Entries()+diag.Beside > 0 && !diag.Other:
			return nil
		case strings.HasPrefix(strings.TrimPrefix(end.stderr.Head(), "rg: "), "error parsing glob"):
			return fail(InvalidPattern, Details{Stderr: end.stderrText()}, nil, "ripgrep rejected the glob%s", said(end.stderrText()))
		}
	}
	return s.failedExit(end, q)
}
