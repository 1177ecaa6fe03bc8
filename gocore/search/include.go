package search

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
)

// includeFD is the descriptor at which the sidecar finds the ignore file: the
// first after the standard three.
const includeFD = "/dev/fd/3"

// maxPipedInclude is the longest include that ripgrep is told about: with the
// lines around it, it fits in a pipe that nobody reads yet. The matcher here
// narrows a longer one alone.
const maxPipedInclude = 8 << 10

// include narrows a scan to the files that one glob matches.
//
// ripgrep has no option for that: --glob and --type-add bring back files that
// are hidden or ignored. An explicit ignore file ranks below every other ignore
// rule, so one that ignores all but the wanted files narrows and does nothing
// else, as long as hidden entries are ignored again at its end. A repository's
// own "!name" still outranks it; those files are left out here.
type include struct {
	patterns []string // alternatives, as an ignore file takes them
	globs    []*ripgrep.Glob
	said     []string // how the glob was read, for notes
}

// newInclude reads a glob that is anchored at dir. The error is a
// *ripgrep.GlobError.
func newInclude(written, dir string) (*include, error) {
	i := &include{}
	r := otherDialect(written)
	if r.said != "" {
		i.said = append(i.said, r.said)
	}
	for n, pattern := range append([]string{written}, r.patterns...) {
		text := anchoredAt(dir, pattern)
		_, err := ripgrep.ParseGlob(ripgrep.CleanGlob(text))
		var bad *ripgrep.GlobError
		switch {
		case errors.As(err, &bad) && n == 0 && len(r.patterns) == 0:
			bad.Pattern = written
			return nil, err
		case err == nil:
			i.add(text)
		}
	}
	return i, nil
}

// anchoredAt writes an include so that it means the same at dir.
func anchoredAt(dir, written string) string {
	text := trimDotSlash(written)
	anchored := strings.HasPrefix(text, "/")
	prefix, rest := splitLiteral(strings.TrimLeft(text, "/"))
	if anchored {
		prefix = relativeTo(dir, prefix)
	}
	switch {
	case prefix != "":
		return "/" + escapeGlob(existing(dir, prefix)) + "/" + rest
	case anchored, rest != text:
		return "/" + rest
	}
	return text
}

// add takes all readings of a glob.
func (i *include) add(text string) {
	read := readingsOf(text)
	if read.withoutBlanks != "" {
		i.said = append(i.said, "blanks around the alternatives in braces were left out")
	}
	for _, pattern := range read.globs {
		if glob, err := ripgrep.ParseGlob(pattern); err == nil {
			i.patterns = append(i.patterns, pattern)
			i.globs = append(i.globs, glob)
		}
	}
}

// relativeTo takes the way to dir off the literal prefix of an absolute pattern,
// given without its first slash. Another prefix comes back as it is: the pattern
// is anchored at dir.
func relativeTo(dir, prefix string) string {
	if below, ok := under("/"+prefix, filepath.Clean(dir)); ok && prefix != "" {
		return below
	}
	return prefix
}

// wants reports whether a file, relative to the search root, is searched.
func (i *include) wants(rel string) bool {
	for _, glob := range i.globs {
		if glob.Match(rel) {
			return true
		}
	}
	return false
}

// lines is the ignore file.
func (i *include) lines() string {
	var b strings.Builder
	b.WriteString("*\n!*/\n")
	for _, pattern := range i.patterns {
		// A line cannot hold a line end; "?" admits it and the matcher decides.
		b.WriteString("!" + strings.NewReplacer("\n", "?", "\r", "?").Replace(pattern) + "\n")
	}
	b.WriteString(ripgrep.HiddenLine)
	return b.String()
}

// piped reports whether ripgrep is told. Where no /dev/fd is mounted it cannot
// be; the matcher then narrows alone.
func (i *include) piped() bool {
	if len(i.lines()) > maxPipedInclude {
		return false
	}
	_, err := os.Stat("/dev/fd")
	return err == nil
}

func (i *include) args() []string {
	if !i.piped() {
		return nil
	}
	return []string{"--ignore-file=" + includeFD}
}

// files returns a pipe that holds the ignore file.
func (i *include) files() ([]*os.File, error) {
	if !i.piped() {
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if _, err := w.WriteString(i.lines()); err != nil {
		r.Close()
		return nil, err
	}
	return []*os.File{r}, nil
}
