// Package dispatch answers requests by name: the one place that knows which
// methods there are, what they take, when a call gets its turn and when it is
// given up, and what comes back. The server and the in-process facade are two
// doors to it; docs/protocol.md describes what can be asked.
//
// It decides nothing of a search, a page or a judgement, which are harness's,
// and nothing of messages: a door reads them, and writes the answers. It keeps
// nothing of a session between requests.
package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/hydraharness/harness-runtime/gocore/failure"
	"github.com/hydraharness/harness-runtime/gocore/harness"
)

// Options of a dispatcher.
type Options struct {
	// Workdir is the working directory of calls that name none.
	Workdir string
	// Owner is the session of calls that name none. Without one nothing is
	// saved for them.
	Owner string
	// Admission is shared by everything that runs sidecars on behalf of the same
	// process; nil is one of the dispatcher's own.
	Admission *Admission
	// StopTime is how long calls may take to end when their door closes.
	StopTime time.Duration
	// Protocols and MaxFrameBytes are the door's own part of hydra/info.
	Protocols     []string
	MaxFrameBytes int
	Log           hclog.Logger
}

// Dispatcher answers the requests for one runtime. It is safe for concurrent
// use.
type Dispatcher struct {
	runtime   *harness.Runtime
	options   Options
	log       hclog.Logger
	admission *Admission
	probe     *probe
	running   gauge
	methods   map[string]method
}

// method is one hydra/ method. Its value is a JSON object.
type method struct {
	// searches is set when it runs the sidecar: it then waits for its turn as
	// tool calls do. No other method ever waits behind a search.
	searches bool
	// params is the struct that its parameters are read into.
	params reflect.Type
	// parse reads parameters and does nothing.
	parse func(body json.RawMessage) error
	do    func(ctx context.Context, c call, params json.RawMessage) (any, error)
	// base is how many bytes a call holds if that is more than of others, and
	// factor how many bytes the work needs for each of its parameters.
	base, factor int
	// ended is the error when the call's time is over; nil is that of a search.
	ended func(cause error, begun bool) error
}

// reserve is how many bytes a call of the method holds before it begins.
func (m *method) reserve(params json.RawMessage) int {
	if m.searches {
		return reserveSearch
	}
	return max(m.base, reserveBase) + max(1, m.factor)*len(params)
}

// New returns a dispatcher over a runtime.
func New(rt *harness.Runtime, o Options) *Dispatcher {
	d := &Dispatcher{runtime: rt, options: o, log: o.Log, admission: o.Admission, probe: newProbe()}
	if d.log == nil {
		d.log = hclog.NewNullLogger()
	}
	if d.admission == nil {
		d.admission = NewAdmission()
	}
	d.methods = map[string]method{"hydra/info": takes(d.info)}
	for _, group := range []map[string]method{d.searchMethods(), d.shellMethods(), d.spillMethods()} {
		maps.Copy(d.methods, group)
	}
	return d
}

// Runtime is what the calls are about.
func (d *Dispatcher) Runtime() *harness.Runtime { return d.runtime }

// Admission is what bounds the searches.
func (d *Dispatcher) Admission() *Admission { return d.admission }

// Methods are the names of the methods, sorted. All begin with hydra/.
func (d *Dispatcher) Methods() []string { return slices.Sorted(maps.Keys(d.methods)) }

// Searches reports whether a method runs the sidecar.
func (d *Dispatcher) Searches(name string) bool { return d.methods[name].searches }

// Running is how many calls are going on, also when they were answered because
// they could not be waited for.
func (d *Dispatcher) Running() int { return d.running.value() }

// Idle returns a channel that is closed once no call is going on.
func (d *Dispatcher) Idle() <-chan struct{} { return d.running.none() }

// UnknownMethodError is a request for a method that there is not.
type UnknownMethodError struct{ Method string }

func (e *UnknownMethodError) Error() string {
	return fmt.Sprintf("method not found: %q", failure.Clip(e.Method))
}

// Call answers a request for a hydra/ method with a JSON object. Meta is the
// _meta of its parameters. Whatever the error, failure.Of describes it; an
// *UnknownMethodError is of no method, and a panic is an error, too.
func (d *Dispatcher) Call(ctx context.Context, name string, meta map[string]any, params json.RawMessage, door Door) (json.RawMessage, error) {
	m, known := d.methods[name]
	if !known {
		return nil, &UnknownMethodError{name}
	}
	w := work[json.RawMessage]{searches: m.searches, ended: m.ended, reserve: m.reserve(params), size: func(answer json.RawMessage) int { return len(answer) }}
	if w.ended == nil {
		w.ended = ended
	}
	w.do = func(ctx context.Context, c call) (json.RawMessage, error) {
		value, err := m.do(ctx, c, params)
		if err != nil {
			return nil, err
		}
		return Marshal(value)
	}
	return run(ctx, d, meta, door, w)
}
