package search

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// grepQuery is the query of a grep: the matching lines beneath a directory, or in
// one file.
type grepQuery struct {
	// withheld keeps ripgrep out of the folder of saved results.
	withheld  []string
	req       GrepRequest
	target    *target
	include   *include
	pcre2     bool            // run by the other engine
	use       *IndexUse       // nil where there is no index
	selection *Selection      // what has to be looked at, or nil for all
	began     map[string]bool // files that a selection has told of
	foreign   bool            // of a version control whose working trees ripgrep does not know
	crWhole   bool            // a carriage return is a character, not part of a line end

	arena  arena
	lines  lineBuffer
	groups []group
	binary []binaryStop
	stats  ripgrep.Stats
	path   string // of the current file, as ripgrep prints it
	inside bool   // of a file
	skip   bool   // the current file is not wanted
	dotted int64  // events whose path stands behind "./"
	events ripgrep.Events

	hits      int   // matches, or files where only those are wanted
	discarded int64 // bytes of events of which only the number is kept
}

var dotSlash = []byte("./")

// group is a run of matches of one file.
type group struct {
	path       string
	exact      []byte
	start, end int
	count      int64 // matches, where lines are not wanted
}

// binaryStop is a file in which ripgrep met a NUL byte.
type binaryStop struct {
	path   string
	offset int64
}

func (q *grepQuery) args() []string {
	// A repository's ignore file with a slip in it is not the caller's concern.
	args := []string{"--json", "--no-ignore-global", "--no-ignore-messages"}
	if q.foreign {
		args = append(args, "--no-require-git")
	}
	if !q.crWhole {
		args = append(args, "--crlf")
	}
	switch q.req.Case {
	case CaseInsensitive:
		args = append(args, "--ignore-case")
	case CaseSmart:
		args = append(args, "--smart-case")
	}
	pattern, literal := q.asked()
	if literal {
		args = append(args, "--fixed-strings")
	}
	if q.req.Multiline {
		args = append(args, "--multiline")
	}
	if q.pcre2 {
		args = append(args, "--pcre2")
	}
	if q.req.FilesOnly {
		args = append(args, "--max-count=1")
	}
	if q.req.Before > 0 {
		args = append(args, fmt.Sprintf("--before-context=%d", q.req.Before))
	}
	if q.req.After > 0 {
		args = append(args, fmt.Sprintf("--after-context=%d", q.req.After))
	}
	switch {
	case q.selection != nil:
		args = append(args, q.selection.Args(ripgrep.FirstExtra)...)
	case q.include != nil:
		args = append(args, q.include.args()...)
	}
	args = append(args, q.withheld...)
	return append(args, "--regexp="+pattern)
}

func (q *grepQuery) files() ([]*os.File, error) {
	switch {
	case q.selection != nil && q.selection.Walks():
		file, err := ripgrep.MemoryFile(q.selection.IgnoreFile())
		return []*os.File{file}, err
	case q.selection != nil || q.include == nil:
		return nil, nil
	}
	return q.include.files()
}

func (q *grepQuery) sink() io.Writer {
	clear(q.began)
	q.lines, q.groups, q.binary, q.inside, q.dotted = lineBuffer{}, nil, nil, false, 0
	q.hits, q.discarded = 0, 0
	q.stats = ripgrep.Stats{}
	q.events = ripgrep.Events{On: q.event}
	return &q.events
}

func (q *grepQuery) finish() error { return q.events.Close() }

// counted charges each path as it would be printed for the call's own operand
// (a path that JSON has to escape is charged as if it were plain), and nothing
// for a match that is only counted.
func (q *grepQuery) counted() int64 {
	ours := len("./") + len(q.target.file)
	return q.dotted*int64(ours-q.target.spelled) + q.discarded
}

func (q *grepQuery) found() int { return q.hits }

func (q *grepQuery) levels() int { return 0 }

func (q *grepQuery) threads(processors int) int { return processors }

func (q *grepQuery) narrow() string { return "path, include or pattern" }

