// Package server speaks MCP over a pair of streams: the tools as any MCP client
// sees them, and everything for code as methods under hydra/ on the same
// connection. docs/protocol.md describes both.
//
// It decides how messages become calls of a dispatch.Dispatcher, which calls are
// due an answer, and how errors look on the wire. It keeps nothing of a session
// between requests: what a call needs to know travels in the request's _meta.
//
// A message passes through frames (lines), conn (which calls are due an answer),
// the SDK (MCP's own methods) and the dispatcher (time, turn, the method itself).
package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/search"
)

const (
	// answerWait is how long calls in progress may still finish when the input
	// has ended: whoever pipes requests in gets their answers.
	answerWait = 500 * time.Millisecond
	// stopWait is how long they may then take to stop. Clients kill a server
	// that is still there two seconds after the end of its input; a sidecar that
	// outlives this dies with the process.
	stopWait = 700 * time.Millisecond
	// lastWords is how much of that is kept to tell the calls that have not ended
	// that they are given up: on a busy machine they may not get to say so.
	lastWords = 200 * time.Millisecond
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
	// HungUp is closed when nothing more will be written to the input, also when
	// it has not been read to its end: a client that reads no answers is not
	// read either. It may be nil.
	HungUp <-chan struct{}
	Log    hclog.Logger
}

// Server answers one client.
type Server struct {
	dispatcher *dispatch.Dispatcher
	options    Options
	log        hclog.Logger
	mcp        *mcp.Server
	conn       *conn
	// answerWait is the constant, but for tests on machines that are busy.
	answerWait time.Duration

	// base ends when the connection does; every call is bound to it.
	base context.Context
	end  context.CancelCauseFunc
}

// New returns a server over a runtime.
func New(rt *harness.Runtime, o Options) (*Server, error) {
	s := &Server{options: o, log: o.Log, answerWait: answerWait}
	if s.log == nil {
		s.log = hclog.NewNullLogger()
	}
	s.dispatcher = dispatch.New(rt, dispatch.Options{
		Workdir: o.Workdir, Owner: o.Owner, StopTime: stopWait, Log: s.log,
		Protocols: mcp.SupportedProtocolVersions(), MaxFrameBytes: MaxFrameBytes,
	})
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
		// What is listed and read here is this configuration's and this owner's.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		Logger:       slog.New(slog.DiscardHandler), // its lines say nothing that ours do not
	})
	s.mcp.AddReceivingMiddleware(s.claimed)
	s.addTools()
	s.addResources()
	if err := s.addMethods(); err != nil {
		return nil, err
	}
	return s, nil
}

// Serve answers requests from in on out until in ends, out breaks or ctx is
// done, then stops what is still running, and returns in less than a second and
// a half. None of these ends is an error. A server serves once.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	c := newConn(in, out)
	s.conn = c
	var err error
	closed := make(chan struct{})
	go func() {
		err = s.mcp.Run(context.WithoutCancel(ctx), c)
		close(closed)
	}()
	var wait time.Duration
	select {
	case <-closed: // nobody is there to answer to
	case <-ctx.Done():
	case <-c.ended:
		wait = s.answerWait
	case <-s.options.HungUp:
		wait = s.answerWait
	}
	within(wait, c.answered)
	s.end(search.ErrShutdown)
	c.stop()
	c.in.Close()
	until := time.Now().Add(stopWait)
	if !within(stopWait-lastWords, c.answered) {
		go c.abandon()
	}
	if !within(time.Until(until), c.answered) || !within(time.Until(until), s.dispatcher.Idle()) {
		s.log.Warn("calls were still running at the end", "calls", s.dispatcher.Running())
	}
	c.finish()
	if !within(time.Until(until), closed) {
		return nil // a client that does not read holds the last answer up
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// within reports whether done is closed before the limit has passed.
func within(limit time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return isClosed(done)
	}
}

// bound is a context that ends with ctx and with the connection.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.base, func() { cancel(context.Cause(s.base)) })
	return ctx, func() { stop(); cancel(nil) }
}

// claimKey is the context key of what a call holds.
type claimKey struct{}

// plainAnswer is what a method holds that the SDK answers by itself: the list of
// tools is the largest.
const plainAnswer = 64 << 10

// claimed gives every call its claim of the connection's budget. The dispatcher
// takes what its methods need; what the SDK answers by itself is taken here.
func (s *Server) claimed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		claim := s.conn.claimOf(req)
		if !dispatched(method) {
			if err := claim.Take(ctx, "", plainAnswer); err != nil {
				return nil, wireError(err)
			}
		}
		return next(context.WithValue(ctx, claimKey{}, claim), method, req)
	}
}

// dispatched reports whether a method is answered by the dispatcher.
func dispatched(method string) bool {
	return strings.HasPrefix(method, ownMethods) || method == "tools/call" || method == "resources/read"
}

// door is this server's part in a call.
func (s *Server) door(ctx context.Context, session *mcp.ServerSession) dispatch.Door {
	claim, _ := ctx.Value(claimKey{}).(*dispatch.Claim)
	door := dispatch.Door{Claim: claim}
	if session != nil {
		door.Progress = func(ctx context.Context, token any) (begun, stop func()) { return progress(ctx, session, token) }
	}
	return door
}
