package harness

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/judge"
)

// trusted is a tree with a program of the user's and one that lies in a write
// root, both along PATH.
func trusted(t *testing.T) (root string, ask func(command, rules string) *Gate) {
	t.Helper()
	root = coretest.Tree(t, "w/a.txt: a", "w/s/a.txt: a", "w/out/", "w/out/planted: #!", "bin/tool: #!", "home/", "secret: s")
	return root, func(command, rules string) *Gate {
		rt, req := gated(t, root+"/w", command)
		req.Env = map[string]string{"HOME": root + "/home", "PATH": root + "/bin:" + root + "/w/out:/usr/bin:/bin"}
		policy := judge.DefaultPolicy()
		require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(rules, "{}", root)), &policy.Trust))
		req.Policy = &policy
		g, err := rt.Gate(context.Background(), req)
		require.NoError(t, err)
		return g
	}
}

func TestTrust(t *testing.T) {
	_, ask := trusted(t)
	for _, tc := range []struct {
		command, rules string
		want           judge.Decision
	}{
		{"tool x", `[]`, judge.Ask},
		{"tool x", `[{"program": "tool", "decision": "allow"}]`, judge.Allow},
		{"tool x", `[{"program": "{}/bin/tool", "decision": "allow"}]`, judge.Allow},
		{"tool x", `[{"program": "{}/bin/other", "decision": "allow"}]`, judge.Ask},
		{"tool x", `[{"program": "/usr/bin/tool", "decision": "allow"}]`, judge.Ask},
		{"tool x", `[{"program": "tool", "decision": "confine"}]`, judge.Ask},
		{"tool x", `[{"program": "tool", "decision": "deny"}]`, judge.Deny},
		{"make all", `[{"program": "make", "decision": "allow"}]`, judge.Allow},
		{"make all", `[{"program": "/usr/bin/make", "decision": "allow"}]`, judge.Allow},
		{"timeout 5 make all", `[{"program": "make", "decision": "allow"}]`, judge.Allow},
		{"bash -c 'make all'", `[{"program": "make", "decision": "allow"}]`, judge.Allow},

		// Words.
		{"make all", `[{"program": "make", "args": [], "decision": "allow"}]`, judge.Ask},
		{"make", `[{"program": "make", "args": [], "decision": "allow"}]`, judge.Allow},
		{"make all", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Allow},
		{"make allx", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Ask},
		{"make test-unit x y", `[{"program": "make", "args": ["test-*", "**"], "decision": "allow"}]`, judge.Allow},
		{"make x test-unit", `[{"program": "make", "args": ["test-*", "**"], "decision": "allow"}]`, judge.Ask},
		{"make $X", `[{"program": "make", "args": ["*"], "decision": "allow"}]`, judge.Ask},
		{"make *.txt", `[{"program": "make", "args": ["*"], "decision": "allow"}]`, judge.Ask},
		{"make *.txt", `[{"program": "make", "args": ["**"], "decision": "allow"}]`, judge.Allow},
		{"git push origin", `[{"program": "git", "args": ["push", "**"], "decision": "allow"}]`, judge.Allow},

		// A rule is about the program alone.
		{"make > ../secret", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"make < ../secret", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"make; cat ../secret", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"make $(cat ../secret)", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"make | python3 x.py", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"PATH=out:$PATH make", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"export PATH=$PWD/out; make", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"LD_PRELOAD=./x.so make", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"make() { cat ../secret; }; make", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"sudo make", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"$(date) make", `[{"program": "make", "decision": "allow"}]`, judge.Ask},
		{"cat ../secret", `[{"program": "cat", "decision": "allow"}]`, judge.Ask},

		// What may be written is trusted by its path alone.
		{"planted", `[{"program": "planted", "decision": "allow"}]`, judge.Ask},
		{"planted", `[{"program": "{}/w/out/planted", "decision": "allow"}]`, judge.Allow},
		{"./out/planted", `[{"program": "planted", "decision": "allow"}]`, judge.Ask},
		{"./out/planted", `[{"program": "{}/w/out/planted", "decision": "allow"}]`, judge.Allow},
		{"planted", `[{"program": "planted", "decision": "deny"}]`, judge.Deny},

		// The environment that the text makes.
		{"MAKEFLAGS=-B make all", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Ask},
		{"env MAKEFLAGS=-B make all", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Ask},
		{"export MAKEFLAGS=-B; make all", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Ask},
		{"set -a; MAKEFLAGS=-B; make all", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Ask},
		{"unset HOME; make all", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Ask},
		{"env -i make all", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Ask},
		{"X=1; make all", `[{"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Allow},
		{"MAKEFLAGS=-B make all", `[{"program": "make", "args": ["**"], "decision": "allow"}]`, judge.Allow},
		{"MAKEFLAGS=-B make all", `[{"program": "make", "decision": "allow"}]`, judge.Allow},
		{"MAKEFLAGS=-B make all", `[{"program": "make", "args": ["all"], "decision": "deny"}]`, judge.Deny},

		// Directories.
		{"env -C s make", `[{"program": "make", "directory": "{}/w", "decision": "allow"}]`, judge.Ask},
		{"make", `[{"program": "make", "directory": "{}/w", "decision": "allow"}]`, judge.Allow},
		{"make", `[{"program": "make", "directory": "{}", "decision": "allow"}]`, judge.Allow},
		{"make", `[{"program": "make", "directory": "{}/w/s", "decision": "allow"}]`, judge.Ask},
		{"cd s && make", `[{"program": "make", "directory": "{}/w", "decision": "allow"}]`, judge.Ask},
		{"cd s && make", `[{"program": "make", "decision": "allow"}]`, judge.Allow},

		// The specific before the general, deny before all.
		{"make all", `[{"program": "make", "args": ["all"], "decision": "ask"}, {"program": "make", "decision": "allow"}]`, judge.Ask},
		{"make all", `[{"program": "make", "decision": "ask"}, {"program": "make", "args": ["all"], "decision": "allow"}]`, judge.Allow},
		{"make all", `[{"program": "make", "args": ["**"], "decision": "deny"}, {"program": "make", "args": ["all"], "directory": "{}/w", "decision": "allow"}]`, judge.Deny},
		{"make all", `[{"program": "make", "decision": "allow"}, {"program": "make", "decision": "ask"}]`, judge.Ask},
		{"ls", `[{"program": "ls", "decision": "ask"}]`, judge.Ask},
		{"git status", `[{"program": "git", "args": ["status", "**"], "decision": "deny"}]`, judge.Deny},
	} {
		t.Run(tc.command+" "+tc.rules, func(t *testing.T) {
			g := ask(tc.command, tc.rules)
			assert.Equal(t, tc.want, g.Decision, "%+v", g.Reasons)
		})
	}
}

// The rule that a reason offers makes an allow of the command, and of no other.
func TestTheRuleThatIsOfferedAllowsTheCommand(t *testing.T) {
	for command, others := range map[string][]string{
		"make -j4 all":              {"make", "make -j4", "make -j4 all x", "make -j4 clean"},
		"tool":                      {"tool x"},
		"python3 -m pytest -q x.py": {"python3 -m pytest", "python3 -c 1"},
		"git push origin main":      {"git push origin", "git push -f origin main"},
		"./out/planted a":           {"./out/planted", "planted b"},
		"cd s && make":              {"cd s && make x"},
		"npm test -- *.txt":         {"npm run x"},
	} {
		t.Run(command, func(t *testing.T) {
			_, ask := trusted(t)
			asked := ask(command, `[]`)
			require.Equal(t, judge.Ask, asked.Decision)
			var offered *judge.Rule
			for _, r := range asked.Reasons {
				if r.Remedy.Kind == judge.RemedyTrust {
					offered = r.Remedy.Trust
				}
			}
			require.NotNil(t, offered, "%+v", asked.Reasons)
			rules := "[" + offered.String() + "]"
			assert.Equal(t, judge.Allow, ask(command, rules).Decision, rules)
			for _, other := range others {
				assert.Equal(t, judge.Ask, ask(other, rules).Decision, "%s: %s", other, rules)
			}
		})
	}
}

// A policy that cannot be read is no policy.
func TestARuleThatCannotBeReadIsAnError(t *testing.T) {
	rt, req := gated(t, coretest.Tree(t, "home/"), "make")
	policy := judge.DefaultPolicy()
	policy.Trust = []judge.Rule{{Program: "make"}, {Program: "a/b"}}
	req.Policy = &policy
	_, err := rt.Gate(context.Background(), req)
	assert.EqualError(t, err, `policy.trust[1].program: "a/b" is neither a name nor an absolute path without dots`)
}

// The rules of the configuration hold for every call, whatever its policy.
func TestRulesOfTheConfiguration(t *testing.T) {
	root := coretest.Tree(t, "home/", "out/")
	c := withSpill(t)
	c.Trust = []judge.Rule{{Program: "make", Decision: judge.RuleAllow}, {Program: "npm"}}
	rt, err := Open(Options{RuntimePath: root + "/none", Config: c})
	require.NoError(t, err)
	_, req := gated(t, root, "")
	for command, want := range map[string]judge.Decision{"make": judge.Allow, "npm test": judge.Deny, "cargo test": judge.Ask} {
		for _, policy := range []*judge.Policy{nil, {Opaque: judge.Ask, Trust: []judge.Rule{{Program: "npm", Decision: judge.RuleAllow}}}} {
			req.Command, req.Policy = command, policy
			g, err := rt.Gate(context.Background(), req)
			require.NoError(t, err)
			assert.Equal(t, want, g.Decision, "%s: %+v", command, g.Reasons)
			second, err := rt.Confirm(context.Background(), ConfirmRequest{GateRequest: req, Establishment: g.Establishment, Digest: g.Digest})
			require.NoError(t, err)
			assert.Equal(t, want, second.Decision, command)
		}
	}
}
