package harness

import (
	"context"
	"os"
	"os/user"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hydraharness/harness-runtime/gocore/establish"
	"github.com/hydraharness/harness-runtime/gocore/internal/coretest"
	"github.com/hydraharness/harness-runtime/gocore/judge"
	"github.com/hydraharness/harness-runtime/gocore/shellplan"
)

// gated opens a runtime and a request for a command in a tree, whose root may be
// read and whose out may be written.
func gated(t *testing.T, root, command string) (*Runtime, GateRequest) {
	t.Helper()
	rt, err := Open(Options{RuntimePath: root + "/none", Config: withSpill(t)})
	require.NoError(t, err)
	return rt, GateRequest{
		ShellCommand: ShellCommand{Command: command, Cwd: root, Env: map[string]string{"HOME": root + "/home", "PATH": "/usr/bin:/bin"}},
		Boundary:     establish.Boundary{ReadRoots: []string{root}, WriteRoots: []string{root + "/out"}},
	}
}

func withSpill(t *testing.T) Config {
	c := DefaultConfig(true)
	c.SpillRoot = t.TempDir() + "/spill"
	return c
}

func TestGate(t *testing.T) {
	outside := coretest.Tree(t, "secret.txt: s")
	root := coretest.Tree(t, "a.txt: a", "out/", "home/.ssh/id: k", "in -> a.txt", "leak -> "+outside+"/secret.txt")
	for command, want := range map[string]struct {
		decision judge.Decision
		code     judge.Code
	}{
		"cat a.txt":              {judge.Allow, ""},
		"cat in":                 {judge.Allow, ""},
		"cat nope.txt":           {judge.Allow, ""},
		"cat a.txt > out/b.txt":  {judge.Allow, ""},
		"cat leak":               {judge.Ask, judge.OutsideRead},
		"cat ../x":               {judge.Ask, judge.OutsideRead},
		"cp a.txt b.txt":         {judge.Ask, judge.OutsideWrite},
		"cat ~/.ssh/id":          {judge.Deny, judge.DeniedPath},
		"cat $(date)":            {judge.Ask, judge.Opaque},
		"python3 a.py":           {judge.Ask, judge.Opaque},
		"cat 'unterminated":      {judge.Ask, judge.Opaque},
		"":                       {judge.Ask, judge.Opaque},
		"cat a.txt 2>/dev/null ": {judge.Allow, ""},
	} {
		t.Run(command, func(t *testing.T) {
			rt, req := gated(t, root, command)
			g, err := rt.Gate(context.Background(), req)
			require.NoError(t, err)
			assert.Equal(t, want.decision, g.Decision, "%+v", g.Reasons)
			if want.code != "" {
				require.NotEmpty(t, g.Reasons)
				assert.Equal(t, want.code, g.Reasons[0].Code)
			}
			assert.Len(t, g.Digest, 64)
		})
	}
}

func TestTheHomeOfTheEnvironmentIsRefusedToo(t *testing.T) {
	root := coretest.Tree(t, "home/.ssh/id: k")
	rt, req := gated(t, root, "cat home/.ssh/id")
	req.Boundary.Home = "/another"
	g, err := rt.Gate(context.Background(), req)
	require.NoError(t, err)
	assert.Equal(t, judge.Deny, g.Decision)
}

func TestConfirmLooksAgain(t *testing.T) {
	outside := coretest.Tree(t, "secret.txt: s")
	root := coretest.Tree(t, "a.txt: a", "b.txt: b", "link -> a.txt", "out/")
	rt, req := gated(t, root, "cat link")
	ctx := context.Background()
	g, err := rt.Gate(ctx, req)
	require.NoError(t, err)
	require.Equal(t, judge.Allow, g.Decision)
	again := func(req GateRequest) *Confirmation {
		t.Helper()
		c, err := rt.Confirm(ctx, ConfirmRequest{GateRequest: req, Establishment: g.Establishment, Digest: g.Digest})
		require.NoError(t, err)
		return c
	}
	assert.Equal(t, judge.Allow, again(req).Decision, "nothing moved")

	relink := func(target string) {
		require.NoError(t, os.Remove(root+"/link"))
		require.NoError(t, os.Symlink(target, root+"/link"))
	}
	relink("b.txt")
	c := again(req)
	assert.Equal(t, judge.Ask, c.Decision, "it still lands inside, but not where it did")
	assert.Len(t, c.Changed, 1)
	relink(outside + "/secret.txt")
	assert.Equal(t, judge.Ask, again(req).Decision)

	relink("a.txt")
	other := req
	other.Command = "cat a.txt"
	assert.Equal(t, judge.Deny, again(other).Decision, "an approval is for one command")
	other = req
	other.Env = map[string]string{"HOME": "/"}
	assert.Equal(t, judge.Deny, again(other).Decision, "and for one environment")

	_, err = rt.Confirm(ctx, ConfirmRequest{GateRequest: req, Digest: g.Digest})
	assert.Error(t, err)
}

