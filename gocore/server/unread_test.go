package server

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/harness"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/spill"
)

// A client that reads none of its answers gets no further call begun, whatever it
// asks for, once they hold what a connection may; when it reads, all are there.
func TestAClientThatReadsNothingIsHeldToItsBytes(t *testing.T) {
	root := coretest.Tree(t)
	require.NoError(t, os.WriteFile(root+"/a.txt", []byte(strings.Repeat("needle in a line of text\n", 4000)), 0o600))
	command := strings.Repeat("cat a.txt; ", 300)
	boundary := fmt.Sprintf(`{"readRoots":[%q],"home":"/home/x"}`, root)
	rt := open(t, root, func(c *harness.Config) { c.InlineMaxBytes = 1 << 20; c.GrepMaxMatches = 5000 })
	plan, err := rt.Plan(harness.ShellCommand{Command: command})
	require.NoError(t, err)
	planned, err := json.Marshal(plan)
	require.NoError(t, err)
	text := strings.Repeat("x", 200<<10)
	kept, err := rt.Spill().SaveText(t.Context(), spill.Meta{Owner: "s", Tool: "grep", Name: "x.txt"}, spill.Text(text))
	require.NoError(t, err)
	const calls = 120
	for name, tc := range map[string]struct {
		method, params string
		searches       bool
	}{
		"gate":      {"hydra/shell/gate", fmt.Sprintf(`{"command":%q,"cwd":%q,"boundary":%s}`, command, root, boundary), false},
		"plan":      {"hydra/shell/plan", fmt.Sprintf(`{"command":%q}`, command), false},
		"establish": {"hydra/shell/establish", fmt.Sprintf(`{"plan":%s,"boundary":%s}`, planned, boundary), false},
		"spill":     {"hydra/spill/read", fmt.Sprintf(`{"id":%q}`, kept.ID), false},
		"resource":  {"resources/read", fmt.Sprintf(`{"uri":%q}`, kept.URI()), false},
		"search":    {"hydra/search/grep", `{"pattern":"needle"}`, true},
		"tool":      {"tools/call", `{"name":"grep","arguments":{"pattern":"needle"}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, rt, Options{Workdir: root, Owner: "s"})
			c.initialize()
			go func() {
				for i := range calls {
					fmt.Fprintf(c.write, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", i+1, tc.method, tc.params)
				}
			}()
			b := c.srv.conn.budget
			for settled := false; !settled; runtime.Gosched() {
				_, waiting := b.Load()
				still := 0 // calls that run and only wait: a search takes its slot first
				if tc.searches {
					_, queued := c.srv.dispatcher.Admission().Load()
					still = waiting + queued
				}
				settled = waiting > 0 && c.srv.dispatcher.Running() == still
			}
			held := b.Held()
			holding, _ := b.Load()
			assert.Less(t, holding, calls)
			assert.LessOrEqual(t, held, maxBacklog+maxBacklog/2, "one answer may be larger than was reserved for it")
			seen := map[string]bool{}
			for range calls {
				m := c.read()
				require.Nil(t, m.Error, "%+v", m.Error)
				seen[string(m.ID)] = true
			}
			assert.Len(t, seen, calls, "every call has its answer")
			for holding := 1; holding > 0; runtime.Gosched() {
				holding, _ = b.Load()
			}
			assert.Zero(t, b.Held())
		})
	}
}
