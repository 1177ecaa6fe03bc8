package search

import (
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
	if !strings.Contains(pattern, "/") || strings.Contains(pattern, "**") || strings.ContainsAny(pattern, `[{\`) {
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

// compile decides what ripgrep is asked for: the pattern, and the name that it
// spells where wildcards make it mean something else. Only such a name may make
// up for a pattern that is no glob.
func (l *globQuery) compile(written string, result *GlobResult) error {
	anchor, name := "", l.walk.pattern
	if rest, ok := strings.CutPrefix(name, "/"); ok {
		anchor, name = "/", rest
	}
	clean := ripgrep.CleanGlob(l.walk.pattern)
	_, err := ripgrep.ParseGlob(clean)
	if err == nil {
		l.globs = append(l.globs, clean)
	}
	if !spellsName(name) || vcsComponent(name) != "" {
		return l.invalid(written, err)
	}
	if err != nil {
		// Looking everywhere would make each slip of the pen as dear as a search.
		if !isRegular(joinPath(l.walk.dir, name)) {
			return l.invalid(written, err)
		}
		anchor = "/"
		result.note(NoteLiteralName, "the pattern is not a valid glob; a file of just that name exists")
	}
	l.globs = append(l.globs, ripgrep.CleanGlob(anchor+escapeGlob(name)))
	return nil
}

// spellsName reports whether the spelling of a pattern is a name that the pattern
// does not match, or not only. No name ends in a slash.
func spellsName(pattern string) bool {
	return strings.ContainsAny(pattern, `[{}\`) && !strings.HasSuffix(pattern, "/")
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
