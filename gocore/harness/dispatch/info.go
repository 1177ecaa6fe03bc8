package dispatch

import (
	"context"
	"os"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/harness"
)

const (
	// probeTime is how long the sidecar may take to say its version. It takes
	// milliseconds; one that hangs is told as the problem that it is.
	probeTime = 2 * time.Second
	// probeOwner takes its own turn among the searches.
	probeOwner = "\x00info"
)

// info is the answer of hydra/info.
type info struct {
	harness.Info
	PID     int    `json:"pid"`
	Workdir string `json:"workdir"`
	// Protocols are the revisions of MCP that are spoken, the newest first; none
	// where there is no connection.
	Protocols []string `json:"protocols,omitempty"`
	// Methods are the hydra/ methods that there are.
	Methods []string   `json:"methods"`
	Wire    wireLimits `json:"wire"`
}

// wireLimits are the bounds of the connection and of its calls. MaxFrameBytes is
// 0 where there are no frames.
type wireLimits struct {
	MaxFrameBytes    int `json:"maxFrameBytes"`
	MaxPageBytes     int `json:"maxPageBytes"`
	MaxSearches      int `json:"maxSearches"`
	MaxQueued        int `json:"maxQueued"`
	MaxQueuedByOwner int `json:"maxQueuedByOwner"`
}

// probe remembers what the sidecar said of itself, once it has.
type probe struct {
	turn  chan struct{} // one at a time; guards known
	known *harness.Info
}

func newProbe() *probe { return &probe{turn: make(chan struct{}, 1)} }

// info tells what is running. The sidecar is run for its version once, like a
// search; one that does not say it is asked again the next time.
func (d *Dispatcher) info(ctx context.Context, _ call, _ *none) (any, error) {
	about, err := d.about(ctx)
	if err != nil {
		return nil, err
	}
	about.LostThreads = d.runtime.Pool().Lost()
	about.Index = d.runtime.Indexes()
	return info{
		Info: about, PID: os.Getpid(), Workdir: d.options.Workdir,
		Protocols: d.options.Protocols, Methods: d.Methods(),
		Wire: wireLimits{d.options.MaxFrameBytes, MaxPageBytes, Slots(), MaxQueued, MaxQueuedByOwner},
	}, nil
}

func (d *Dispatcher) about(ctx context.Context) (harness.Info, error) {
	select {
	case d.probe.turn <- struct{}{}:
		defer func() { <-d.probe.turn }()
	case <-ctx.Done():
		return harness.Info{}, ended(context.Cause(ctx), false)
	}
	if d.probe.known != nil {
		return *d.probe.known, nil
	}
	release, err := d.admission.acquire(ctx, probeOwner)
	if err != nil {
		return harness.Info{}, err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	about := d.runtime.Info(ctx)
	if about.Ripgrep.Problem == "" {
		d.probe.known = &about
	}
	return about, nil
}
