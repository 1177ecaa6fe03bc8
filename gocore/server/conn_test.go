package server

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
)

func TestALineThatIsNoMessageIsAnsweredAndTheConnectionGoesOn(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	for name, tc := range map[string]struct {
		line string
		code int
	}{
		"no JSON":        {"hello", -32700},
		"half":           {`{"jsonrpc":"2.0","id":1,`, -32700},
		"no UTF-8":       {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700},
		"no JSON-RPC":    {`{"id":1,"method":"tools/list"}`, -32600},
		"a number":       {`7`, -32600},
		"broken batch":   {`[{"jsonrpc":`, -32700},
		"too long a one": {`"` + strings.Repeat("x", MaxFrameBytes) + `"`, -32600},
	} {
		t.Run(name, func(t *testing.T) {
			go c.send(tc.line)
			m := c.read()
			assert.Equal(t, "null", string(m.ID))
			require.NotNil(t, m.Error)
			assert.Equal(t, tc.code, m.Error.Code, "%s", m.Error.Message)
			assert.Nil(t, c.call(2, "tools/list", `{}`).Error)
		})
	}
	c.send("")
	c.send("   ")
	assert.Nil(t, c.call(3, "ping", `{}`).Error, "blank lines are nothing")
}

func TestABatchIsAnsweredOneByOne(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	c.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	got := []string{string(c.read().ID), string(c.read().ID)}
	assert.ElementsMatch(t, []string{"1", "2"}, got)
}

// slow returns a runtime whose sidecar says that it runs, by its seen file, and
// then sleeps.
func slow(t *testing.T, root string, fake coretest.Fake) (rt *harness.Runtime, started func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runtime")
	require.NoError(t, fake.Install(path+"-rg"))
	rt = openAt(t, path, root, func(c *harness.Config) { c.GraceMs = 50 })
	return rt, func() {
		require.Eventually(t, func() bool {
			_, err := coretest.ReadSeen(path + "-rg")
			return err == nil
		}, 10*time.Second, time.Millisecond)
	}
}

func TestACancelledCallIsStoppedAndNeverAnswered(t *testing.T) {
	root := coretest.Tree(t)
	rt, started := slow(t, root, coretest.Fake{Sleep: 60})
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"grep","arguments":{"pattern":"x"}}}`)
	started()
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`)
	// All slots come free again, and what is answered next is the next call.
	assert.Nil(t, c.call(2, "ping", `{}`).Error)
	require.Eventually(t, func() bool {
		c.srv.admission.mu.Lock()
		defer c.srv.admission.mu.Unlock()
		return c.srv.admission.free == newAdmission().free
	}, 10*time.Second, time.Millisecond)
	assert.Nil(t, c.call(3, "ping", `{}`).Error)
}

func TestADeadlineIsAnsweredBeforeTheClientGivesUp(t *testing.T) {
	root := coretest.Tree(t)
	rt, _ := slow(t, root, coretest.Fake{Sleep: 60})
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	began := time.Now()
	m := c.call(1, "tools/call", `{"name":"grep","arguments":{"pattern":"x"},"_meta":{"dev.hydra-harness/deadlineMs":1000}}`)
	assert.Less(t, time.Since(began), time.Second)
	assert.Contains(t, string(m.Result), `"code":"SEARCH_ABORTED"`)
	assert.Contains(t, string(m.Result), `"reason":"timeout"`)
}

func TestWhatWasAskedBeforeTheEndIsAnswered(t *testing.T) {
	root := coretest.Tree(t, "a.txt: needle")
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":"needle"}}}`)
	require.NoError(t, c.write.Close())
	assert.Contains(t, string(c.read().Result), "Line 1: needle")
	assert.NoError(t, <-c.done)
}

func TestTheEndStopsWhatRuns(t *testing.T) {
	for name, fake := range map[string]coretest.Fake{
		"an ordinary sidecar": {Sleep: 60},
		"a deaf one":          {Sleep: 60, IgnoreTerm: true},
		"with a grandchild":   {Sleep: 60, HoldPipe: true},
	} {
		t.Run(name, func(t *testing.T) {
			root := coretest.Tree(t)
			rt, started := slow(t, root, fake)
			c := connect(t, rt, Options{Workdir: root})
			c.initialize()
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":"x"}}}`)
			started()
			began := time.Now()
			require.NoError(t, c.write.Close())
			assert.Contains(t, string(c.read().Result), `"reason":"shutdown"`)
			assert.NoError(t, <-c.done)
			assert.Less(t, time.Since(began), 1500*time.Millisecond)
		})
	}
}

func TestASignalIsAnEnd(t *testing.T) {
	root := coretest.Tree(t)
	rt, started := slow(t, root, coretest.Fake{Sleep: 60})
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":"x"}}}`)
	started()
	c.stop()
	assert.Contains(t, string(c.read().Result), `"reason":"shutdown"`)
	assert.NoError(t, <-c.done)
}

func TestAClientThatDoesNotReadHoldsNothingUpAtTheEnd(t *testing.T) {
	root := coretest.Tree(t, "a.txt: needle")
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	for i := range 50 {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i+1))
	}
	require.NoError(t, c.write.Close())
	select {
	case <-c.done:
	case <-time.After(5 * time.Second):
		t.Fatal("the server waits for a client that does not read")
	}
}

func TestHalfALineThenTheEnd(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	go func() {
		_, _ = io.WriteString(c.write, `{"jsonrpc":"2.0","id":1,"met`)
		c.write.Close()
	}()
	m := c.read()
	assert.Equal(t, -32700, m.Error.Code)
	assert.NoError(t, <-c.done)
}
