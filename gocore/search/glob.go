package search

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// listing is the query of a glob: the files beneath a directory that match.
type listing struct {
	walk  walk
	arena arena
	paths []string // relative to walk.dir
	list  ripgrep.List
}

func (l *listing) args() []string {
	args := []string{"--files", "--null", "--no-ignore", "--hidden", "--glob=" + ripgrep.CleanGlob(l.walk.pattern)}
	for _, name := range vcsNames {
		args = append(args, "--glob=!**/"+name, "--glob=!**/"+name+"/**")
	}
	return args
}

func (l *listing) files() ([]*os.File, error) { return nil, nil }

func (l *listing) sink() io.Writer {
	l.paths = nil
	l.list = ripgrep.List{Path: func(rel []byte) error {
		l.paths = append(l.paths, l.arena.keep(rel))
		return nil
	}}
	return &l.list
}

func (l *listing) finish() error { return l.list.Close() }

// counted charges each path as it would be printed behind the call's own path,
// where ours stands behind "./".
func (l *listing) counted() int64 { return int64(len(l.paths)) * int64(len("./")-l.walk.spelled) }

func (l *listing) found() int { return len(l.paths) }

// Glob lists the files that match. The error is an *ArgumentError or an *Error.
func (s *Searcher) Glob(ctx context.Context, workdir string, req GlobRequest) (*GlobResult, error) {
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
	if t.file != "" {
		return nil, fail(Failed, Details{Path: req.Path}, nil, "path %s is not a directory; glob searches a directory (leave path out for the working directory)", quote(req.Path))
	}
	q := &listing{walk: planWalk(t, req.Pattern)}
	result := &GlobResult{Paths: []string{}}
	result.Root, result.RootBytes = escapeName(t.root)

	end, err := s.list(ctx, q, result)
	if err != nil {
		return nil, err
	}
	found := order(q.walk.dir, q.paths, s.config.Order, &q.walk.display, result)
	result.fill(found, &q.walk)
	q.explain(req.Pattern, result)
	result.Stats = stats(start, end)
	result.Stats.Files = int64(len(q.paths))
	result.Incomplete = end.incomplete
	return result, nil
}

// list asks the sidecar, and adds the file that is literally named as the
// pattern is written.
func (s *Searcher) list(ctx context.Context, q *listing, result *GlobResult) (*ending, error) {
	none := &ending{threads: 0}
	if ctx.Err() != nil {
		return none, s.aborted(ctx, none, q)
	}
	exists, dir := kindAt(q.walk.dir)
	switch {
	case !exists || !dir:
		result.Notes = append(result.Notes, Note{NotePrefixMissing, fmt.Sprintf("there is no directory %s", quote(q.walk.prefix))})
		return none, nil
	case insideVCS(q.walk.dir):
		return none, nil
	}
	if err := readable(q.walk.dir); err != nil {
		return nil, inaccessible("the directory", q.walk.prefix, err)
	}
	literal := q.literalName()
	if _, err := ripgrep.ParseGlob(ripgrep.CleanGlob(q.walk.pattern)); err != nil {
		if literal == "" {
			return nil, fail(InvalidPattern, Details{}, err, "%v", err)
		}
		q.paths = []string{literal}
		result.Notes = append(result.Notes, Note{NoteLiteralName, "the pattern is not a valid glob; a file of just that name exists"})
		return none, nil
	}
	end, err := s.run(ctx, q.walk.dir, ".", q)
	if err != nil {
		return nil, err
	}
	if end.incomplete == nil {
		if err := s.listed(end, q, result); err != nil {
			return nil, err
		}
	}
	if literal != "" && !contains(q.paths, literal) {
		q.paths = append(q.paths, literal)
	}
	return end, nil
}

// listed reads the exit status of a listing.
func (s *Searcher) listed(end *ending, q *listing, result *GlobResult) error {
	switch end.exit {
	case ripgrep.ExitFound, ripgrep.ExitNothing:
		return nil
	case ripgrep.ExitError:
		if end.diagnostics.Unreadable > 0 && !end.diagnostics.Other {
			return s.unreadable(end, q.walk.display, q, &result.Report)
		}
		if strings.HasPrefix(end.stderr.Head(), "rg: error parsing glob") {
			return fail(InvalidPattern, Details{Stderr: end.stderrText()}, nil, "ripgrep rejected the glob%s", said(end.stderrText()))
		}
	}
	return s.failedExit(end, q)
}

// literalName returns the pattern's own spelling when wildcards make it mean
// something else and a file of that name exists.
func (l *listing) literalName() string {
	name := strings.TrimLeft(l.walk.pattern, "/")
	if _, literal := unescapeGlob(name); literal || name == "" || hasVCSComponent(name) {
		return ""
	}
	var st unix.Stat_t
	if unix.Lstat(joinPath(l.walk.dir, name), &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return ""
	}
	return name
}

// fill writes ordered paths into the result.
func (r *GlobResult) fill(found []string, w *walk) {
	var a arena
	r.Paths = make([]string, len(found))
	r.heads = make([]string, len(found))
	for i, rel := range found {
		path, exact := escapeName(w.display.path(&a, rel))
		r.Paths[i] = path
		if exact != nil {
			if r.PathBytes == nil {
				r.PathBytes = PathBytes{}
			}
			r.PathBytes[i] = exact
		}
		if r.heads[i] = w.head; w.head == "" {
			r.heads[i], _, _ = strings.Cut(rel, "/")
		}
	}
}
