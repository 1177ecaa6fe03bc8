package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// Workdir checks the working directory that a call asks for: it must be an
// absolute path that lands at or under one of the roots. The error is a
// *tool.ArgumentError.
func (r *Runtime) Workdir(requested string) (string, error) {
	bad := func(format string, args ...any) error {
		return &tool.ArgumentError{Argument: "workdir", Message: fmt.Sprintf(format, args...)}
	}
	if !filepath.IsAbs(requested) || strings.ContainsRune(requested, 0) {
		return "", bad("%q is not an absolute path; give one", requested)
	}
	landed, err := filepath.EvalSymlinks(requested)
	if err != nil {
		return "", bad("%q cannot be resolved (%v); give a directory that exists", requested, err)
	}
	if info, err := os.Stat(landed); err != nil || !info.IsDir() {
		return "", bad("%q is not a directory; give one", requested)
	}
	for _, root := range r.options.Config.Roots {
		real, err := filepath.EvalSymlinks(root)
		if err == nil && (landed == real || real == "/" || strings.HasPrefix(landed, real+"/")) {
			return requested, nil
		}
	}
	return "", bad("%q lies outside the roots of this runtime (%s); start it with --root for that directory", requested, strings.Join(r.options.Config.Roots, ", "))
}
