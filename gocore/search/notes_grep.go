package search

import (
	"slices"
	"strings"
)

// explain adds what is known for free about a scan's answer.
func (q *grepQuery) explain(result *GrepResult) {
	q.explainBinary(result)
	if result.Incomplete != nil {
		return // what was not reached is not explained: it may be there
	}
	if !q.req.Literal {
		q.explainReach(result)
	}
	if q.hits > 0 {
		return
	}
	switch {
	case q.target.file != "" || !q.events.Summary || q.stats.Files > 0:
	case q.include != nil:
		q.explainInclude(result)
	}
	if !q.req.Literal {
		q.explainPattern(result)
	}
	q.explainForms(result)
	q.explainAround(result)
}

// explainBinary tells of files with NUL bytes. ripgrep gives one up there when it
// comes across it, and searches it whole when it is asked for it.
func (q *grepQuery) explainBinary(result *GrepResult) {
	slices.SortFunc(q.binary, func(a, b binaryStop) int { return strings.Compare(a.path, b.path) })
	for i, stop := range q.binary {
		switch {
		case q.target.file != "":
			result.note(NoteBinarySearched, "%s is a binary file (NUL at byte %d); all of it was searched because path names it", oneLine(stop.path), stop.offset)
		case i == maxShown:
			result.note(NoteBinary, "%s more stopped at binary data", plural(len(q.binary)-i, "file"))
			return
		default:
			result.note(NoteBinary, "%s: stopped at binary data at byte %d; later matches are not shown (pass it as path to search all of it)", oneLine(stop.path), stop.offset)
		}
	}
}

func (q *grepQuery) explainInclude(result *GrepResult) {
	written := strings.TrimPrefix(trimDotSlash(q.req.Include), "/")
	if hidden, dir := hiddenIn(written); hidden != "" {
		advice := "name the file in path"
		if _, err := dirAt(joinPath(q.target.dir, dir)); dir != "" && err == nil {
			advice = "pass path " + quote(q.target.display.prefix+dir)
		}
		result.note(NoteHiddenNotSearched, "hidden files (%s) are not searched; to search there, %s", hidden, advice)
		return
	}
	name, literal := unescapeGlob(strings.TrimRight(written, "/"))
	if literal && (strings.HasSuffix(written, "/") || isDir(joinPath(q.target.dir, name))) {
		result.note(NoteIncludeMatchedNothing, "no file matched include %s; for the files in that directory, write %s", quote(q.req.Include), quote(strings.TrimRight(q.req.Include, "/")+"/**"))
		return
	}
	result.note(NoteIncludeMatchedNothing, "no file matched include %s", quote(q.req.Include))
	if advice := dialectAdvice(q.req.Include); advice != "" {
		result.note(NoteDialect, "include: %s", advice)
	}
}

// hiddenIn returns the first hidden component of a glob, and the path to it when
// that has no wildcards.
func hiddenIn(glob string) (component, path string) {
	var upto []string
	known := true
	for component := range strings.SplitSeq(glob, "/") {
		name, literal := unescapeGlob(component)
		known = known && literal
		upto = append(upto, name)
		if strings.HasPrefix(component, ".") && name != "." && name != ".." {
			if !known {
				return component, ""
			}
			return component, strings.Join(upto, "/")
		}
	}
	return "", ""
}
