package search

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// globQuery is the query of a glob: the files beneath a directory that match.
type globQuery struct {
	walk  walk
	globs []string // alternatives, as ripgrep takes them
	timed bool     // the order is by time
	dates *dates   // of what was found
	list  ripgrep.List
	// withheld keeps ripgrep out of the folder of saved results.
	withheld []string
	use      *IndexUse // nil where there is no index
}

func (l *globQuery) args() []string {
	args := []string{"--files", "--null", "--no-ignore", "--hidden"}
	if depth := l.levels(); depth > 0 {
		args = append(args, "--max-depth="+strconv.Itoa(depth))
	}
	for _, glob := range l.globs {
		args = append(args, "--glob="+glob)
	}
	for _, name := range vcsNames {
		args = append(args, "--glob=!**/"+name, "--glob=!**/"+name+"/**")
	}
	return append(args, l.withheld...)
}

// levels returns how many levels an anchored pattern reaches, or 0 when it may
// reach any: ripgrep itself goes down everywhere. A class in brackets may match a
// slash.
func (l *globQuery) levels() int {
	pattern := l.walk.pattern
	if len(l.walk.others) > 0 || !strings.Contains(pattern, "/") || strings.Contains(pattern, "**") || strings.ContainsAny(pattern, `[{\`) {
		return 0
	}
	return 1 + strings.Count(strings.TrimPrefix(pattern, "/"), "/")
}

func (l *globQuery) files() ([]*os.File, error) { return nil, nil }

func (l *globQuery) sink() io.Writer {
	l.dates.discard()
	dates := newDates(l.walk.dir, l.timed && !l.indexed())
	l.dates = dates
	l.list = ripgrep.List{Path: func(rel []byte) error {
		dates.add(rel)
		return nil
	}}
	return &l.list
}

// indexed reports whether the index knows the times.
func (l *globQuery) indexed() bool { return l.use != nil && l.use.Used != UsedNot }

func (l *globQuery) finish() error { return l.list.Close() }

// counted charges each path as it would be printed behind the call's own path,
// where ours stands behind "./".
func (l *globQuery) counted() int64 { return l.list.Dotted * int64(len("./")-l.walk.spelled) }

func (l *globQuery) found() int { return l.dates.n }

// threads leaves a second processor to the reading of times. ripgrep's walk on
// two threads does twice the work of its walk on one, and is no faster.
func (l *globQuery) threads(processors int) int {
	if processors == 2 {
		return 1
	}
	return processors
}

func (l *globQuery) narrow() string { return "path or pattern" }

func (l *globQuery) where() string { return "" }

// compile decides what ripgrep is asked for: the pattern, and the names that it
// spells where wildcards make it mean something else. Only such a name may make
// up for a pattern that is no glob.
func (l *globQuery) compile(written string, result *GlobResult) error {
	_, err := ripgrep.ParseGlob(ripgrep.CleanGlob(l.walk.pattern))
	if err != nil {
		spelled, exists := l.walk.spelledOut()
		if !exists {
			// Looking everywhere would make each slip of the pen as dear as a search.
			return l.invalid(written, err)
		}
		l.globs = []string{spelled}
		result.note(NoteLiteralName, "the pattern is not a valid glob; what it spells literally exists")
		return nil
	}
	var without string
	for _, pattern := range append([]string{l.walk.pattern}, l.walk.others...) {
		read := readingsOf(pattern)
		l.globs = append(l.globs, read.globs...)
		without = cmp.Or(without, read.withoutBlanks)
	}
	l.globs = distinct(l.globs)
	if without != "" {
		result.note(NoteReadAs, "blanks around the alternatives in braces were left out; %s was searched for, too", quote(strings.TrimPrefix(without, "/")))
	}
	return nil
}

// spelledOut returns the glob of the names that a pattern spells which is not
// one, when something lies where they would.
func (w *walk) spelledOut() (glob string, exists bool) {
	name := strings.TrimPrefix(w.pattern, "/")
	if strings.HasSuffix(name, "/") || vcsComponent(name) != "" {
		return "", false
	}
	if isRegular(joinPath(w.dir, name)) {
		return ripgrep.CleanGlob("/" + escapeGlob(name)), true
	}
	read := escapeBrackets(name)
	prefix, _ := splitLiteral(read)
	if prefix == "" || !isDir(joinPath(w.dir, prefix)) {
		return "", false
	}
	glob = ripgrep.CleanGlob("/" + read)
	_, err := ripgrep.ParseGlob(glob)
	return glob, err == nil
}

// invalid is what is wrong with the pattern as the call wrote it, or nil.
func (l *globQuery) invalid(written string, err error) error {
	var bad *ripgrep.GlobError
	if !errors.As(err, &bad) {
		return nil
	}
	bad.Pattern = written
	return fail(InvalidPattern, Details{}, bad, "%v", bad)
}

// fill writes ordered paths into the result.
func (r *GlobResult) fill(found []string, w *walk) {
	var a arena
	r.Paths = make([]string, len(found))
	r.found, r.head = found, w.head
	for i, rel := range found {
		path, exact := escapeName(w.display.path(&a, rel))
		r.Paths[i] = path
		if exact != nil {
			if r.PathBytes == nil {
				r.PathBytes = PathBytes{}
			}
			r.PathBytes[i] = exact
		}
	}
}
