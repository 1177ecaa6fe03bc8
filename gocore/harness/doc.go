// Package harness is where the parts of the runtime meet: it turns a
// configuration into one Runtime, the only API behind the command, the server
// and the in-process facade.
//
// It decides which parts are put together and with what bounds. It holds no
// logic of a search, a page or a judgement: those packages do.
package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
	"github.com/hydraharness/harness-runtime/gocore/tool"
)

// Options are what a Runtime is made of. The process that embeds it says where
// it lies: in a Python interpreter no executable of ours is running.
type Options struct {
	// RuntimePath is the runtime executable, beside which the sidecar lies.
	RuntimePath string
	// RipgrepPath names the sidecar itself, instead.
	RipgrepPath string
	Config      Config
	// Environ is the environment that the sidecar gets, without credentials.
	Environ []string
	// Version is the version of the runtime.
	Version string
	// Logger may be nil.
	Logger hclog.Logger
	// Runner starts the sidecar; nil is the real one.
	Runner subprocess.Runner
}

// Runtime is one set-up of the tools. It is safe for concurrent use and has
// nothing to close.
type Runtime struct {
	options  Options
	sidecar  *ripgrep.Sidecar
	runner   subprocess.Runner
	searcher *search.Searcher
	tools    *tool.Set
	store    spill.Store // nil when the folder cannot be used
	storeErr error
	log      hclog.Logger
}

// Open puts a Runtime together. It does not touch the sidecar: one that cannot
// be run is a fault of the calls that need it. The error is a *ConfigError.
func Open(o Options) (*Runtime, error) {
	if err := o.Config.Validate(); err != nil {
		return nil, err
	}
	r := &Runtime{options: o, runner: o.Runner, log: o.Logger}
	if r.log == nil {
		r.log = hclog.NewNullLogger()
	}
	if r.runner == nil {
		r.runner = &subprocess.Local{}
	}
	if o.RipgrepPath != "" {
		r.sidecar = ripgrep.At(o.RipgrepPath)
	} else {
		r.sidecar = ripgrep.Locate(o.RuntimePath)
	}
	r.searcher = search.New(r.sidecar, r.runner, o.Config.search(), o.Environ)
	if store, err := spill.OpenDirStore(o.Config.spillRoot(o.Environ), o.Config.spill()); err == nil {
		r.store = store
	} else {
		r.storeErr = err
		r.log.Warn("results that do not fit cannot be saved", "error", err)
	}
	tools, err := tool.NewSet(r.searcher, o.Config.policy(), r.store, o.Config.Tools)
	if err != nil {
		return nil, &ConfigError{Key: "tools", Message: err.Error()}
	}
	r.tools = tools
	return r, nil
}

// Version is the version of the runtime.
func (r *Runtime) Version() string { return r.options.Version }

// Config is the configuration in force.
func (r *Runtime) Config() Config { return r.options.Config }

// Tools describes the tools that are offered.
func (r *Runtime) Tools() []tool.Definition { return r.tools.Definitions() }

// Guidance is the text about the tools for a system prompt.
func (r *Runtime) Guidance() string { return r.tools.Guidance() }

// Call runs a tool for a model.
func (r *Runtime) Call(ctx context.Context, session tool.Session, name string, arguments json.RawMessage) tool.Result {
	result := r.tools.Call(ctx, session, name, arguments)
	if result.SpillErr != nil {
		r.log.Warn("the complete result was not saved", "tool", name, "error", result.SpillErr)
	}
	return result
}

// Glob and Grep return complete values, for code.
func (r *Runtime) Glob(ctx context.Context, workdir string, req search.GlobRequest) (*search.GlobResult, error) {
	return r.searcher.Glob(ctx, workdir, req)
}

// Grep is the other of the two.
func (r *Runtime) Grep(ctx context.Context, workdir string, req search.GrepRequest) (*search.GrepResult, error) {
	return r.searcher.Grep(ctx, workdir, req)
}

// Spill is the store of saved results, or the reason why there is none.
func (r *Runtime) Spill() (spill.Store, error) {
	if r.store == nil {
		return nil, r.storeErr
	}
	return r.store, nil
}

// Info says what is running, for programs.
type Info struct {
	Version string      `json:"version"`
	API     int         `json:"api"`
	Ripgrep RipgrepInfo `json:"ripgrep"`
	Roots   []string    `json:"roots"`
	Limits  Limits      `json:"limits"`
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
	info.Ripgrep.SHA256, _ = ripgrep.SHA256(r.sidecar.Path()) // it has just run
	return info
}

// ripgrepVersion asks the sidecar: "ripgrep 15.0.0 (rev ...)" is "15.0.0".
func (r *Runtime) ripgrepVersion(ctx context.Context) (string, error) {
	if err := r.sidecar.Check(); err != nil {
		return "", err
	}
	var said strings.Builder
	out, err := r.runner.Run(ctx, subprocess.Spec{
		Path:   r.sidecar.Path(),
		Args:   []string{"--no-config", "--version"},
		Stdout: io.Writer(&said),
		Grace:  r.options.Config.search().Grace,
	})
	switch {
	case err != nil:
		return "", err
	case out.Cause != nil:
		return "", out.Cause
	case out.ExitCode != 0:
		return "", fmt.Errorf("%s --version ended with status %d (signal %d)", r.sidecar.Path(), out.ExitCode, out.Signal)
	}
	fields := strings.Fields(said.String())
	if len(fields) < 2 || fields[0] != "ripgrep" {
		return "", fmt.Errorf("%s is not ripgrep: it says %q", r.sidecar.Path(), said.String())
	}
	return fields[1], nil
}
