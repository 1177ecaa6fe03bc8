package harness

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/bundle"
	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// Info says what is running, for programs.
type Info struct {
	Version string      `json:"version"`
	API     int         `json:"api"`
	Ripgrep RipgrepInfo `json:"ripgrep"`
	Roots   []string    `json:"roots"`
	Limits  Limits      `json:"limits"`
	// LostThreads is how many looks at file systems have not come back and were
	// left behind; at supervise.MaxLost new calls are refused.
	LostThreads int `json:"lostThreads"`
	// Index describes the indexes; nil where none are kept.
	Index *IndexInfo `json:"index,omitempty"`
	// Guidance is the text for a system prompt.
	Guidance string `json:"guidance"`
}

// RipgrepInfo identifies the sidecar. Problem says why it cannot be used.
type RipgrepInfo struct {
	Path    string `json:"path"`
	Version string `json:"version,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// Limits are the bounds that a caller may want to know, as in the
// configuration file.
type Limits struct {
	GlobMaxResults    int   `json:"globMaxResults"`
	GrepMaxMatches    int   `json:"grepMaxMatches"`
	GrepMaxLineBytes  int   `json:"grepMaxLineBytes"`
	InlineMaxBytes    int   `json:"inlineMaxBytes"`
	RawOutputMaxBytes int64 `json:"rawOutputMaxBytes"`
	TimeoutMs         int64 `json:"timeoutMs"`
}

// APIVersion counts incompatible changes of the hydra/ methods.
const APIVersion = 1

// Info describes this runtime. It runs the sidecar once for its version.
func (r *Runtime) Info(ctx context.Context) Info {
	c := r.options.Config
	info := Info{
		Version:  r.options.Version,
		API:      APIVersion,
		Ripgrep:  RipgrepInfo{Path: r.sidecar.Path()},
		Roots:    append([]string{}, c.Roots...),
		Guidance: r.Guidance(),
		Index:    r.Indexes(),
		Limits: Limits{
			GlobMaxResults: c.GlobMaxResults, GrepMaxMatches: c.GrepMaxMatches, GrepMaxLineBytes: c.GrepMaxLineBytes,
			InlineMaxBytes: c.InlineMaxBytes, RawOutputMaxBytes: c.RawOutputMaxBytes, TimeoutMs: c.TimeoutMs,
		},
	}
	version, err := r.ripgrepVersion(ctx)
	if err != nil {
		info.Ripgrep.Problem = err.Error()
		return info
	}
	info.Ripgrep.Version = version
	info.Ripgrep.SHA256, _ = bundle.SHA256(r.sidecar.Path()) // it has just run
	return info
}

// versionTime is how long the sidecar may take to tell its version, and
// versionBytes how much of its answer is read: it prints a few lines at once.
const (
	versionTime  = 5 * time.Second
	versionBytes = 4 << 10
)

// ripgrepVersion asks the sidecar: "ripgrep 15.0.0 (rev ...)" is "15.0.0".
func (r *Runtime) ripgrepVersion(ctx context.Context) (string, error) {
	if err := r.sidecar.Check(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	said, complained := subprocess.NewExcerpt(versionBytes), subprocess.NewExcerpt(versionBytes)
	out, err := r.runner.Run(ctx, subprocess.Spec{
		Path:   r.sidecar.Path(),
		Args:   []string{"--no-config", "--version"},
		Stdout: said,
		Stderr: complained,
		Grace:  time.Duration(r.options.Config.GraceMs) * time.Millisecond,
	})
	path := r.sidecar.Path()
	switch {
	case err != nil:
		return "", err
	case out.Cause != nil:
		return "", fmt.Errorf("%s did not tell its version: %w", path, out.Cause)
	case out.Signal != 0 && ripgrep.WrongPages(complained.Head()):
		return "", fmt.Errorf("%s --version was ended by a signal (%v): %s", path, out.Signal, ripgrep.PagesAdvice())
	case out.Signal != 0:
		return "", fmt.Errorf("%s --version was ended by a signal (%v): reinstall the package", path, out.Signal)
	case out.ExitCode != 0:
		return "", fmt.Errorf("%s --version ended with status %d: reinstall the package", path, out.ExitCode)
	}
	fields := strings.Fields(said.Head())
	if len(fields) < 2 || fields[0] != "ripgrep" {
		return "", fmt.Errorf("%s is not ripgrep: it says %q", path, failure.Clip(said.Head()))
	}
	return fields[1], nil
}
