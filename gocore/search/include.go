package search

import (
	"os"
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
	pattern string
	glob    *ripgrep.Glob
}

func newInclude(text string) (*include, error) {
	for strings.HasPrefix(text, "./") {
		text = strings.TrimLeft(text[2:], "/")
	}
	pattern := ripgrep.CleanGlob(text)
	glob, err := ripgrep.ParseGlob(pattern)
	if err != nil {
		return nil, err
	}
	return &include{pattern: pattern, glob: glob}, nil
}

// wants reports whether a file, relative to the search root, is searched.
func (i *include) wants(rel string) bool { return i.glob.Match(rel) }

func (i *include) piped() bool { return len(i.pattern) <= maxPipedInclude }

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
	// A line cannot hold a line end; "?" admits it and the matcher decides.
	line := strings.NewReplacer("\n", "?", "\r", "?").Replace(i.pattern)
	if _, err := w.WriteString("*\n!*/\n!" + line + "\n.*\n"); err != nil {
		r.Close()
		return nil, err
	}
	return []*os.File{r}, nil
}
