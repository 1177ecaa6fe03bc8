package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// Workdir checks the working directory that a call asks for: it must be an
// absolute path that lands at or under one of the roots. It is returned as it
// was spelled, which is how paths inside it are shown. The error is a
// *tool.ArgumentError.
func (r *Runtime) Workdir(requested string) (string, error) {
	bad := func(format string, args ...any) error {
		return &tool.ArgumentError{Argument: "workdir", Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case len(requested) > search.MaxPathBytes:
		return "", bad("it has %d bytes, a path has at most %d", len(requested), search.MaxPathBytes)
	case strings.ContainsRune(requested, 0):
		return "", bad("it holds a NUL character, which no path has; leave it out")
	case !filepath.IsAbs(requested):
		return "", bad("%q is not an absolute path; give one", requested)
	}
	landed, err := filepath.EvalSymlinks(requested)
	if err != nil {
		return "", bad("%q cannot be resolved (%v); give a directory that exists", requested, cause(err))
	}
	if info, err := os.Stat(landed); err != nil || !info.IsDir() {
		return "", bad("%q is not a directory; give one", requested)
	}
	roots := r.options.Config.Roots
	for _, root := range roots {
		real, err := filepath.EvalSymlinks(root)
		if err == nil && (landed == real || real == "/" || strings.HasPrefix(landed, real+"/")) {
			return requested, nil
		}
	}
	if len(roots) == 0 {
		return "", bad("this runtime has no roots; start it with --root for the directories that calls may work in")
	}
	return "", bad("%q lies outside the roots of this runtime (%s); start it with --root for that directory", requested, strings.Join(roots, ", "))
}

// cause takes the path out of an error of package os, which may be long.
func cause(err error) error {
	var inPath *os.PathError
	if errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}
