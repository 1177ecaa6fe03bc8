package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

func TestMain(m *testing.M) {
	coretest.RunIfFake()
	os.Exit(m.Run())
}

// promptly is far below what the stand-ins of these tests sleep, and far above
// what a busy machine needs: it tells stopping from waiting. How fast it is,
// the benchmarks say.
const promptly = 20 * time.Second

// client is the other end of a server's streams, speaking lines.
type client struct {
	t         testing.TB
	write     io.WriteCloser
	lines     *bufio.Reader
	output    io.Closer
	done      chan error // what Serve returned
	stop      context.CancelFunc
	srv       *Server
	admission *dispatch.Admission
}

// connect starts a server over a runtime and returns its client.
func connect(t testing.TB, rt *harness.Runtime, o Options) *client {
	t.Helper()
	srv, err := New(rt, o)
	require.NoError(t, err)
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	c := &client{t: t, write: inWrite, lines: bufio.NewReader(outRead), output: outRead, done: make(chan error, 1), stop: stop, srv: srv, admission: srv.dispatcher.Admission()}
	go func() { c.done <- srv.Serve(ctx, inRead, outWrite) }()
	t.Cleanup(func() {
		stop()
		inWrite.Close()
		outRead.Close()
	})
	return c
}

// open makes a runtime with the pinned sidecar and the given tree as its root.
func open(t testing.TB, root string, change func(*harness.Config)) *harness.Runtime {
	t.Helper()
	return openAt(t, coretest.Runtime(t), root, change)
}

func openAt(t testing.TB, runtimePath, root string, change func(*harness.Config)) *harness.Runtime {
	t.Helper()
	config := harness.DefaultConfig(true)
	config.Roots = []string{root}
	config.SpillRoot = t.TempDir() + "/spill"
	if change != nil {
		change(&config)
	}
	rt, err := harness.Open(harness.Options{RuntimePath: runtimePath, Config: config, Version: "1.2.3"})
	require.NoError(t, err)
	return rt
}

func (c *client) send(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.write, line+"\n")
	require.NoError(c.t, err)
}

// message is any line of the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (c *client) read() message {
	c.t.Helper()
	line, err := c.lines.ReadString('\n')
	require.NoError(c.t, err)
	var m message
	require.NoError(c.t, json.Unmarshal([]byte(line), &m), "%s", line)
	return m
}

// call sends a request and returns its answer.
func (c *client) call(id int, method, params string) message {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	m := c.read()
	require.Equal(c.t, fmt.Sprint(id), string(m.ID))
	return m
}

// initialize shakes hands as clients do.
func (c *client) initialize() message {
	c.t.Helper()
	m := c.call(0, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return m
}
