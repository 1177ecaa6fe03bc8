package search

import (
	"context"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// versionTime is how long a sidecar may take to tell its version, and versionBytes how
// much of its answer is read: ripgrep prints a few lines at once.
const (
	versionTime  = 5 * time.Second
	versionBytes = 4 << 10
)

// prove makes sure that an answer of nothing at all is ripgrep's. Any program may
// be named as the sidecar, and one that does nothing (true, false) answers just
// like a search that found nothing. A packaged one is known, and any other is asked
// once: a search that finds something never waits for it.
func (s *Searcher) prove(ctx context.Context, end *ending, q query) error {
	if s.sidecar.Proven() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	said := subprocess.NewExcerpt(versionBytes)
	path := s.sidecar.Path()
	out, err := s.runner.Run(limited, subprocess.Spec{
		Path:   path,
		Args:   ripgrep.VersionArgs(),
		Env:    s.environ,
		Stdout: said,
		Grace:  s.config.Grace,
	})
	switch {
	case err != nil:
		return s.startFailed("/", err)
	case ctx.Err() != nil:
		return s.aborted(ctx, end, q)
	case out.Cause == nil && out.Signal == 0 && out.Lost == nil && out.ExitCode == 0 && ripgrep.IsVersion(said.Head()):
		s.sidecar.Prove()
		return nil
	}
	return sidecarFailed(s.sidecar.NotRipgrep(firstLine(said.Head())))
}
