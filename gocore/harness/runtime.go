package harness

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/hydraharness/harness-runtime/gocore/confine"
	"github.com/hydraharness/harness-runtime/gocore/index"
	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/search"
	"github.com/hydraharness/harness-runtime/gocore/spill"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
	"github.com/hydraharness/harness-runtime/gocore/supervise"
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

// Runtime is one set-up of the tools. It is safe for concurrent use. Close it when
// it is used no more.
type Runtime struct {
	options  Options
	sidecar  *ripgrep.Sidecar
	runner   subprocess.Runner
	searcher *search.Searcher
	tools    *tool.Set
	store    *spill.DirStore
	pool     supervise.Pool
	indexes  *index.Set // nil when none are kept
	log      hclog.Logger

	probing sync.Mutex
	probed  *confine.Probe // what confine --probe said
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
	r.searcher = search.New(r.sidecar, r.runner, o.Config.search(o.Config.spillRoot(o.Environ)), o.Environ)
	r.searcher.Under(&r.pool)
	r.openIndex()
	store, err := spill.NewDirStore(o.Config.spillRoot(o.Environ), o.Config.spill(o.RuntimePath))
	if err != nil {
		return nil, &ConfigError{Key: "spillRoot", Message: err.Error()}
	}
	r.store = store
	if err := r.lookAtSpill(context.Background(), firstLook); err != nil { // a fault of the calls that need it
		r.log.Warn("results that do not fit cannot be saved", "error", err)
	}
	tools, err := tool.NewSet(r.searcher, o.Config.policy(), r.store, o.Config.Tools)
	if err != nil {
		return nil, &ConfigError{Key: "tools", Message: err.Error()}
	}
	tools.Under(&r.pool)
	r.tools = tools
	return r, nil
}

// Version is the version of the runtime.
func (r *Runtime) Version() string { return r.options.Version }

// Pool counts the looks at file systems that calls have left behind.
func (r *Runtime) Pool() *supervise.Pool { return &r.pool }

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

// Spill is the store of saved results. A folder that cannot be used is the fault
// of each call that needs it: what was mended works with the next one.
func (r *Runtime) Spill() spill.Store { return r.store }
