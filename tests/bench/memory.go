package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hydraharness/harness-runtime/tests/internal/live"
)

// limitPeak is how much a call with 100,000 matches may add to what an idle
// runtime holds.
const limitPeak = 64

// peak is the memory of the runtime in one call, the sidecar not counted.
type peak struct {
	title string
	found int
	idle  float64 // MiB before the call
	mib   float64 // MiB over idle, at most
	limit int
}

func (p peak) reached() bool { return p.limit == 0 || p.mib <= float64(p.limit) }

// peaks measures calls in runtimes of their own.
func (w *world) peaks() ([]peak, error) {
	if !strings.Contains("memory", w.only) && w.only != "" {
		return nil, nil
	}
	args := map[string]string{"pattern": "func |import"}
	var peaks []peak
	for _, one := range []struct {
		title string
		limit int
		call  func() (int, error)
	}{
		{"tools/call grep, over 100,000 matches", limitPeak, w.tool("grep", w.golang, args, "--config", w.config)},
		{"tools/call glob *, many files", limitPeak, w.tool("glob", w.many, map[string]string{"pattern": "*"}, "--config", w.config)},
		{"hydra/search/grep, over 100,000 matches", limitPeak, w.value("grep", w.golang, args, "--config", w.config)},
	} {
		for _, s := range w.servers { // fresh ones
			_ = s.Close()
		}
		w.servers = map[string]*live.Server{}
		p, err := w.peak(one.call)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.title, err)
		}
		p.title, p.limit = one.title, one.limit
		peaks = append(peaks, p)
	}
	return peaks, nil
}

func (w *world) peak(call func() (int, error)) (p peak, err error) {
	// A first small call brings in what every call needs.
	for _, tree := range []string{w.golang, w.many} {
		if _, err := w.tool("grep", tree, map[string]string{"pattern": "zzzqqq"}, "--config", w.config)(); err != nil {
			return p, err
		}
	}
	idle := map[*live.Server]int{}
	for _, s := range w.servers {
		if err := live.ResetPeak(s.PID()); err != nil {
			return p, err
		}
		if idle[s], err = live.Status(s.PID(), "VmRSS"); err != nil {
			return p, err
		}
	}
	if p.found, err = call(); err != nil {
		return p, err
	}
	for s, before := range idle {
		high, err := live.Status(s.PID(), "VmHWM")
		if err != nil {
			return p, err
		}
		if over := float64(high-before) / 1024; over >= p.mib {
			p.mib, p.idle = over, float64(before)/1024
		}
	}
	if p.mib == 0 {
		return p, errors.New("the peak was not measured")
	}
	return p, nil
}
