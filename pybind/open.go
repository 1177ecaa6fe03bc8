package pybind

import (
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/strictjson"
)

// setup is everything that a runtime depends on. Nothing of it is taken from the
// process: Go's copy of the environment is as old as the load of this library,
// and the working directory belongs to all threads.
type setup struct {
	// Workdir is where relative paths of requests begin, absolute.
	Workdir      string `json:"workdir"`
	WorkdirBytes []byte `json:"workdirBytes"`
	// Ripgrep is the path of the sidecar.
	Ripgrep      string `json:"ripgrep"`
	RipgrepBytes []byte `json:"ripgrepBytes"`
	// Environ are the lines NAME=value of the environment, a NUL between two.
	Environ []byte `json:"environ"`
	// Config is the value of the configuration file.
	Config strictjson.Raw `json:"config"`
	// Owner is the session of requests that name none.
	Owner string `json:"owner"`
}

// opened tells about a runtime.
type opened struct {
	Runtime  int64  `json:"runtime"`
	Version  string `json:"version"`
	Guidance string `json:"guidance"`
}

func parseSetup(text string) (s setup, err error) {
	if err := read([]byte(text), &s); err != nil {
		return s, err
	}
	if len(s.WorkdirBytes) > 0 {
		s.Workdir = string(s.WorkdirBytes)
	}
	if len(s.RipgrepBytes) > 0 {
		s.Ripgrep = string(s.RipgrepBytes)
	}
	switch {
	case !strings.HasPrefix(s.Workdir, "/"):
		return s, misused("workdir", "it is not an absolute path; give one")
	case !strings.HasPrefix(s.Ripgrep, "/"):
		return s, misused("ripgrep", "it is not an absolute path; give that of the sidecar")
	}
	return s, nil
}

func (s *setup) environ() []string {
	return slices.DeleteFunc(strings.Split(string(s.Environ), "\x00"), func(line string) bool { return line == "" })
}

// openHarness makes what answers the requests of an instance, from its set-up.
func openHarness(h *host, r *instance) (backend, opened, error) {
	s := &r.setup
	config, err := harness.ParseConfig(s.Config)
	if err != nil {
		return nil, opened{}, err
	}
	if len(config.Roots) == 0 {
		config.Roots = []string{s.Workdir}
	}
	log := hclog.New(&hclog.LoggerOptions{Level: hclog.Info, Output: &r.journal, JSONFormat: true})
	rt, err := harness.Open(harness.Options{
		RipgrepPath: s.Ripgrep,
		Config:      config,
		Environ:     s.environ(),
		Version:     version,
		Logger:      log,
	})
	if err != nil {
		return nil, opened{}, err
	}
	r.keep(rt.Close)
	d := dispatch.New(rt, dispatch.Options{Workdir: s.Workdir, Owner: s.Owner, Admission: h.admission, Log: log})
	return methods{d}, opened{Version: version, Guidance: rt.Guidance()}, nil
}
