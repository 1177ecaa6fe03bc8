package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
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
	long := strings.Repeat("x", MaxFrameBytes)
	for name, tc := range map[string]struct {
		line string
		id   string
		code int
	}{
		"no JSON":        {"hello", "null", -32700},
		"half":           {`{"jsonrpc":"2.0","id":1,`, "null", -32700},
		"no UTF-8":       {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "1", -32600},
		"two values":     {`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "null", -32700},
		"a number":       {`7`, "null", -32600},
		"broken batch":   {`[{"jsonrpc":`, "null", -32700},
		"empty batch":    {`[]`, "null", -32600},
		"too long a one": {`"` + long + `"`, "null", -32600},
		"too long twice": {`{"jsonrpc":"2.0","id":1,"method":"` + long + long + `"}`, "null", -32600},
		"no version":     {`{"id":41,"method":"tools/list"}`, "41", -32600},
		"other version":  {`{"jsonrpc":"1.0","id":"v","method":"tools/list"}`, `"v"`, -32600},
		"no method":      {`{"jsonrpc":"2.0","id":43}`, "43", -32600},
		"method number":  {`{"jsonrpc":"2.0","id":44,"method":7}`, "44", -32600},
		"params array":   {`{"jsonrpc":"2.0","id":45,"method":"ping","params":[1]}`, "45", -32602},
		"a name twice":   {`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, "null", -32600},
		"id null":        {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", -32600},
		"id bool":        {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, "null", -32600},
		"id fraction":    {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "1.5", -32600},
		"id too large":   {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "9007199254740993", -32600},
		"id of digits":   {`{"jsonrpc":"2.0","id":` + strings.Repeat("9", 5000) + `,"method":"ping"}`, "null", -32600},
		"id half a pair": {`{"jsonrpc":"2.0","id":"\ud83d","method":"ping"}`, `"\ud83d"`, -32600},
	} {
		t.Run(name, func(t *testing.T) {
			go c.send(tc.line)
			m := c.read()
			assert.Equal(t, tc.id, string(m.ID))
			require.NotNil(t, m.Error)
			assert.Equal(t, tc.code, m.Error.Code, "%s", m.Error.Message)
			assert.Nil(t, c.call(2, "tools/list", `{}`).Error)
		})
	}
	for _, nothing := range []string{
		"", "   ", "\r",
		`{"jsonrpc":"2.0","method":"notifications/of-the-future"}`,
		`{"jsonrpc":"2.0","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":77,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
	} {
		c.send(nothing)
		assert.Nil(t, c.call(3, "ping", `{}`).Error, "%s is not answered", nothing)
	}
}

func TestAnIDComesBackAsItWasSent(t *testing.T) {
	root := coretest.Tree(t)
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	for _, id := range []string{`0`, `-1`, `9007199254740991`, `"1"`, `""`, `"é\"\\"`, `"<a&b>"`} {
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		assert.JSONEq(t, id, string(c.read().ID))
	}
}

func TestAnIDInUseIsRefusedAndFreeAgainWithItsAnswer(t *testing.T) {
	root := coretest.Tree(t)
	rt, started := slow(t, root, coretest.Fake{Sleep: 60})
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":"x"},"_meta":{"dev.hydra-harness/deadlineMs":2000}}}`)
	started()
	c.send(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	m := c.read()
	assert.Equal(t, "null", string(m.ID), "whoever waits for 7 must not take this for its answer")
	assert.Equal(t, -32600, m.Error.Code)
	m = c.read()
	assert.Equal(t, "7", string(m.ID))
	assert.Contains(t, string(m.Result), "SEARCH_ABORTED")
	assert.Nil(t, c.call(7, "ping", `{}`).Error)
}

func TestABatchIsAnsweredByAnArray(t *testing.T) {
	root := coretest.Tree(t, "a: needle")
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.initialize()
	read := func(line string) []message {
		c.send(line)
		text, err := c.lines.ReadBytes('\n')
		require.NoError(t, err)
		var all []message
		require.NoError(t, json.Unmarshal(text, &all), "%s", text)
		return all
	}
	ids := func(all []message) []string {
		var ids []string
		for _, m := range all {
			ids = append(ids, string(m.ID))
		}
		return ids
	}
	all := read(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":"needle"}}},` +
		`{"jsonrpc":"2.0","method":"notifications/none"},7,{"jsonrpc":"2.0","id":"b","method":"none"},[{"jsonrpc":"2.0","id":3,"method":"ping"}],{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	assert.ElementsMatch(t, []string{"1", "2", "null", `"b"`, "null"}, ids(all))
	for _, m := range all {
		switch string(m.ID) {
		case "1":
			assert.Contains(t, string(m.Result), "Line 1: needle")
		case `"b"`:
			assert.Equal(t, -32601, m.Error.Code)
		case "null":
			assert.Equal(t, -32600, m.Error.Code)
		}
	}
	assert.Equal(t, []string{"1"}, ids(read(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)))
	c.send(`[{"jsonrpc":"2.0","method":"notifications/none"}]`)
	assert.Nil(t, c.call(3, "ping", `{}`).Error, "a batch of notifications is not answered")
	c.send(`[` + strings.Repeat(`1,`, maxBatch) + `1]`)
	m := c.read()
	assert.Equal(t, -32600, m.Error.Code)
	assert.Contains(t, m.Error.Message, "more than 1000 messages")
}

func TestACancelledCallLeavesItsBatch(t *testing.T) {
	root := coretest.Tree(t)
	rt, started := slow(t, root, coretest.Fake{Sleep: 60})
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	c.send(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":"x"}}},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	started()
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	line, err := c.lines.ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, `[{"jsonrpc":"2.0","id":2,"result":{}}]`+"\n", line)
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
		running, _ := c.admission.Load()
		return running == 0
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
	assert.Less(t, time.Since(began), promptly)
	assert.Contains(t, string(m.Result), `"code":"SEARCH_ABORTED"`)
	assert.Contains(t, string(m.Result), `"reason":"timeout"`)
}

func TestWhatWasAskedBeforeTheEndIsAnswered(t *testing.T) {
	root := coretest.Tree(t, "a.txt: needle")
	c := connect(t, open(t, root, nil), Options{Workdir: root})
	c.srv.answerWait = time.Minute // however busy the machine is
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
			assert.Less(t, time.Since(began), promptly)
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

// A client that does not read is not read, either; it must still be possible to
// end.
func TestAClientThatDoesNotReadHoldsNothingUpAtTheEnd(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":%d,"method":"ping"}`
	for name, tc := range map[string]struct {
		line string
		end  func(c *client, hangUp context.CancelFunc)
	}{
		"the input ends":              {ping, func(c *client, _ context.CancelFunc) { c.write.Close() }},
		"a signal":                    {ping, func(c *client, _ context.CancelFunc) { c.stop() }},
		"a signal, garbage":           {"garbage %d", func(c *client, _ context.CancelFunc) { c.stop() }},
		"the client hung up, garbage": {"garbage %d", func(_ *client, hangUp context.CancelFunc) { hangUp() }},
	} {
		t.Run(name, func(t *testing.T) {
			root := coretest.Tree(t)
			hungUp, hangUp := context.WithCancel(t.Context())
			defer hangUp()
			c := connect(t, open(t, root, nil), Options{Workdir: root, HungUp: hungUp.Done()})
			c.initialize()
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				for i := range 50 {
					if _, err := fmt.Fprintf(c.write, tc.line+"\n", i+1); err != nil {
						return
					}
				}
			}()
			if strings.HasPrefix(tc.line, "{") {
				<-sent // all of it is read
			} else {
				<-c.srv.blocked(t) // the reader itself is held up
			}
			began := time.Now()
			tc.end(c, hangUp)
			select {
			case err := <-c.done:
				assert.NoError(t, err)
				assert.Less(t, time.Since(began), promptly)
			case <-time.After(5 * time.Second):
				t.Fatal("the server waits for a client that does not read")
			}
		})
	}
}

// blocked is closed once an answer waits for the client.
func (s *Server) blocked(t *testing.T) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for t.Context().Err() == nil {
			if !s.conn.out.writing.TryLock() {
				return
			}
			s.conn.out.writing.Unlock()
			runtime.Gosched()
		}
	}()
	return done
}

func TestAnOutputThatBreaksIsAnEnd(t *testing.T) {
	root := coretest.Tree(t)
	rt, started := slow(t, root, coretest.Fake{Sleep: 60})
	c := connect(t, rt, Options{Workdir: root})
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":{"pattern":"x"}}}`)
	started()
	c.output.Close()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	assert.NoError(t, <-c.done)
	assert.Zero(t, c.srv.dispatcher.Running(), "nothing is left running")
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
