package server

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/harness/dispatch"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/subprocess"
)

const grepX = `"name":"grep","arguments":{"pattern":"x"}`

// deaf returns a runtime whose sidecar does not end when it is told to, within
// a grace that no client waits for.
func deaf(t *testing.T, root string) (rt *harness.Runtime, started func()) {
	t.Helper()
	path := t.TempDir() + "/runtime"
	require.NoError(t, coretest.Fake{Sleep: 60, IgnoreTerm: true}.Install(path+"-rg"))
	rt = openAt(t, path, root, func(c *harness.Config) { c.GraceMs = 2500 })
	return rt, func() {
		require.Eventually(t, func() bool { _, err := coretest.ReadSeen(path + "-rg"); return err == nil }, 10*time.Second, time.Millisecond)
	}
}

func TestADeadlineIsKeptAlsoByASidecarThatDoesNotEnd(t *testing.T) {
	root := coretest.Tree(t)
	rt, _ := deaf(t, root)
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	for id, tc := range []struct{ method, params, code string }{
		{"tools/call", `{` + grepX + `,"_meta":{"dev.hydra-harness/deadlineMs":1000}}`, `"code":"SEARCH_ABORTED"`},
		{"hydra/search/grep", `{"pattern":"x","_meta":{"dev.hydra-harness/deadlineMs":1000}}`, `"code":"SEARCH_ABORTED"`},
	} {
		began := time.Now()
		m := c.call(id+1, tc.method, tc.params)
		assert.Less(t, time.Since(began), promptly)
		text := string(m.Result)
		if m.Error != nil {
			text = string(m.Error.Data)
			assert.Equal(t, 1104, m.Error.Code)
		}
		assert.Contains(t, text, tc.code)
		assert.Contains(t, text, `"reason":"timeout"`)
	}
}

func TestTheEndIsKeptAlsoByASidecarThatDoesNotEnd(t *testing.T) {
	root := coretest.Tree(t)
	rt, started := deaf(t, root)
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + grepX + `}}`)
	started()
	began := time.Now()
	require.NoError(t, c.write.Close())
	assert.Contains(t, string(c.read().Result), `"reason":"shutdown"`)
	assert.NoError(t, <-c.done)
	assert.Less(t, time.Since(began), promptly)
}

