package harness

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// ownCommand is where this runtime's executable lies: what a page says to run is no
// unknown program. One that the command may replace is.
func (r *Runtime) ownCommand(writeRoots []string) string {
	own := r.options.RuntimePath
	if !filepath.IsAbs(own) {
		return ""
	}
	for _, root := range writeRoots {
		if covers(root, own) || covers(landing(root), landing(own)) {
			return ""
		}
	}
	return own
}

// addOwnFolder makes the folder of the asking session's saved results a read root,
// where the command names it: the page of a result that did not fit tells a model to
// read it there. What others have saved stays outside.
func (r *Runtime) addOwnFolder(req *GateRequest) {
	if req.Owner == "" || !strings.Contains(req.Command, spill.FolderName(req.Owner)) {
		return
	}
	if folder, ok := r.store.Folder(req.Owner); ok {
		req.Boundary.ReadRoots = append(slices.Clone(req.Boundary.ReadRoots), landing(folder))
	}
}

// landing is where a path leads, or its spelling where that cannot be told.
func landing(path string) string {
	if landed, err := filepath.EvalSymlinks(path); err == nil {
		return landed
	}
	return filepath.Clean(path)
}

// covers reports whether a path is a directory or lies in it, by their spelling.
func covers(dir, path string) bool {
	dir = strings.TrimRight(dir, "/")
	return path == dir || strings.HasPrefix(path, dir+"/")
}
