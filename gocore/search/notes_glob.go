package search

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// maxDirEntries bounds the one directory that is read to tell how many
// directories a one-level pattern matches: a note must cost next to nothing.
const maxDirEntries = 1000

func (r *Report) note(code, format string, args ...any) {
	r.Notes = append(r.Notes, Note{Code: code, Message: fmt.Sprintf(format, args...)})
}

// explain adds what is known for free about a glob's answer.
func (l *globQuery) explain(t *target, pattern string, found []string, result *GlobResult) {
	explainWorktrees(&l.walk, found, result)
	if result.Incomplete != nil {
		return // what was not reached is not explained: it may be there
	}
	rest := strings.TrimSuffix(strings.TrimPrefix(l.walk.pattern, "/"), "/")
	name, literal := unescapeGlob(rest)
	if !literal && strings.HasPrefix(l.walk.pattern, "/") && !strings.Contains(rest, "/") && rest != "**" {
		l.explainDirectories(result)
	}
	l.explainAround(result)
	if len(result.Paths) > 0 || len(result.Notes) > 0 {
		return
	}
	if len(pattern) > maxName {
		return // no note repeats so much
	}
	switch vcs := excluded(l.walk.dir, rest); {
	case vcs != "":
		result.note(NoteVersionControl, "%s holds version-control metadata, which glob never lists", vcs)
	case strings.TrimSpace(pattern) != pattern:
		result.note(NoteBlank, "the pattern has blanks at an end, which are part of it; leave them out unless names have them")
	case l.slashed(rest):
		result.note(NoteBackslash, `a backslash escapes the character behind it; write "/" between directories`)
	case literal:
		l.explainName(pattern, name, result)
	case slices.Contains(strings.Split(rest, "/"), ".."):
		result.note(NoteUpward, `".." behind a wildcard matches nothing; pass the directory to start from as path`)
	}
	if advice := dialectAdvice(pattern); advice != "" && len(result.Notes) == 0 {
		result.note(NoteDialect, "%s", advice)
	}
	if l.walk.prefix != "" && strings.HasPrefix(l.walk.prefix, "/") {
		if inside := joinPath(t.dir, l.walk.prefix[1:]); isDir(inside) {
			result.note(NoteAbsolute, "the pattern was read as an absolute path; for the directory of that name in the search root, leave the first slash out")
		}
	}
}

// excluded returns the excluded directory that a search was pointed at, or "".
func excluded(dir, pattern string) string {
	if name := vcsComponent(pattern); name != "" {
		return name
	}
	if !insideVCS(dir) {
		return ""
	}
	if name := vcsComponent(dir); name != "" {
		return name
	}
	return "the directory searched"
}

// slashed reports whether a pattern would lead somewhere if its backslashes were
// slashes.
func (l *globQuery) slashed(pattern string) bool {
	first, _, more := strings.Cut(strings.ReplaceAll(pattern, `\`, "/"), "/")
	return more && first != "" && strings.Contains(pattern, `\`) && isDir(joinPath(l.walk.dir, first))
}

// explainName tells what lies at a pattern without wildcards that is no file.
func (l *globQuery) explainName(pattern, name string, result *GlobResult) {
	path := l.walk.dir
	if name != "" {
		path = joinPath(path, name)
	}
	switch {
	case isLink(path) && !isDir(path):
		result.note(NoteLink, "%s is a symbolic link, and glob lists regular files only", oneLine(pattern))
	case isDir(path):
		within := strings.TrimRight(oneLine(pattern), "/") + "/**"
		result.note(NoteDirectory, "%s is a directory and glob lists files only; use %s for what is in it", strings.TrimSuffix(within, "/**"), within)
	}
}

// explainDirectories counts the directories that a pattern of one level matches.
func (l *globQuery) explainDirectories(result *GlobResult) {
	glob, err := ripgrep.ParseGlob(ripgrep.CleanGlob(l.walk.pattern))
	if err != nil || insideVCS(l.walk.dir) {
		return
	}
	dir, err := os.Open(l.walk.dir)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxDirEntries + 1)
	if len(entries) > maxDirEntries || err != nil && len(entries) > 0 {
		return
	}
	var a arena
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && glob.Match(entry.Name()) && !slices.Contains(vcsNames, entry.Name()) {
			name, _ := escapeName(l.walk.display.path(&a, entry.Name()))
			names = append(names, oneLine(name)+"/")
		}
	}
	slices.Sort(names)
	switch len(names) {
	case 0:
	case 1:
		result.note(NoteDirectoriesMatch, "1 directory also matches (%s); glob lists files only", names[0])
	default:
		result.note(NoteDirectoriesMatch, "%d directories also match (%s); glob lists files only", len(names), listSome(names, len(names)))
	}
}