func TestBadShellRequestsNameTheField(t *testing.T) {
	rt, req := gated(t, coretest.Tree(t), "true")
	req.Shell = "fish"
	_, err := rt.Gate(context.Background(), req)
	assert.EqualError(t, err, `shell: "fish" is not known; write bash, dash or posix`)
	req.Shell, req.Cwd = "bash", "relative"
	_, err = rt.Gate(context.Background(), req)
	assert.EqualError(t, err, `cwd: "relative" is not an absolute path; give one`)
}

func BenchmarkGate(b *testing.B) {
	root := coretest.Tree(b, "src/a.txt: a", "src/b/c.txt: c", "README.md: x")
	rt, err := Open(Options{RuntimePath: root + "/none", Config: DefaultConfig(true)})
	require.NoError(b, err)
	for _, command := range []string{"cat README.md", "grep -rn foo src | head", "cd src && ls -la && cat a.txt", "find . -name '*.txt' -type f"} {
		b.Run(command, func(b *testing.B) {
			req := GateRequest{ShellCommand: ShellCommand{Command: command, Cwd: root, Env: map[string]string{"HOME": "/h"}}, Boundary: establish.Boundary{ReadRoots: []string{root}}}
			for b.Loop() {
				if _, err := rt.Gate(context.Background(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestWithoutAHomeThatOfTheAccountIsRefused(t *testing.T) {
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		t.Skipf("this account has no home: %v", err)
	}
	for _, env := range []map[string]string{nil, {}, {"HOME": ""}} {
		rt, req := gated(t, account.HomeDir, "cat "+account.HomeDir+"/.ssh/id")
		req.Env, req.Boundary.Home, req.Boundary.DenyPaths = env, "", nil
		g, err := rt.Gate(context.Background(), req)
		require.NoError(t, err)
		assert.Equal(t, judge.Deny, g.Decision, "%v %v", env, g.Reasons)
	}
}

func TestWithoutAnyHomeNothingIsAllowed(t *testing.T) {
	found := &establish.Established{Plan: &shellplan.Plan{Segments: []shellplan.Segment{{Command: "true"}}}, Segments: []establish.Segment{{}}}
	for name, tc := range map[string]struct {
		req  GateRequest
		want judge.Decision
	}{
		"home":    {GateRequest{Boundary: establish.Boundary{Home: "/h"}}, judge.Allow},
		"view":    {GateRequest{Boundary: establish.Boundary{HomeViews: []string{"/h"}}}, judge.Allow},
		"list":    {GateRequest{Boundary: establish.Boundary{DenyPaths: []string{"/secret"}}}, judge.Allow},
		"no list": {GateRequest{Boundary: establish.Boundary{DenyPaths: []string{}}}, judge.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, tc.req.decide(found).Decision)
		})
	}
	was := accountOf
	t.Cleanup(func() { accountOf = was })
	accountOf = func(string) (*user.User, error) { return nil, user.UnknownUserIdError(1) }
	d := (&GateRequest{}).decide(found)
	assert.Equal(t, judge.Ask, d.Decision)
	assert.Contains(t, d.Reasons[0].Message, "no home is known")
}

// A reason says what it is about: there are no empty brackets, whatever is not known.
func TestNoReasonHasEmptyBrackets(t *testing.T) {
	root := coretest.Tree(t, "a.txt: a", "d/", "home/", "loop -> loop", "gone -> nowhere/x", "locked/x: x")
	for _, command := range []string{
		`cd "$UNSET" && cat a.txt`, `cd $(pwd) && cat a`, `cd d/../.. && cat x`, "cat $X", "cat loop", "cat gone/x", "cd loop && cat x", "cd nowhere && cat ../x",
		"cat *", "rm -rf *", "git status", "cd - && ls", "cat ~nobody/x", "find / -name x", "eval x", `cat "$(cat a.txt)"`, "cat < $X", "cat 'unterminated", "",
		"cd d; rm -r ../d; cat x", "ln -s /etc e; cat e/passwd", "nosuch", "x=*; cat $x", "cat a.txt/x", "cat \xff", "cat $'\\xff'",
	} {
		rt, req := gated(t, root, command)
		g, err := rt.Gate(context.Background(), req)
		require.NoError(t, err, command)
		require.NoError(t, os.RemoveAll(root+"/d"))
		again, err := rt.Confirm(context.Background(), ConfirmRequest{GateRequest: req, Establishment: g.Establishment, Digest: g.Digest})
		require.NoError(t, err, command)
		require.NoError(t, os.Mkdir(root+"/d", 0o755))
		for _, r := range append(g.Reasons, again.Reasons...) {
			assert.NotEmpty(t, r.Message, command)
			assert.NotContains(t, r.Message, "()", command)
			assert.NotContains(t, r.Message, "``", command)
		}
		if g.Decision != judge.Allow {
			assert.NotEmpty(t, g.Reasons, command)
		}
		if again.Decision != judge.Allow {
			assert.NotEmpty(t, again.Reasons, command)
		}
	}
}
