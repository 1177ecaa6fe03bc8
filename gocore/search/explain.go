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

// explain adds what is known for free about a glob's answer: that the pattern
// names a directory, that directories match it too, or that a name with
// brackets was meant literally.
func (l *listing) explain(pattern string, result *GlobResult) {
	rest := strings.TrimSuffix(strings.TrimLeft(l.walk.pattern, "/"), "/")
	if name, literal := unescapeGlob(rest); literal {
		if len(result.Paths) > 0 || name == "" || hasVCSComponent(l.walk.dir) || hasVCSComponent(name) {
			return
		}
		if _, dir := kindAt(joinPath(l.walk.dir, name)); dir {
			shown := strings.TrimSuffix(pattern, "/")
			result.note(NoteDirectory, "%s is a directory and glob lists files only; use %s/** for what is in it", shown, shown)
		}
		return
	}
	if strings.HasPrefix(l.walk.pattern, "/") && !strings.Contains(rest, "/") {
		l.explainDirectories(result)
	}
	if len(result.Paths) == 0 {
		l.explainBrackets(rest, result)
	}
}

// explainDirectories counts the directories that a pattern of one level matches.
func (l *listing) explainDirectories(result *GlobResult) {
	glob, err := ripgrep.ParseGlob(ripgrep.CleanGlob(l.walk.pattern))
	if err != nil {
		return
	}
	dir, err := os.Open(l.walk.dir)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxDirEntries + 1)
	if err != nil || len(entries) > maxDirEntries {
		return
	}
	var a arena
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && glob.Match(entry.Name()) && !hasVCSComponent(entry.Name()) {
			name, _ := escapeName(l.walk.display.path(&a, entry.Name()))
			names = append(names, name+"/")
		}
	}
	switch len(names) {
	case 0:
	case 1:
		result.note(NoteDirectoriesMatch, "1 directory also matches (%s); glob lists files only", names[0])
	default:
		result.note(NoteDirectoriesMatch, "%d directories also match (%s); glob lists files only", len(names), listSome(slices.Sorted(slices.Values(names)), len(names)))
	}
}

// explainBrackets helps with names such as "[id]", which a glob reads as a set.
func (l *listing) explainBrackets(rest string, result *GlobResult) {
	dir := l.walk.dir
	for component := range strings.SplitSeq(rest, "/") {
		path := joinPath(dir, component)
		if strings.ContainsAny(component, "[{") {
			if exists, isDir := kindAt(path); exists && isDir {
				result.note(NoteLiteralName, "a directory is named %s; to mean that name, write %s", component, escapeGlob(component))
				return
			}
		}
		dir = path
	}
}

// escapeGlob writes a name so that a glob means just it.
func escapeGlob(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
