// Package server speaks MCP over a pair of streams: the tools as any MCP client
// sees them, and everything for code as methods under hydra/ on the same
// connection.
//
// It decides how requests become calls of a harness.Runtime and how their
// errors look on the wire. It keeps nothing between requests: what a call needs
// to know of its session travels in the request's _meta.
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
	// MaxFrameBytes bounds one line of input: the largest argument the tools
	// accept, with room for what is around it.
	MaxFrameBytes = 16 << 20
	// shutdownWait is how long calls in progress may take to end once the
	// connection is over. Clients kill a server that is still there after two
	// seconds; a sidecar that outlives this dies with the process.
	shutdownWait = 1200 * time.Millisecond
)

// Extension is the name under which the hydra/ methods are advertised.
const Extension = "dev.hydra-harness/runtime"

// Server answers one client.
type Server struct {
	runtime *harness.Runtime
	workdir string
	log     hclog.Logger
	mcp     *mcp.Server

	// base ends when the connection does; every call is bound to it.
	base context.Context
	end  context.CancelCauseFunc
}

// New returns a server over a runtime. workdir is the working directory of
// calls that name none.
func New(rt *harness.Runtime, workdir string, log hclog.Logger) (*Server, error) {
	s := &Server{runtime: rt, workdir: workdir, log: log}
	s.base, s.end = context.WithCancelCause(context.Background())
	s.mcp = mcp.NewServer(&mcp.Implementation{
		Name:    "hydra-harness-runtime",
		Title:   "Hydra harness runtime",
		Version: rt.Version(),
	}, &mcp.ServerOptions{
		Instructions: rt.Guidance(),
		Capabilities: &mcp.ServerCapabilities{
			Tools:      &mcp.ToolCapabilities{},
			Extensions: map[string]any{Extension: map[string]any{"api": harness.APIVersion}},
		},
		Logger: slog.New(slog.DiscardHandler), // its lines say nothing that ours do not
	})
	s.addTools()
	if err := s.addMethods(); err != nil {
		return nil, err
	}
	return s, nil
}

// Serve answers requests from in on out until in ends or ctx is done, then stops
// what is still running. The end of the input is not an error.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	stop := context.AfterFunc(ctx, func() {
		s.end(search.ErrShutdown)
		in.Close()
	})
	defer stop()
	transport := &mcp.IOTransport{
		Reader:        &endingReader{ReadCloser: in, ended: func() { s.end(search.ErrShutdown) }},
		Writer:        out,
		MaxLineLength: MaxFrameBytes,
	}
	done := make(chan error, 1)
	go func() { done <- s.mcp.Run(context.WithoutCancel(ctx), transport) }()
	select {
	case err := <-done:
		return ignoreEnd(err)
	case <-s.base.Done():
	}
	select {
	case err := <-done:
		return ignoreEnd(err)
	case <-time.After(shutdownWait):
		s.log.Warn("calls were still running at the end")
		return nil
	}
}

// endingReader tells when the input is over, at once: the SDK waits for calls
// in progress before it says so.
type endingReader struct {
	io.ReadCloser
	ended func()
}

func (r *endingReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil {
		r.ended()
	}
	return n, err
}

// ignoreEnd drops the errors by which a connection ends as it should.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// bound is the context of a call: it ends with the request and the connection.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.base, func() { cancel(context.Cause(s.base)) })
	return ctx, func() { stop(); cancel(nil) }
}
