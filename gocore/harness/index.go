package harness

import (
	"fmt"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/index"
)

// Index says whether searches may use an index.
type Index string

// The zero value is no choice; the default is IndexOff.
const (
	IndexOff Index = "off"
	IndexOn  Index = "on"
)

// IndexInfo describes the indexes of a runtime that keeps some.
type IndexInfo struct {
	Roots []index.Status `json:"roots"`
	// LastPlain is why the last search was plain that was, in a word of docs/search-index.md.
	LastPlain string `json:"lastPlain,omitempty"`
}

// openIndex gives the searcher an index, when the configuration wants one.
func (r *Runtime) openIndex() {
	c := &r.options.Config
	if c.Index != IndexOn {
		return
	}
	r.indexes = index.New(index.Options{
		Sidecar: r.sidecar, Runner: r.runner, Environ: r.options.Environ,
		Grace:    time.Duration(c.GraceMs) * time.Millisecond,
		MaxFiles: c.IndexMaxFiles, MaxWatches: c.IndexMaxWatches, MaxBytes: c.IndexMaxBytes,
	})
	r.searcher.Use(r.indexes)
}

// Close drops what the runtime keeps beside its calls: its indexes. Calls go on, and
// are answered as without them.
func (r *Runtime) Close() {
	if r.indexes != nil {
		r.indexes.Close()
	}
}

// Indexes describes the indexes; nil where none are kept.
func (r *Runtime) Indexes() *IndexInfo {
	if r.indexes == nil {
		return nil
	}
	roots, last := r.indexes.Status()
	return &IndexInfo{Roots: append([]index.Status{}, roots...), LastPlain: last}
}

// checkIndex says of each index how it is; there is nothing to say where none is kept.
func (r *Runtime) checkIndex() []Check {
	info := r.Indexes()
	if info == nil {
		return nil
	}
	last := ""
	if info.LastPlain != "" {
		last = fmt.Sprintf("; the last plain search was one because of %q (docs/search-index.md)", info.LastPlain)
	}
	if len(info.Roots) == 0 {
		return []Check{{"index", true, "on; no directory has been searched twice" + last}}
	}
	var checks []Check
	for _, root := range info.Roots {
		checks = append(checks, Check{"index", true, fmt.Sprintf("%s: %s, %d files (%d searched, %d changed), %d directories watched, %d bytes of texts%s",
			root.Root, root.State, root.Files, root.Walked, root.Changed, root.Watches, root.Bytes, last)})
	}
	return checks
}
