package search

import (
	"context"
	"time"

	"github.com/hydraharness/harness-runtime/gocore/ripgrep"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

// proofTime is how long a sidecar may take to tell its version, and proofBytes how
// much of its answer is read: ripgrep prints a few lines at once.
const (
	proofTime  = 5 * time.Second
	proofBytes = 4 << 10
)

// prove makes sure that an answer of nothing at all is ripgrep's. Any program may
// be named as the sidecar, and one that does nothing (true, false) answers just
// like a search that found nothing. A packaged one is known, and any other is asked
// once: a search that finds something never waits for it.
func (s *Searcher) prove(ctx context.Context, end *ending, q query) error {
	if s.sidecar.Proven() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, proofTime)
	defer cancel()
	said := subprocess.NewExcerpt(proofBytes)
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
