// Package server speaks MCP over a pair of streams: the tools as any MCP client
// sees them, and everything for code as methods under hydra/ on the same
// connection.
//
// It decides how requests become calls of a harness.Runtime, how many searches
// run at once, and how errors look on the wire. It keeps nothing of a session
// between requests: what a call needs to know travels in the request's _meta.
package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

const (
	// answerWait is how long calls in progress may still finish when the input
	// has ended: whoever pipes requests in gets their answers.
	answerWait = 300 * time.Millisecond
	// stopWait is how long they may then take to stop. Clients kill a server
	// that is still there two seconds after the end of its input; a sidecar that
	// outlives this dies with the process.
	stopWait = 900 * time.Millisecond
)

// Extension is the name under which the hydra/ methods are advertised.
const Extension = "dev.hydra-harness/runtime"

// Options of a server.
type Options struct {
	// Workdir is the working directory of calls that name none.
	Workdir string
	// Owner is the session of calls that name none. Without one nothing is
	// saved for them.
	Owner string
	Log   hclog.Logger
}

// Server answers one client.
type Server struct {
	runtime   *harness.Runtime
	options   Options
	log       hclog.Logger
	mcp       *mcp.Server
	admission *admission

	// base ends when the connection does; every call is bound to it.
	base context.Context
	end  context.CancelCauseFunc
}

// New returns a server over a runtime.
func New(rt *harness.Runtime, o Options) (*Server, error) {
	s := &Server{runtime: rt, options: o, log: o.Log, admission: newAdmission()}
	if s.log == nil {
		s.log = hclog.NewNullLogger()
	}
	s.base, s.end = context.WithCancelCause(context.Background())
	s.mcp = mcp.NewServer(&mcp.Implementation{
		Name:    "hydra-harness-runtime",
		Title:   "Hydra harness runtime",
		Version: rt.Version(),
	}, &mcp.ServerOptions{
		Instructions: rt.Guidance(),
		Capabilities: &mcp.ServerCapabilities{
			Tools:      &mcp.ToolCapabilities{},
			Resources:  &mcp.ResourceCapabilities{},
			Extensions: map[string]any{Extension: map[string]any{"api": harness.APIVersion}},
		},
		Logger: slog.New(slog.DiscardHandler), // its lines say nothing that ours do not
	})
	s.addTools()
	s.addResources()
	if err := s.addMethods(); err != nil {
		return nil, err
	}
	return s, nil
}

// Serve answers requests from in on out until in ends or ctx is done, then stops
// what is still running. Either end is not an error.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	stop := context.AfterFunc(ctx, func() {
		s.end(search.ErrShutdown)
		in.Close()
	})
	defer stop()
	ended := make(chan struct{})
	c := newConn(in, out, func(answered <-chan struct{}) {
		close(ended)
		s.finish(answered)
	})
	done := make(chan error, 1)
	go func() { done <- s.mcp.Run(context.WithoutCancel(ctx), c) }()
	var err error
	select {
	case err = <-done: // the output broke
	case <-ended:
		select {
		case err = <-done:
		case <-time.After(answerWait + stopWait):
			s.log.Warn("calls were still running at the end")
		}
	}
	s.end(search.ErrShutdown)
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// finish lets calls in progress answer, then stops them, and returns when they
// have been answered or cannot be waited for.
func (s *Server) finish(answered <-chan struct{}) {
	for _, wait := range []time.Duration{answerWait, stopWait} {
		timer := time.NewTimer(wait)
		select {
		case <-answered:
			timer.Stop()
			return
		case <-timer.C:
			s.end(search.ErrShutdown)
		}
	}
}

// bound is the context of a call: it ends with the request and the connection.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.base, func() { cancel(context.Cause(s.base)) })
	return ctx, func() { stop(); cancel(nil) }
}
