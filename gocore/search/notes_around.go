package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// explainAround tells of links that the pattern of a glob matches and the answer
// leaves out, and, when it is empty, of files that differ in case alone.
func (l *globQuery) explainAround(result *GlobResult) {
	dirs := maxLookDirs
	if len(result.Paths) > 0 {
		dirs = maxLookDirsFound
	}
	if insideVCS(l.walk.dir) || len(l.globs) == 0 || l.walk.pattern == "**" || l.walk.pattern == "/**" {
		return
	}
	var exact, folded []*ripgrep.Glob
	for _, glob := range l.globs {
		if g, err := ripgrep.ParseGlob(glob); err == nil {
			exact = append(exact, g)
			if isASCII(glob) {
				folded = append(folded, g.FoldCase())
			}
		}
	}
	matches := func(globs []*ripgrep.Glob, rel string) bool {
		return slices.ContainsFunc(globs, func(g *ripgrep.Glob) bool { return g.Match(rel) })
	}
	var links, cased []string
	lookAround(l.walk.dir, dirs, func(e entryAt) bool {
		switch {
		case slices.Contains(vcsNames, e.rel[strings.LastIndexByte(e.rel, '/')+1:]):
			return false
		case e.isLink() && matches(exact, e.rel):
			if target := linkTarget(joinPath(l.walk.dir, e.rel)); target != "" {
				links = append(links, fmt.Sprintf("%s (to %s)", l.shownName(e.rel), oneLine(target)))
			}
		case e.mode.IsRegular() && len(result.Paths) == 0 && matches(folded, e.rel):
			cased = append(cased, l.shownName(e.rel))
		}
		return true
	})
	if len(links) > 0 {
		result.note(NoteLink, "%s not listed, since glob lists regular files only: %s", linksAre(len(links)), listSome(links, len(links)))
	}
	if len(cased) > 0 {
		result.note(NoteCase, "upper and lower case differ; there is %s", listSome(cased, len(cased)))
	}
}

func linksAre(n int) string {
	if n == 1 {
		return "1 symbolic link to a file is"
	}
	return fmt.Sprintf("%d symbolic links to files are", n)
}

func (l *globQuery) shownName(rel string) string {
	var a arena
	name, _ := escapeName(l.walk.display.path(&a, rel))
	return oneLine(name)
}

// around is what a look at a search root without a match has met.
type around struct {
	links, ignored, utf16, other []string
	files                        int // that the search has read
	hidden                       int
}

// lookAtGrep looks at what a scan has read and what it has left out.
func (q *grepQuery) lookAtGrep() *around {
	seen := &around{}
	ignore := readIgnores(q.target.dir, q.target.display)
	ignore.inRepo = ignore.inRepo || q.foreign
	heads := 0
	lookAround(q.target.dir, maxLookDirs, func(e entryAt) bool {
		name := e.rel[strings.LastIndexByte(e.rel, '/')+1:]
		if strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".") {
			seen.hidden++
			return false
		}
		if !e.mode.IsDir() && q.include != nil && !q.include.wants(e.rel) {
			return false
		}
		if r := ignore.rule(e); r != nil {
			text := fmt.Sprintf("%s (%s: %s)", q.shownName(e.rel), oneLine(r.file), oneLine(r.text))
			if r.hasBraces() {
				text += "; git takes its braces for characters"
			}
			seen.ignored = append(seen.ignored, text)
			return false
		}
		switch path := joinPath(q.target.dir, e.rel); {
		case e.isLink():
			if target := linkTarget(path); target != "" {
				seen.links = append(seen.links, fmt.Sprintf("%s (to %s)", q.shownName(e.rel), oneLine(target)))
			}
		case e.mode.IsRegular():
			if seen.files++; heads < maxHeads {
				heads++
				seen.sort(q.shownName(e.rel), encodingOf(path))
			}
		}
		return true
	})
	return seen
}

func (s *around) sort(name string, is encoding) {
	switch is {
	case utf16Text:
		s.utf16 = append(s.utf16, name)
	case otherText:
		s.other = append(s.other, name)
	}
}

func (q *grepQuery) shownName(rel string) string {
	var a arena
	name, _ := escapeName(q.target.display.path(&a, rel))
	return oneLine(name)
}

// explainAround tells why a scan may have found nothing: what it has not read,
// and what it could not read as text.
func (q *grepQuery) explainAround(result *GrepResult) {
	var seen *around
	if q.target.file != "" {
		seen = &around{}
		seen.sort(q.shownName(q.target.file), encodingOf(joinPath(q.target.dir, q.target.file)))
	} else {
		seen = q.lookAtGrep()
	}
	nothing := q.target.file == "" && q.events.Summary && q.stats.Files == 0
	if nothing && q.include == nil && len(seen.ignored)+len(seen.links) == 0 && len(result.Warnings) == 0 {
		result.note(NoteNothingSearched, "no file was searched: there is none, or all are hidden or ignored; such files are searched when path names them")
	}
	if len(seen.ignored) > 0 {
		result.note(NoteIgnored, "ignored, and so not searched: %s; path searches what it names", listSome(seen.ignored, len(seen.ignored)))
	}
	if len(seen.links) > 0 {
		result.note(NoteLink, "not searched, since links are not followed: %s; pass one as path", listSome(seen.links, len(seen.links)))
	}
	if len(seen.utf16) > 0 {
		result.note(NoteEncoding, "%s: looks like UTF-16 without a byte-order mark, in which no text is found; convert to UTF-8 to search", listSome(seen.utf16, len(seen.utf16)))
	}
	if len(seen.other) > 0 && !isASCII(q.req.Pattern) {
		result.note(NoteEncoding, "%s: not UTF-8, so that only ASCII text is found", listSome(seen.other, len(seen.other)))
	}
}