func (q *grepQuery) where() string {
	counts := map[string]int{}
	for i := range q.groups {
		g := &q.groups[i]
		n := g.end - g.start
		if !q.req.linesWanted() {
			n = int(g.count)
		}
		counts[folderOf(g.name())] += n
	}
	return mostIn(counts, "match", "matches")
}

func (q *grepQuery) event(ev *ripgrep.Event) error {
	if bytes.HasPrefix(ev.Path, dotSlash) {
		q.dotted++
	}
	switch ev.Kind {
	case ripgrep.KindBegin:
		q.open(ev.Path)
	case ripgrep.KindMatch, ripgrep.KindContext:
		if !q.inside || q.path != string(ev.Path) {
			q.open(ev.Path) // a match says itself what file it is in
		}
		if !q.skip {
			q.match(ev)
		}
	case ripgrep.KindEnd:
		if q.inside && !q.skip && ev.BinaryOffset != ripgrep.NoOffset {
			q.binary = append(q.binary, binaryStop{q.groups[len(q.groups)-1].path, ev.BinaryOffset})
		}
		q.inside = false
	case ripgrep.KindSummary:
		q.stats = ev.Stats
	}
	return nil
}

// open starts the group of a file, unless include leaves it out.
func (q *grepQuery) open(path []byte) {
	q.path, q.inside = q.arena.keep(path), true
	rel := strings.TrimPrefix(q.path, "./")
	if q.skip = q.include != nil && !q.include.wants(rel) || q.repeated(q.path); q.skip {
		return
	}
	shown, exact := escapeName(q.target.display.path(&q.arena, rel))
	q.groups = append(q.groups, group{path: shown, exact: exact, start: q.lines.n, end: q.lines.n})
}

func (q *grepQuery) match(ev *ripgrep.Event) {
	g := &q.groups[len(q.groups)-1]
	context := ev.Kind == ripgrep.KindContext
	if !q.req.linesWanted() {
		q.count(g, ev)
		return
	}
	line := trimLineEnd(ev.Line)
	hit := int(min(max(0, ev.Hit), int64(len(line))))
	if !utf8.Valid(line) {
		hit = len(appendLossy(nil, line[:hit]))
		line = appendLossy(nil, line)
	}
	if !context {
		q.hits++
	}
	q.lines.add(keptLine{number: ev.LineNumber, hit: hit, context: context}, line)
	g.end = q.lines.n
}

// count keeps the number of a match alone.
func (q *grepQuery) count(g *group, ev *ripgrep.Event) {
	if q.discarded += int64(ev.Size); q.req.Count || g.count == 0 {
		q.hits++
	}
	g.count++
}

// fileMatches returns the files with a match by path bytes.
func (q *grepQuery) fileMatches() []FileMatches {
	slices.SortStableFunc(q.groups, func(a, b group) int { return strings.Compare(a.name(), b.name()) })
	files := []FileMatches{}
	for _, g := range q.groups {
		f := FileMatches{Path: g.path, PathBytes: g.exact}
		if q.req.Count {
			f.Count = g.count
		}
		switch last := len(files) - 1; {
		case g.count == 0:
		case last >= 0 && files[last].Path == f.Path && bytes.Equal(files[last].PathBytes, f.PathBytes):
			files[last].Count += f.Count
		default:
			files = append(files, f)
		}
	}
	return files
}

// sorted returns the matches by path bytes, then line number. ripgrep writes a
// file's matches together and in order, so only whole files move.
func (q *grepQuery) sorted() []Match {
	slices.SortFunc(q.groups, func(a, b group) int {
		return cmp.Or(strings.Compare(a.name(), b.name()), cmp.Compare(a.start, b.start))
	})
	all := make([]Match, 0, q.lines.n)
	for i := range q.groups {
		g := &q.groups[i]
		for line := g.start; line < g.end; line++ {
			all = append(all, q.lines.match(line, g))
		}
	}
	return all
}

// name is the path's own bytes.
func (g *group) name() string {
	if g.exact != nil {
		return string(g.exact)
	}
	return g.path
}