// busy fills every slot of a server and returns once that has happened.
func (c *client) busy(firstID int) {
	c.t.Helper()
	for i := range dispatch.Slots() {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s}}`, firstID+i, grepX))
	}
	require.Eventually(c.t, func() bool {
		running, _ := c.admission.Load()
		return running == dispatch.Slots()
	}, 10*time.Second, time.Millisecond)
}

func TestWhatDoesNotSearchNeverWaitsBehindSearches(t *testing.T) {
	root := coretest.Tree(t)
	rt, _ := slow(t, root, coretest.Fake{Sleep: 60})
	c := connect(t, rt, Options{Workdir: root, Owner: "s"})
	c.initialize()
	c.busy(100)
	for i := range dispatch.MaxQueuedByOwner {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s}}`, 1000+i, grepX))
	}
	require.Eventually(t, func() bool {
		_, waiting := c.admission.Load()
		return waiting == dispatch.MaxQueuedByOwner
	}, 20*time.Second, time.Millisecond)
	searches := map[string]bool{"hydra/info": true}
	for _, name := range c.srv.dispatcher.Methods() {
		if c.srv.dispatcher.Searches(name) {
			searches[name] = true
			continue
		}
		if searches[name] {
			continue
		}
		answer := c.call(1, name, `{}`)
		if answer.Error != nil {
			assert.NotContains(t, string(answer.Error.Data), "RUNTIME_", name)
		}
	}
	assert.Equal(t, map[string]bool{"hydra/info": true, "hydra/search/glob": true, "hydra/search/grep": true}, searches)
	assert.Nil(t, c.call(2, "tools/list", `{}`).Error)
	assert.Nil(t, c.call(3, "resources/templates/list", `{}`).Error)

	t.Run("and one search more is told so", func(t *testing.T) {
		m := c.call(4, "tools/call", `{`+grepX+`}`)
		assert.Contains(t, string(m.Result), `"code":"RUNTIME_BUSY","retryable":true`)
		assert.Contains(t, string(m.Result), `"isError":true`)
		failed := c.call(5, "hydra/search/glob", `{"pattern":"*"}`)
		require.NotNil(t, failed.Error)
		assert.Equal(t, 1003, failed.Error.Code)
	})
	t.Run("and another owner still gets its turn", func(t *testing.T) {
		m := c.call(6, "tools/call", `{`+grepX+`,"_meta":{"dev.hydra-harness/owner":"other","dev.hydra-harness/deadlineMs":200}}`)
		assert.Contains(t, string(m.Result), "did not begin within its time limit")
		assert.Contains(t, string(m.Result), `"code":"SEARCH_ABORTED","retryable":true`)
	})
	t.Run("and a cancel is heard", func(t *testing.T) {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1000}}`)
		require.Eventually(t, func() bool {
			_, waiting := c.admission.Load()
			return waiting == dispatch.MaxQueuedByOwner-1
		}, 10*time.Second, time.Millisecond)
	})
	t.Run("and at the end each one is answered", func(t *testing.T) {
		require.NoError(t, c.write.Close())
		down, stopped := 0, 0
		for range dispatch.MaxQueuedByOwner - 1 + dispatch.Slots() {
			switch text := string(c.read().Result); {
			case strings.Contains(text, `"code":"RUNTIME_SHUTTING_DOWN"`):
				down++
			case strings.Contains(text, `"reason":"shutdown"`):
				stopped++
			}
		}
		// A search that stops may hand its turn to one that waits, which then
		// stops as a running one does.
		assert.Equal(t, dispatch.MaxQueuedByOwner-1+dispatch.Slots(), down+stopped)
		assert.GreaterOrEqual(t, stopped, dispatch.Slots())
		assert.NoError(t, <-c.done)
	})
}

func TestTooManyCallsAtOnceAreToldSo(t *testing.T) {
	c := newConn(nopCloser{strings.NewReader("")}, nopCloser{})
	for i := range maxPending {
		require.Nil(t, c.note(arrivalOf(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))))
	}
	bad := c.note(arrivalOf(t, `{"jsonrpc":"2.0","id":"more","method":"ping"}`))
	require.NotNil(t, bad)
	assert.Equal(t, `"more"`, string(bad.id))
	assert.EqualValues(t, 1003, bad.err.Code)

	c = newConn(nopCloser{strings.NewReader("")}, nopCloser{})
	large := arrivalOf(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	large.size = maxPendingBytes + 1
	assert.Nil(t, c.note(large), "one alone is taken whatever it weighs")
	assert.NotNil(t, c.note(arrivalOf(t, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)))
	c.gone(c.forget(large.req.ID))
	assert.Nil(t, c.note(arrivalOf(t, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)))
}

func arrivalOf(t *testing.T, line string) arrival {
	t.Helper()
	req, bad := parseMessage([]byte(line))
	require.Nil(t, bad)
	return arrival{req: req, size: len(line)}
}

type nopCloser struct{ *strings.Reader }

func (nopCloser) Close() error                { return nil }
func (nopCloser) Write(p []byte) (int, error) { return len(p), nil }

// crash is a runner with a fault.
type crash struct{}

func (crash) Run(context.Context, subprocess.Spec) (subprocess.Outcome, error) { panic("boom") }

func TestAPanicIsTheErrorOfItsCall(t *testing.T) {
	root := coretest.Tree(t)
	config := harness.DefaultConfig(true)
	config.Roots = []string{root}
	rt, err := harness.Open(harness.Options{RuntimePath: coretest.Runtime(t), Config: config, Runner: crash{}})
	require.NoError(t, err)
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	m := c.call(1, "tools/call", `{`+grepX+`}`)
	assert.Contains(t, string(m.Result), `"text":"Error: internal error: boom"`)
	assert.Contains(t, string(m.Result), `"name":"RuntimeError","code":"RUNTIME_INTERNAL"`)
	m = c.call(2, "hydra/search/grep", `{"pattern":"x"}`)
	require.NotNil(t, m.Error)
	assert.Equal(t, 1005, m.Error.Code)
	assert.Contains(t, string(m.Error.Data), `"code":"RUNTIME_INTERNAL"`)
	assert.Nil(t, c.call(3, "ping", `{}`).Error)
	running, _ := c.admission.Load()
	assert.Zero(t, running)
}

func TestProgressIsToldOnceASecondAndOnlyIfAsked(t *testing.T) {
	root := coretest.Tree(t)
	rt, _ := slow(t, root, coretest.Fake{Sleep: 60})
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	c.busy(100) // they did not ask
	began := time.Now()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + grepX + `,"_meta":{"progressToken":"t","dev.hydra-harness/deadlineMs":3000}}}`)
	var steps []string
	for {
		m := c.read()
		if m.Method == "" {
			assert.Equal(t, "1", string(m.ID))
			break
		}
		require.Equal(t, "notifications/progress", m.Method)
		steps = append(steps, string(m.Params))
		assert.GreaterOrEqual(t, time.Since(began), time.Duration(len(steps))*time.Second-10*time.Millisecond)
	}
	assert.Equal(t, []string{
		`{"progressToken":"t","message":"waiting for its turn, 1 s","progress":1}`,
		`{"progressToken":"t","message":"waiting for its turn, 2 s","progress":2}`,
	}, steps)
	m := c.call(2, "tools/call", `{`+grepX+`,"_meta":{"progressToken":[1]}}`)
	require.NotNil(t, m.Error)
	assert.Equal(t, -32602, m.Error.Code)
	assert.Contains(t, m.Error.Message, "progressToken: it is an array; write a string or a whole number")
}

// The sidecar is run once for its version, whoever asks how often.
func TestInfoRunsTheSidecarOnce(t *testing.T) {
	root := coretest.Tree(t)
	path := t.TempDir() + "/runtime"
	require.NoError(t, coretest.Fake{Stdout: "ripgrep 9.9.9\n"}.Install(path+"-rg"))
	c := connect(t, openAt(t, path, root, nil), Options{Workdir: root})
	c.initialize()
	assert.Contains(t, string(c.call(1, "hydra/info", `{}`).Result), `"version":"9.9.9"`)
	require.NoError(t, os.Remove(path+"-rg.seen.json"))
	assert.Contains(t, string(c.call(2, "hydra/info", ``+`{}`).Result), `"version":"9.9.9"`)
	_, err := coretest.ReadSeen(path + "-rg")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
