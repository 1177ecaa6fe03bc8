package search

import (
	"context"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// Index knows a tree without walking it. It never answers from memory what could
// have changed: when it is in any doubt it gives the reason, and the search goes the
// plain way. What it is asked costs far less than a search.
type Index interface {
	// Select returns what a grep has to look at.
	Select(Scope) (*Selection, string)
	// Names asks wants about every regular file at and beneath dir, but not in version
	// control's own, and calls each for those that it wants, best in the order of their
	// paths, as long as it returns true; and returns the directories that could not be
	// listed. Paths are relative to dir, and base is the last part of one.
	Names(workdir, dir string, wants func(path, base string) bool, each func(IndexedName) bool) ([]Locked, string)
}

// Scope is what a grep is about.
type Scope struct {
	// Workdir is the working directory of the call and Dir the directory to search.
	Workdir, Dir string
	Pattern      string
	// Literal and Multiline are as in the request; Insensitive is set wherever case may
	// be ignored.
	Literal, Insensitive, Multiline bool
	// Wants narrows the files, named relative to Dir; nil is all of them. Narrowing
	// tells one such function from another.
	Wants     func(rel string) bool
	Narrowing string
}

// Selection is what has to be looked at: the named files are operands, the walked
// ones ripgrep meets itself. Paths are relative to the directory of the scope.
type Selection struct {
	ripgrep.Narrowing
	// Files is how many files the plain search would look at.
	Files int
	// Confirm reports whether nothing has happened to the named files until now.
	Confirm func() bool
}

// IndexedName is a file of a listing.
type IndexedName struct {
	// Path is relative to the listed directory.
	Path string
	Sec  int64
	Nsec int32
	// Dated is set when the time is known.
	Dated bool
}

// Locked is a directory that could not be listed, and the system's error number.
type Locked struct {
	Path  string
	Errno int
}

// IndexUse says whether an index had a part in an answer.
type IndexUse struct {
	// Used is one of the Used constants.
	Used string `json:"used"`
	// Reason says why not, in a word of docs/search-index.md.
	Reason string `json:"reason,omitempty"`
	// Files is how many files the plain search would have looked at, Candidates how
	// many were looked at instead.
	Files      int `json:"files,omitempty"`
	Candidates int `json:"candidates,omitempty"`
}

// The ways to use an index.
const (
	UsedNot     = "no"
	UsedBarrier = "barrier"
)

// Reasons that are found here. Those of the index are in package index.
const (
	reasonFile    = "file"
	reasonPCRE2   = "pcre2"
	reasonPattern = "pattern"
	reasonChanged = "changed-meanwhile"
	// reasonWithheld: the folder of saved results lies below, which is left out.
	reasonWithheld = "withheld"
	// reasonForeign: ignore files hold in a working tree that no index knows as one.
	reasonForeign = "foreign-tree"
)

// Use has the searcher ask an index first. It is called before the first search.
func (s *Searcher) Use(index Index) { s.index = index }

// plain notes why an index has no part in an answer.
func (u *IndexUse) plain(reason string) {
	*u = IndexUse{Used: UsedNot, Reason: reason}
}

// selectFor asks the index what a grep has to look at.
func (s *Searcher) selectFor(q *grepQuery) {
	if s.index == nil {
		return
	}
	q.use = &IndexUse{}
	pattern, literal := q.asked()
	scope := Scope{
		Workdir: q.target.workdir, Dir: q.target.dir, Pattern: pattern, Literal: literal, Multiline: q.req.Multiline,
		Insensitive: q.req.Case == CaseInsensitive || q.req.Case == CaseSmart,
	}
	switch {
	case q.target.file != "":
		q.use.plain(reasonFile)
		return
	case q.withheld != nil:
		q.use.plain(reasonWithheld)
		return
	case q.foreign:
		q.use.plain(reasonForeign)
		return
	case q.include != nil && !q.include.piped():
		q.use.plain(reasonPattern) // which files a plain search looks at is then another question
		return
	case q.include != nil:
		scope.Wants, scope.Narrowing = q.include.wants, q.target.dir+"\x00"+q.req.Include
	}
	selection, reason := s.index.Select(scope)
	if selection == nil {
		q.use.plain(reason)
		return
	}
	q.selection, q.began = selection, map[string]bool{}
	*q.use = IndexUse{Used: UsedBarrier, Files: selection.Files, Candidates: len(selection.Named) + len(selection.Walked)}
}

// goPlain has the next run of a grep search everything.
func (q *grepQuery) goPlain(reason string) {
	q.selection, q.began = nil, nil
	q.use.plain(reason)
}

// confirmed reports whether the answer of a selection stands: nothing that was named
// has changed meanwhile, and ripgrep had nothing against being asked so.
func (q *grepQuery) confirmed(end *ending, err error) bool {
	if err != nil {
		bad, ok := err.(*Error) //nolint:errorlint // made here, not wrapped
		return ok && bad.Code != Failed
	}
	if end.incomplete != nil || q.rejected(end) {
		return true
	}
	if !q.selection.Confirm() {
		return false
	}
	q.stats.Files = int64(q.selection.Files)
	return true
}

// repeated reports whether a file has been told of already: one that is named can be
// met in the walk, too, when a repository's own rules want it there.
func (q *grepQuery) repeated(path string) bool {
	if q.selection == nil {
		return false
	}
	before := q.began[path]
	q.began[path] = true
	return before
}

// charged is how many listed bytes go through the budget at once.
const chargedAtOnce = 32 << 10

// listIndexed answers a glob from the index, or returns nil. What the sidecar would
// have printed goes the same way as what it prints.
func (s *Searcher) listIndexed(ctx context.Context, q *globQuery, workdir string) (*ending, error) {
	if s.index == nil {
		return nil, nil
	}
	q.use = &IndexUse{}
	if q.withheld != nil {
		q.use.plain(reasonWithheld)
		return nil, nil
	}
	if err := s.sidecar.Check(); err != nil {
		return nil, sidecarFailed(err)
	}
	globs := make([]*ripgrep.Glob, 0, len(q.globs))
	for _, pattern := range q.globs {
		glob, err := ripgrep.ParseGlob(pattern)
		if err != nil {
			q.use.plain(reasonPattern)
			return nil, nil
		}
		globs = append(globs, glob)
	}
	end := &ending{
		diagnostics: &ripgrep.Diagnostics{Levels: q.levels()},
		stderr:      subprocess.NewExcerpt(s.config.StderrMaxBytes),
		threads:     q.threads(processors()),
		exit:        ripgrep.ExitFound,
	}
	l := &indexListing{query: q, globs: globs, raw: &budget{sink: q.sink(), query: q, max: s.config.RawOutputMaxBytes}, ctx: ctx}
	locked, reason := s.index.Names(workdir, q.walk.dir, l.wants, l.take)
	if reason != "" {
		q.use.plain(reason)
		return nil, nil
	}
	l.flush()
	for _, dir := range locked {
		end.complain(dir, q.levels())
	}
	if err := end.diagnostics.Close(); err != nil {
		return nil, s.malformed(err, end, q)
	}
	*q.use = IndexUse{Used: UsedBarrier, Files: l.files}
	switch {
	case ctx.Err() != nil:
		return end, s.aborted(ctx, end, q)
	case l.err != nil || l.raw.charged() > l.raw.max:
		return end, s.overflowed(end, q)
	}
	return end, nil
}

// indexListing takes the files of an index.
type indexListing struct {
	ctx     context.Context
	query   *globQuery
	globs   []*ripgrep.Glob
	raw     *budget
	files   int
	pending []byte
	times   []IndexedName
	err     error
}

// wants reports whether a file matches.
func (l *indexListing) wants(path, base string) bool {
	l.files++
	for _, glob := range l.globs {
		if glob.MayEnd(base) && glob.Match(path) {
			return true
		}
	}
	return false
}

// take notes a file that matches; it returns false when no more are wanted.
func (l *indexListing) take(n IndexedName) bool {
	l.pending = append(append(append(l.pending, "./"...), n.Path...), 0)
	l.times = append(l.times, n)
	return len(l.pending) < chargedAtOnce || l.flush()
}

// flush hands over what has gathered.
func (l *indexListing) flush() bool {
	if l.err == nil {
		_, l.err = l.raw.Write(l.pending)
	}
	d := l.query.dates
	for i, n := range l.times {
		if at := d.n - len(l.times) + i; at >= 0 {
			d.know(at, n)
		}
	}
	l.pending, l.times = l.pending[:0], l.times[:0]
	return l.err == nil && l.ctx.Err() == nil
}

// know notes the time of a file without asking the system.
func (d *dates) know(i int, n IndexedName) {
	b := d.all[i/dateBatch]
	b.done.Store(true)
	if e := &b.entries[i%dateBatch]; n.Dated {
		e.sec, e.nsec, e.state = n.Sec, n.Nsec, timed
	}
}

// complain says of a directory what ripgrep says when it gets there.
func (e *ending) complain(dir Locked, levels int) {
	depth := 1
	for _, c := range dir.Path {
		if c == '/' {
			depth++
		}
	}
	if levels > 0 && depth > levels {
		return
	}
	name, again := "./"+dir.Path, ""
	if e.threads == 1 {
		again = "IO error for operation on " + name + ": "
	}
	said := fmt.Sprintf("rg: %s: %s%s (os error %d)\n", name, again, systemText(dir.Errno), dir.Errno)
	e.exit = ripgrep.ExitError
	_, _ = e.stderr.Write([]byte(said))
	_, _ = e.diagnostics.Write([]byte(said)) // it refuses what a thread says, only
}

// systemText is the C library's text for an error number.
func systemText(errno int) string {
	switch syscall.Errno(errno) {
	case unix.EACCES:
		return "Permission denied"
	case unix.EPERM:
		return "Operation not permitted"
	}
	return syscall.Errno(errno).Error()
}
